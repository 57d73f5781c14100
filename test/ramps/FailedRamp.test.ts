/** words that come twice, late, or not at all. Each test states what should be so. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { moneyOf } from "../../src/database/StoredMoney.ts"
import { CurrencyCode } from "../../src/domain/Currency.ts"
import { Report } from "../../src/domain/Outcome.ts"
import { Enquiries } from "../../src/payments/Enquiries.ts"
import { people } from "../support/Credentials.ts"
import { post } from "../support/Send.ts"
import type { TestServer } from "../support/TestServer.ts"
import { type Actable, actable } from "../payments/actions/Acting.ts"
import { attemptsOf, callBack, get, jsonOf, untilStatus } from "../payments/Calls.ts"
import { movableClock, timePasses } from "../payments/PaymentServices.ts"
import { onBothPaymentServers, serveCountry } from "../payments/PaymentServer.ts"
import { accepts, declines } from "../payments/ScriptedProvider.ts"

const KES = CurrencyCode.make("KES")
const WALLET = "0x52908400098527886E0F7030069857D2E4169EE7"

const make = () => {
  const stripe: Actable = { ...actable("stripe"), honoursReference: true }
  const adyen: Actable = { ...actable("adyen"), honoursReference: true }
  const circle = actable("circle")
  const clock = movableClock()
  return { stripe, adyen, circle, clock, providers: [stripe, adyen, circle] }
}

onBothPaymentServers("ramp", make, (it, { adyen, circle, clock, stripe }) => {
  const later = (seconds: number) =>
    Effect.zipRight(
      timePasses(clock, `${seconds} seconds`),
      Effect.flatMap(Enquiries, ({ runOnce }) => runOnce)
    )

  const ramp = (country: string, received: string) =>
    Effect.gen(function* () {
      yield* serveCountry(country, ["stripe"], "bank_transfer", "inbound")
      yield* serveCountry(country, ["circle", "adyen"], "crypto", "outbound")
      stripe.otherwise(() => Effect.succeed(accepts({ state: "pending", nextAction: "bank_transfer" })))
      const { acme } = yield* people
      const rate = yield* get("/organizations/admin/exchange-rate?fromCurrency=KES&toCurrency=USDT")
      const { data } = jsonOf(rate) as { readonly data: { readonly rate: number } }
      const answer = yield* post(
        "/v1/payments-init/ramp",
        { ...acme.key },
        {
          fiat_currency: "KES",
          fiat_amount: 13000,
          client_rate: data.rate,
          crypto_currency: "USDT",
          crypto_network: "POLYGON",
          country,
          wallet_address: WALLET,
          bank_details: { account_number: "1100223344", bank_code: "01", bank_name: "KCB" }
        }
      )
      const { response } = jsonOf(answer) as { readonly response: { readonly payment_id: string } }
      const { payment_id } = response
      const [collection] = yield* attemptsOf(payment_id)
      const reference = String(collection?.["attempt_id"])
      const paid = { state: "completed", reason: null, providerPaymentId: null, providerStatus: "paid" } as const
      stripe.says(reference, new Report({ ...paid, received: moneyOf(received, KES) }))
      yield* callBack("stripe", { key: `${country} paid`, reference, state: null })
      return { payment_id, reference }
    })

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
      const { payment_id } = yield* ramp("FI", "13000.00")
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
