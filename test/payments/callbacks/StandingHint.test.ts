/** A hint about a payment that has ended, whose provider did not answer when it was asked: nobody else would ask again. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer, Option, Schema } from "effect"
import { InitiatePayment } from "../../../src/contract/api/PaymentsInit.ts"
import { Ids } from "../../../src/domain/Ids.ts"
import { Enquiries } from "../../../src/payments/callbacks/Enquiries.ts"
import { Initiation, type Payin } from "../../../src/payments/initiate/Initiation.ts"
import { PaymentStore } from "../../../src/payments/store/PaymentStore.ts"
import { backends } from "../../support/Stores.ts"
import { actable } from "../support/Acting.ts"
import { newOwner } from "../support/NewPayment.ts"
import { timePasses } from "../support/PaymentServices.ts"
import { serveCountry } from "../support/PaymentServer.ts"
import { byCard } from "../support/Requests.ts"
import { saboteur } from "../support/Sabotage.ts"
import { accepts, isLost, reports } from "../support/ScriptedProvider.ts"
import { ownersPermit, servicesIn, worldOn } from "../support/World.ts"

const request = Schema.decodeUnknownSync(InitiatePayment)({ ...byCard(), country: "FR" }) as Payin

describe.each(backends)("a hint whose provider does not answer, on %s", (backend) => {
  it.live("stands until it does", () =>
    Effect.gen(function* () {
      const world = yield* worldOn(backend)
      const base = Layer.merge(world.stores, Ids.layer)
      yield* serveCountry("FR", ["stripe"]).pipe(Effect.provide(base))
      const owner = yield* newOwner.pipe(Effect.provide(base))
      const stripe = actable("stripe")
      stripe.otherwise(accepts({ state: "completed" }))
      const permit = yield* ownersPermit(owner)
      const here = servicesIn(world, saboteur(-1, "the step fails"), [stripe])
      const paid = yield* Effect.flatMap(Initiation, ({ payin }) => payin(permit, request)).pipe(Effect.provide(here))
      expect(paid.status).toBe("completed")
      const store = yield* Effect.provide(PaymentStore, world.stores)
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
})
