import { describe, expect, it } from "@effect/vitest"
import { Effect, Either } from "effect"
import type { ProviderCall } from "../../../src/providers/client/ProviderHttp.ts"
import type { FakeRequest } from "../../fakes/Fake.ts"
import { bodyAs, OrderBody, PayoutBody, VerificationBody } from "../../fakes/PaypalFakeBodies.ts"
import { paypalCurrencies } from "../../../src/providers/paypal/PaypalSchemas.ts"
import * as requests from "../../../src/providers/paypal/PaypalRequests.ts"
import { visited } from "../support/AgainstFake.ts"
import { amount, attemptOf } from "../support/TestOrders.ts"
import { type PublishedContract, publishedContract, unpublished } from "../support/PublishedContract.ts"
import { atFake, byCard, toWallet } from "./PaypalTestOrders.ts"

const files = {
  orders: "paypal.openapi.json",
  payouts: "paypal-payouts.openapi.json",
  webhooks: "paypal-webhooks.openapi.json"
}
const why = unpublished(...Object.values(files))

const bodies = {
  "/v2/checkout/orders": bodyAs(OrderBody, "INVALID_REQUEST"),
  "/v1/payments/payouts": bodyAs(PayoutBody, "VALIDATION_ERROR"),
  "/v1/notifications/verify-webhook-signature": bodyAs(VerificationBody, "VALIDATION_ERROR")
} as const

const fakeTakes = ({ body = "", path }: ProviderCall): boolean => {
  const read: (request: FakeRequest) => Either.Either<unknown, unknown> = bodies[path as keyof typeof bodies]
  return Either.isRight(read({ method: "POST", path, params: {}, query: new URLSearchParams(), headers: {}, body }))
}

const reference = "3c2f7a52-9d3b-4c55-8a51-0f1f2f3a4b5c"

const transmission: requests.Transmission = {
  auth_algo: "SHA256withRSA",
  cert_url: "https://api.paypal.com/v1/notifications/certs/CERT-360caa42-fca2a594-a5cafa77",
  transmission_id: "b6c3dd60-8d5c-11e6-9d1e-d3e5d0f5a7e6",
  transmission_sig: "EEuhUKYcP2Kn9C2l5Dw6Qw1bK1yEg8PbHcT5C2f2kTg==",
  transmission_time: "2025-06-01T10:00:00Z",
  webhook_id: "1JE4291016473214C"
}

const posted: ReadonlyArray<readonly [name: string, call: Either.Either<ProviderCall, unknown>]> = [
  ["an order", requests.createOrder(byCard())],
  ["an order with a long description", requests.createOrder(byCard({ description: "é🎉".repeat(200) }))],
  ["an order without a description", requests.createOrder(byCard({ description: "" }))],
  ...paypalCurrencies.map(
    (currency) =>
      [`an order in ${currency}`, requests.createOrder(byCard({ money: amount("1500", currency) }))] as const
  ),
  ["a payout", requests.createPayout(toWallet())],
  [
    "a payout in whole yen, without a description",
    requests.createPayout(toWallet({ description: null, money: amount("7", "JPY") }))
  ],
  [
    "a question about a signature",
    Either.right(requests.verifySignature(transmission, '{"id": "WH-1", "resource": {"a": 1.50}}'))
  ]
]

const others: ReadonlyArray<readonly [name: string, call: ProviderCall]> = [
  ["a capture", requests.captureOrder("5O190127TN364715T", reference)],
  ["a question about an order", requests.showOrder("5O190127TN364715T")],
  ["a question about a payout", requests.showPayout("5UXD2E8A7EBQJ")]
]

