/** Reports about a ramp that come twice, late, or not at all. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { CurrencyCode } from "../../../src/domain/Currency.ts"
import { moneyOf } from "../../../src/platform/database/Query.ts"
import type { TestServer } from "../../support/TestServer.ts"
import { callBack, recordOf, untilStatus } from "../support/PaymentCalls.ts"
import { onDatabasePaymentServer } from "../support/PaymentServer.ts"
import { accepts, declines } from "../support/ScriptedProvider.ts"
import { paidRamp } from "../support/PaidRamp.ts"
import { later, threeProviders } from "../support/PayinBalances.ts"

onDatabasePaymentServer("ramp", threeProviders, (it, { adyen, circle, clock, stripe }) => {
  it.effect("a ramp keeps what both of its legs are called by, and the fee of what it collected", () =>
    Effect.gen(function* () {
      const fee = moneyOf("3.00", CurrencyCode.make("KES"))
      circle.otherwise(accepts({ state: "completed", providerData: { transaction_hash: "0xabc" }, fee }))
      const { payment_id, reference } = yield* paidRamp(stripe, "NO", "13000.00")
      yield* untilStatus(payment_id, "completed")
      expect(circle.orders.at(-1), "the provider that settles it knows who sends it").toMatchObject({
        sender: { name: expect.any(String), country: expect.any(String) }
      })
      const ids = { payment_intent: "pi_1" }
      yield* callBack("stripe", { key: "NO ids", reference, state: "completed", ids })
      expect((yield* recordOf(payment_id))["provider_data"]).toEqual({
        transaction_hash: "0xabc",
        payment_intent: "pi_1"
      })
    })
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
