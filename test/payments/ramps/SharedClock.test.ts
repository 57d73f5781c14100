/** Whether the customer of a ramp may still pay is asked of the database's clock: that of an instance may be wrong. */
import { expect } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { actable } from "../support/ActionCalls.ts"
import { recordOf, untilStatus } from "../support/PaymentCalls.ts"
import { paidRamp } from "../support/PaidRamp.ts"
import { onPaymentServer } from "../support/PaymentServer.ts"
import { movableClock } from "../support/PaymentServices.ts"
import { accepts } from "../support/ScriptedProvider.ts"

const stripe = actable("stripe")
const circle = actable("circle")
const clock = movableClock()

// Memory stores have no clock but that of their instance.
onPaymentServer("An instance whose clock is fast", "PostgreSQL", { providers: [stripe, circle], clock }, (it) => {
  it.effect("takes what a customer pays in time by the clock that all share", () =>
    Effect.gen(function* () {
      clock.move(Duration.minutes(45))
      circle.otherwise(accepts({ state: "completed" }))
      const { payment_id } = yield* paidRamp(stripe, "FI", "13000.00")
      yield* untilStatus(payment_id, "completed")
      expect(yield* recordOf(payment_id)).toMatchObject({ comments: null })
    })
  )
})
