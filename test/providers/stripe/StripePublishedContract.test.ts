/** Every request that the adapter can send, and every answer of the fake, against what Stripe published. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { describe } from "vitest"
import type { ProviderCall } from "../../../src/providers/client/ProviderHttp.ts"
import { stripeFake } from "../../fakes/StripeFake.ts"
import { formIn, NewCustomer, NewIntent, NewRefund, NewSession, taken } from "../../fakes/StripeFakeForms.ts"
import { stripe } from "../../../src/providers/stripe/StripeAdapter.ts"
import type { PaymentOrder } from "../../../src/providers/port/Provider.ts"
import { againstFake } from "../support/AgainstFake.ts"
import { connected } from "../support/ConnectedAdapter.ts"
import {
  type About,
  attemptOf,
  cardNumbered,
  inMinor,
  referenceNo,
  refundAttemptOf,
  refundOf
} from "../support/TestOrders.ts"
import { publishedContract, unpublished } from "../support/PublishedContract.ts"
import { replyOf, scripted } from "../support/ScriptedReplies.ts"
import { newOrder } from "./StripeTestOrders.ts"

const FILE = "stripe.openapi.json"
const why = unpublished(FILE)

/** The document at hand leaves these operations out. What the fake takes and answers for pages is cut from the whole one. */
const isLeftOut = ({ method, path }: ProviderCall): boolean =>
  (method === "GET" && path.startsWith("/v1/refunds?")) ||
  path.startsWith("/v1/checkout/sessions") ||
  ["/v1/account", "/v1/balance"].includes(path)

const transfers = [
  ["DE", "EUR"],
  ["AT", "EUR"],
  ["GB", "GBP"],
  ["JP", "JPY"],
  ["MX", "MXN"],
  ["US", "USD"]
] as const

const onPages: ReadonlyArray<PaymentOrder> = [
  newOrder({ expiresAt: new Date(Date.now() + 3_600_000) }),
  newOrder({ description: null, payer: null }),
  newOrder({ description: "x".repeat(2000), money: inMinor("UGX", 5_000n) })
]

const visa = { card: cardNumbered("4242424242424242") }

const orders: ReadonlyArray<PaymentOrder> = [
  ...onPages,
  newOrder(visa),
  newOrder({ ...visa, description: null, payer: null }),
  newOrder({ ...visa, description: "x".repeat(2000), money: inMinor("UGX", 5_000n) }),
  ...transfers.flatMap(([country, currency]) => {
    const order = newOrder({
      method: "bank_transfer",
      country,
      money: inMinor(currency, 12_300n)
    })
    return [order, { ...order, payer: null }]
  })
]

const credentials = { secret_key: "sk_test_abc", webhook_secret: "whsec_abc" }

const lost = { data: [], has_more: false }

/** All that the adapter can be made to send. */
const everyCall = Effect.gen(function* () {
  const { calls, http } = scripted(({ method, path }) =>
    method === "GET" ? replyOf(200, lost) : replyOf(200, path === "/v1/customers" ? { id: "cus_1" } : {})
  )
  const provider = connected(stripe, http, credentials, { rawCards: true })
  for (const order of orders) yield* provider.initiate(order)
  const paid = attemptOf(newOrder(), { providerPaymentId: "pi_1" })
  for (const reason of ["because", "x".repeat(2000), null]) yield* provider.refund!(refundOf(paid, { reason }))
  yield* provider.enquire(paid)
  yield* provider.enquire(attemptOf(newOrder()))
  yield* provider.enquire(refundAttemptOf(refundOf(paid), { providerPaymentId: "re_1" }))
  yield* provider.enquire(refundAttemptOf(refundOf(paid)))
  yield* provider.cancel!(paid)
  const onPage = attemptOf(newOrder(), { providerPaymentId: "cs_test_1" })
  yield* provider.enquire(onPage)
  yield* provider.cancel!(onPage)
  yield* provider.test!
  return calls
})

const inFake: Readonly<Record<string, (body: string) => { readonly _tag: string }>> = {
  "/v1/payment_intents": taken(NewIntent),
  "/v1/checkout/sessions": taken(NewSession),
  "/v1/refunds": taken(NewRefund),
  "/v1/customers": taken(NewCustomer)
}

