/** A hint about a payment that has ended, whose provider did not answer when it was asked: nobody else would ask again. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { Enquiries } from "../../../src/payments/callbacks/Enquiries.ts"
import { backends } from "../../support/Stores.ts"
import { cardPayer } from "../support/CardPayer.ts"
import { timePasses } from "../support/PaymentServices.ts"
import { accepts, isLost, reports } from "../support/ScriptedProvider.ts"

describe.each(backends)("a hint whose provider does not answer, on %s", (backend) => {
  it.live("stands until it does", () =>
    Effect.gen(function* () {
      const { here, pay, store, stripe, world } = yield* cardPayer(backend)
      stripe.otherwise(accepts({ state: "completed" }))
      const paid = yield* pay
      expect(paid.status).toBe("completed")
      const [attempt] = yield* store.attemptsOf(paid.payment_id)
      const round = Effect.flatMap(Enquiries, ({ runOnce }) => runOnce).pipe(Effect.provide(here))
      const later = timePasses(world.clock, "1 minute").pipe(Effect.provide(world.stores))
      stripe.says(attempt!.attempt_id, isLost())
      expect(yield* store.hint(attempt!.attempt_id)).toBe(true)
      yield* later
      expect(yield* round).toBe(1)
      stripe.says(attempt!.attempt_id, reports("returned"))
      expect(yield* round, "not at once").toBe(0)
      yield* later
      expect(yield* round).toBe(1)
      const found = yield* store.find(Option.none(), paid.payment_id)
      expect(Option.getOrThrow(found).status).toBe("refunded")
      yield* later
      expect(yield* round, "nothing is left to ask").toBe(0)
    }).pipe(Effect.scoped)
  )

  it.live("is asked about again where whoever asked has died", () =>
    Effect.gen(function* () {
      const { here, pay, store, stripe, world } = yield* cardPayer(backend)
      stripe.otherwise(accepts({ state: "completed" }))
      const paid = yield* pay
      const [attempt] = yield* store.attemptsOf(paid.payment_id)
      const round = Effect.flatMap(Enquiries, ({ runOnce }) => runOnce).pipe(Effect.provide(here))
      const later = timePasses(world.clock, "2 minutes").pipe(Effect.provide(world.stores))
      stripe.says(attempt!.attempt_id, reports("returned"))
      expect(yield* store.hint(attempt!.attempt_id)).toBe(true)
      yield* later
      expect(yield* store.claimEnquiries([{ provider: "stripe", room: 1 }])).toHaveLength(1)
      expect(yield* round, "as long as it may live").toBe(0)
      yield* later
      expect(yield* round).toBe(1)
      const found = yield* store.find(Option.none(), paid.payment_id)
      expect(Option.getOrThrow(found).status).toBe("refunded")
      yield* later
      expect(yield* round, "nothing is left to ask").toBe(0)
    }).pipe(Effect.scoped)
  )
})
