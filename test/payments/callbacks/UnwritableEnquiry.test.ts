/** One enquiry whose answer cannot be written down, in a round with others: they are written all the same. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import type { PaymentId } from "../../../src/domain/Ids.ts"
import { StatusPoller } from "../../../src/payments/callbacks/StatusPoller.ts"
import type { Store } from "../../../src/payments/store/PaymentStore.ts"
import { backends } from "../../support/OnBothStores.ts"
import { cardPayer } from "../support/CardPayer.ts"
import { timePasses } from "../support/PaymentServices.ts"
import { stopAtStep } from "../support/StopAtStep.ts"
import { isLost, reports } from "../support/ScriptedProvider.ts"
import { servicesIn } from "../support/RestartableServices.ts"

/** Fails every write about one payment; writes about others take their time. */
const refusing = (paymentId: PaymentId) => ({
  ...stopAtStep(-1, "the step fails"),
  store: (store: Store): Store => ({
    ...store,
    apply: (change) =>
      change.payment.payment_id === paymentId
        ? Effect.die(new Error("it cannot be written"))
        : Effect.delay(store.apply(change), "300 millis")
  })
})

describe.each(backends)("an enquiry whose answer cannot be written, on %s", (backend) => {
  it.live("leaves the others of its round alone, and is repeated", () =>
    Effect.gen(function* () {
      const { here, pay, store, stripe, world } = yield* cardPayer(backend)
      stripe.otherwise(isLost())
      const [first, second] = [yield* pay, yield* pay]
      for (const { payment_id } of [first, second]) {
        const [attempt] = yield* store.attemptsOf(payment_id)
        stripe.says(attempt!.attempt_id, reports("completed"))
      }
      const round = Effect.flatMap(StatusPoller, ({ runOnce }) => runOnce)
      const statusOf = ({ payment_id }: typeof first) =>
        Effect.map(store.find(Option.none(), payment_id), (found) => Option.getOrThrow(found).status)
      yield* timePasses(world.clock, "1 minute").pipe(Effect.provide(world.stores))
      const asked = yield* Effect.exit(
        round.pipe(Effect.provide(servicesIn(world, refusing(first.payment_id), [stripe])))
      )
      expect([yield* statusOf(first), yield* statusOf(second)]).toEqual(["pending", "completed"])
      expect(asked).toMatchObject({ _tag: "Success", value: 2 })
      yield* timePasses(world.clock, "10 minutes").pipe(Effect.provide(world.stores))
      yield* round.pipe(Effect.provide(here))
      expect(yield* statusOf(first), "asked about again").toBe("completed")
    }).pipe(Effect.scoped)
  )
})