describe.skipIf(why !== "")(`Stripe's contract${why}`, () => {
  const contract = publishedContract(FILE, formIn)

  const bad: ReadonlyArray<readonly [string, string]> = [
    ["/v1/payment_intents", "amount=100"],
    ["/v1/payment_intents", "currency=eur"],
    ["/v1/payment_intents", "amount=12.5&currency=eur"],
    ["/v1/payment_intents", "amount=100&currency=eur&reference=x"],
    ["/v1/payment_intents", "amount=100&currency=eur&confirm=maybe"],
    ["/v1/payment_intents", "amount=100&currency=eur&payment_method_data[type]=cash"],
    ["/v1/payment_intents", `amount=100&currency=eur&description=${"x".repeat(1001)}`],
    [
      "/v1/payment_intents",
      "amount=100&currency=eur&payment_method_options[customer_balance][bank_transfer][type]=ng_bank_transfer"
    ],
    ["/v1/refunds", "payment_intent=pi_1&amount=x"],
    ["/v1/refunds", "payment_intent=pi_1&reference=x"],
    ["/v1/customers", `name=${"x".repeat(300)}`],
    ["/v1/customers", "reference=x"]
  ]
  for (const [path, body] of bad) {
    it(`refuses POST ${path} ${body.slice(0, 80)}, and so does the fake`, () => {
      expect(contract.bodyFlaws("POST", path, body)).not.toEqual([])
      expect(inFake[path]!(body)._tag).toBe("Left")
    })
  }

  it("refuses a query that it does not know", () => {
    const call: ProviderCall = { operation: "", method: "GET", path: "/v1/payment_intents?reference=x" }
    expect(contract.callFlaws(call)).toEqual(["query reference is not known"])
  })

  it.effect("holds for every request", () =>
    Effect.gen(function* () {
      const calls = yield* everyCall
      const held = calls.filter((call) => !isLeftOut(call))
      for (const call of held)
        expect([call.path, call.body, contract.callFlaws(call)]).toEqual([call.path, call.body, []])
      for (const { body = "", method, path } of calls) {
        if (method === "POST" && inFake[path] !== undefined) expect(inFake[path](body)._tag).toBe("Right")
      }
      expect(new Set(held.map(({ operation }) => operation))).toEqual(
        new Set([
          "create payment",
          "create customer",
          "create refund",
          "get payment",
          "list payments",
          "search payments",
          "get refund",
          "cancel payment",
          "test"
        ])
      )
      const left = new Set(calls.filter(isLeftOut).map(({ operation }) => operation))
      expect(left).toEqual(
        new Set(["list refunds", "create page", "list pages", "get page", "close page", "read account", "read balance"])
      )
    })
  )

  it.effect("knows no card numbers: that one body is outside of it", () =>
    Effect.gen(function* () {
      const { calls, http } = scripted(() => replyOf(200, {}))
      yield* connected(stripe, http, credentials, { rawCards: true }).initiate(
        newOrder({ card: cardNumbered("4111111111111111") })
      )
      const flaws = contract.callFlaws(calls[0]!)
      expect(flaws).toHaveLength(1)
      expect(flaws[0]).toContain("payment_method_data/type")
    })
  )

  /** Stripe's document here has the ids of charges alone, and not what `expand` makes of them. */
  const withoutExpanded = (text: string) =>
    JSON.stringify(JSON.parse(text), (name, value: { readonly id?: string } | string | null) =>
      name === "latest_charge" && typeof value === "object" ? (value?.id ?? null) : value
    )

  it.scopedLive("holds for every answer of the fake", () =>
    Effect.gen(function* () {
      const { exchanged, provider, settled } = yield* againstFake(stripe, stripeFake, { rawCards: true })
      let n = 1
      const next = (about: About) => newOrder({ ...about, reference: referenceNo(n++) })
      const paid = next({ card: cardNumbered("4242424242424242") })
      yield* provider.initiate(paid)
      const onPage = next({})
      const page = yield* provider.initiate(onPage)
      yield* provider.enquire(
        attemptOf(onPage, { providerPaymentId: "providerPaymentId" in page ? page.providerPaymentId! : null })
      )
      yield* provider.initiate(next({ card: cardNumbered("4000002760003184") }))
      yield* provider.initiate(next({ card: cardNumbered("4000000000000002") }))
      yield* provider.initiate(next({ money: inMinor("EUR", 12_302n) }))
      // The account number of a transfer within the United States came into the API after this document.
      for (const [country, currency] of transfers.filter(([where]) => where !== "US")) {
        yield* provider.initiate(next({ method: "bank_transfer", country, money: inMinor(currency, 12_300n) }))
      }
      yield* settled
      const found = yield* provider.enquire(attemptOf(paid, { sentAt: new Date() }))
      const context = attemptOf(paid, {
        providerPaymentId: "providerPaymentId" in found ? found.providerPaymentId : null
      })
      yield* provider.enquire(context)
      yield* provider.cancel!(context)
      const refunded = yield* provider.refund!(refundOf(context))
      const id = "providerPaymentId" in refunded ? refunded.providerPaymentId : null
      yield* provider.enquire(refundAttemptOf(refundOf(context), { providerPaymentId: id }))
      yield* provider.enquire(attemptOf(newOrder({ reference: referenceNo(999) }), { providerPaymentId: "pi_none" }))
      const statuses = new Set(exchanged.map(({ reply }) => reply.status))
      expect(statuses).toEqual(new Set([200, 400, 402, 404]))
      for (const {
        call,
        reply: { status, text }
      } of exchanged.filter((one) => !isLeftOut(one.call))) {
        const path = call.path.split("?")[0]!
        expect([path, status, contract.answerFlaws(call.method, path, status, withoutExpanded(text))]).toEqual([
          path,
          status,
          []
        ])
      }
    })
  )

  it("has answers that are refused where they are wrong", () => {
    expect(contract.answerFlaws("GET", "/v1/payment_intents/pi_1", 200, '{"id":"pi_1","status":"paid"}')).not.toEqual(
      []
    )
  })
})
