/** words that come twice, late, or not at all. Each test states what should be so. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { Enquiries } from "../../../src/payments/callbacks/Enquiries.ts"
import type { TestServer } from "../../support/TestServer.ts"
import { type Actable, actable } from "../support/Acting.ts"
import { callBack, untilStatus } from "../support/Calls.ts"
import { movableClock, timePasses } from "../support/PaymentServices.ts"
import { onDatabasePaymentServer } from "../support/PaymentServer.ts"
import { accepts, declines } from "../support/ScriptedProvider.ts"
import { paidRamp } from "../support/PaidRamp.ts"

const make = () => {
  const stripe: Actable = { ...actable("stripe"), honoursReference: true }
  const adyen: Actable = { ...actable("adyen"), honoursReference: true }
  const circle = actable("circle")
  const clock = movableClock()
  return { stripe, adyen, circle, clock, providers: [stripe, adyen, circle] }
}

onDatabasePaymentServer("ramp", make, (it, { adyen, circle, clock, stripe }) => {
  const later = (seconds: number) =>
    Effect.zipRight(
      timePasses(clock, `${seconds} seconds`),
      Effect.flatMap(Enquiries, ({ runOnce }) => runOnce)
    )

  it.effect("a ramp that has failed is not settled by the next candidate", () =>
    Effect.gen(function* () {
      const context = yield* Effect.context<TestServer>()
      const asked = adyen.orders.length
      circle.otherwise((order) =>
        Effect.gen(function* () {
          yield* Effect.orDie(callBack("circle", { key: "no", reference: order.reference, state: "failed" }))
          return declines("sanctioned address")
        }).pipe(Effect.provide(context))
      )
      adyen.otherwise(accepts({ state: "completed" }))
      const { payment_id } = yield* paidRamp(stripe, "FI", "13000.00", ["circle", "adyen"])
      yield* untilStatus(payment_id, "failed")
      yield* Effect.sleep("500 millis")
      stripe.will({ refund: accepts({ state: "completed" }) })
      for (const seconds of [61, 31, 61]) {
        yield* later(seconds)
        yield* Effect.sleep("300 millis")
      }
      expect(
        adyen.orders.slice(asked).map((o) => `${o.flow} ${o.money.toString()}`),
        "orders to settle a ramp whose money was given back"
      ).toEqual([])
    })
  )
})
