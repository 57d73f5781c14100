/** words that come twice, late, or not at all. Each test states what should be so. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import type { TestServer } from "../../support/TestServer.ts"
import { callBack, untilStatus } from "../support/Calls.ts"
import { onDatabasePaymentServer } from "../support/PaymentServer.ts"
import { accepts, declines } from "../support/ScriptedProvider.ts"
import { paidRamp } from "../support/PaidRamp.ts"
import { later, threeProviders } from "../support/InTheBooks.ts"

onDatabasePaymentServer("ramp", threeProviders, (it, { adyen, circle, clock, stripe }) => {
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
        yield* later(clock, seconds)
        yield* Effect.sleep("300 millis")
      }
      expect(
        adyen.orders.slice(asked).map((o) => `${o.flow} ${o.money.toString()}`),
        "orders to settle a ramp whose money was given back"
      ).toEqual([])
    })
  )
})