const spoilt: ReadonlyArray<readonly [path: keyof typeof bodies, body: unknown]> = [
  ["/v2/checkout/orders", { purchase_units: [] }],
  ["/v2/checkout/orders", { intent: "CAPTURE", purchase_units: [{ amount: { currency_code: "USD", value: 10 } }] }],
  ["/v2/checkout/orders", { intent: "CAPTURE", purchase_units: [{ amount: { currency_code: "USD", value: "1,5" } }] }],
  ["/v1/payments/payouts", { sender_batch_header: { sender_batch_id: "a" } }],
  ["/v1/payments/payouts", { sender_batch_header: {}, items: [{ receiver: "a@b.c", amount: { value: "1" } }] }],
  ["/v1/notifications/verify-webhook-signature", { ...transmission, auth_algo: "none at all", webhook_event: {} }],
  ["/v1/notifications/verify-webhook-signature", transmission]
]

describe.skipIf(why !== "")(`what PayPal is asked, by its own contracts${why}`, () => {
  const judges = {
    orders: publishedContract(files.orders),
    payouts: publishedContract(files.payouts),
    webhooks: publishedContract(files.webhooks)
  }
  const judgeOf = (path: string): PublishedContract =>
    path.includes("/payouts") ? judges.payouts : path.includes("/notifications") ? judges.webhooks : judges.orders

  it.each(spoilt)("refuses what is wrong, as the fake does: %s %j", (path, body) => {
    const call = { operation: "spoilt", method: "POST" as const, path, body: JSON.stringify(body) }
    expect(judgeOf(path).bodyFlaws(call.method, path, call.body)).not.toEqual([])
    expect(fakeTakes(call)).toBe(false)
  })

  it("refuses a key that is too long, and an order's id that is none", () => {
    const { headers, ...capture } = requests.captureOrder("5O190127TN364715T", reference)
    const long = { ...headers, "paypal-request-id": "x".repeat(109) }
    expect(judges.orders.callFlaws({ ...capture, headers: long })).not.toEqual([])
    expect(judges.orders.callFlaws({ operation: "x", method: "GET", path: "/v2/checkout/order/1" })).not.toEqual([])
  })

  it.each(posted)("%s is right by the contract and by the fake", (_name, call) => {
    const one = Either.getOrThrow(call)
    expect(judgeOf(one.path).callFlaws(one)).toEqual([])
    expect(fakeTakes(one)).toBe(true)
  })

  it.each(others)("%s is right", (_name, call) => {
    expect(judgeOf(call.path).callFlaws(call)).toEqual([])
  })

  it.scopedLive("the fake answers in the shapes of the contracts", () =>
    Effect.gen(function* () {
      const { exchanged, provider, settled } = yield* atFake
      const order = byCard()
      const accepted = yield* provider.initiate(order)
      const id = accepted._tag === "Accepted" ? accepted.providerPaymentId : null
      const attempt = attemptOf(order, { providerPaymentId: id })
      yield* provider.initiate(order)
      yield* provider.initiate({ ...order, description: "Another" })
      yield* provider.enquire(attempt)
      yield* visited(accepted._tag === "Accepted" ? accepted.actionData["redirect_url"] : null)
      yield* provider.resume!(attempt, {})
      yield* provider.enquire({ ...attempt, providerPaymentId: "NONE" })
      const payout = toWallet()
      yield* provider.initiate(payout)
      yield* provider.initiate(payout)
      yield* provider.initiate(toWallet({ money: amount("1.02", "USD") }))
      yield* settled
      const judged = exchanged.flatMap(({ call: { method, path }, reply: { status, text } }) => {
        return path === "/v1/oauth2/token"
          ? []
          : [[`${status}`, judgeOf(path).answerFlaws(method, path, status, text)] as const]
      })
      const wrong = judged.filter(([, errors]) => errors.length > 0)
      // PayPal's list of issues leaves out the one of a key that was used for something else.
      expect(wrong.map(([status]) => status)).toEqual(["422"])
      expect(judged.map(([status]) => status)).toEqual(expect.arrayContaining(["200", "201", "400", "404", "422"]))
      expect(judges.orders.answerFlaws("GET", "/v2/checkout/orders/A", 200, '{"status":"PAID"}')).not.toEqual([])
    })
  )
})
