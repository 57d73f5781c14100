/** Ramp payouts whose first sending has an unknown outcome. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { Absent } from "../../../src/domain/Outcome.ts"
import { StatusPoller } from "../../../src/payments/callbacks/StatusPoller.ts"
import { type Actable, actable } from "../support/ActionCalls.ts"
import { attemptsOf, eventually } from "../support/PaymentCalls.ts"
import { movableClock, timePasses } from "../support/PaymentServices.ts"
import { onDatabasePaymentServer } from "../support/PaymentServer.ts"
import { declines, isLost } from "../support/ScriptedProvider.ts"
import { paidRamp } from "../support/PaidRamp.ts"

const make = () => {
  const stripe: Actable = { ...actable("stripe"), honoursReference: true }
  const circle: Actable = { ...actable("circle"), honoursReference: true, provesAbsence: false }
  const coinbase = actable("coinbase")
  const clock = movableClock()
  return { stripe, circle, coinbase, clock, providers: [stripe, circle, coinbase] }
}

onDatabasePaymentServer("a second leg that is sent again", make, (it, { circle, clock, coinbase, stripe }) => {
  it.effect("and refused then reaches no other provider, while its provider proves nothing of the first time", () =>
    Effect.gen(function* () {
      circle.otherwise(isLost())
      const { payment_id } = yield* paidRamp(stripe, "FI", "13000.00", ["circle", "coinbase"])
      const legs = yield* eventually(
        Effect.map(attemptsOf(payment_id), (all) => all.filter((one) => one["leg"] === "settlement")),
        ([leg]) => leg?.["outcome"] === "unknown"
      )
      circle.says(String(legs[0]?.["attempt_id"]), new Absent())
      const before = circle.timesAsked(payment_id)
      circle.otherwise(declines("too many requests"))
      yield* timePasses(clock, "2 minutes")
      yield* Effect.flatMap(StatusPoller, ({ runOnce }) => runOnce)
      yield* eventually(
        Effect.sync(() => circle.timesAsked(payment_id)),
        (times) => times > before
      )
      yield* Effect.sleep("1 second")
      expect(coinbase.timesAsked(payment_id), "circle may have paid the first time").toBe(0)
    })
  )
})
