/** Every result, status and error that Adyen documents, and what comes of it. */
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Either } from "effect"
import { CountryCode } from "../../../src/domain/Country.ts"
import { Absent, Declined, Unknown } from "../../../src/domain/Outcome.ts"
import { adyen } from "../../../src/providers/adyen/AdyenAdapter.ts"
import { MaybeSent, NeverSent } from "../../../src/providers/client/ProviderHttp.ts"
import type { PaymentOrder } from "../../../src/providers/port/Provider.ts"
import { connected } from "../support/ConnectedAdapter.ts"
import { attemptOf, cardNumbered, inMinor, referenceNo, refundAttemptOf, refundOf } from "../support/TestOrders.ts"
import { replyOf, type Said, scripted } from "../support/ScriptedReplies.ts"
import { accounts, iban, newOrder, payout, reference } from "./AdyenTestOrders.ts"

const checkoutOnly = { api_key: "AQE-key", merchant_account: "OurECOM" }
const whole = { ...checkoutOnly, balance_account: "BA1", balance_platform: "OurPlatform" }

type Answer = Parameters<typeof scripted>[0]

const at = (
  answer: Answer,
  about: { readonly rawCards?: boolean; readonly credentials?: Record<string, string> } = {}
) => {
  const { calls, http } = scripted(answer)
  const provider = connected(adyen, http, about.credentials ?? whole, { rawCards: about.rawCards ?? false })
  return { calls, provider }
}

const bodyOf = ({ body = "" }: { readonly body?: string }): unknown => JSON.parse(body)

const failure = (status: number, errorCode: string, message = "no") =>
  replyOf(status, { status, errorCode, message, errorType: "validation" })

const card = newOrder({ card: cardNumbered("4111111111111111") })

const result = (resultCode: string, about: object = {}) =>
  replyOf(200, { pspReference: "PSP0000000000001", merchantReference: reference, resultCode, ...about })

const unknowns: ReadonlyArray<readonly [string, Answer]> = [
  ["HTTP 500", () => failure(500, "000")],
  ["HTTP 503 without a body", () => replyOf(503, "")],
  ["a key that is being worked on", () => failure(422, "704")],
  ["HTTP 409", () => failure(409, "000")],
  ["HTTP 422 of somebody in between", () => replyOf(422, "<html>")],
  ["HTTP 200 of somebody in between", () => replyOf(200, "<html>")],
  ["a connection that broke", () => new MaybeSent({ reason: "reset" })]
]

const definite: ReadonlyArray<readonly [string, Answer, object]> = [
  ["HTTP 400", () => failure(400, "702"), { code: "INVALID_ORDER", providerCode: "702" }],
  ["HTTP 422", () => failure(422, "905"), { code: "INVALID_ORDER", providerCode: "905", reason: "no" }],
  ["HTTP 401", () => failure(401, "000"), { code: "CREDENTIALS_REFUSED", providerCode: "401" }],
  ["HTTP 403", () => failure(403, "901"), { code: "CREDENTIALS_REFUSED", providerCode: "403" }],
  ["HTTP 429", () => replyOf(429, {}), { code: "PROVIDER_BUSY" }],
  ["no connection", () => new NeverSent({ reason: "no way" }), { code: "PROVIDER_UNAVAILABLE" }]
]

const sending = (name: string, order: PaymentOrder, rawCards: boolean) => {
  for (const [problem, answer] of unknowns) {
    it.effect(`${name}, ${problem}: unknown`, () =>
      Effect.gen(function* () {
        expect(yield* at(answer, { rawCards }).provider.initiate(order)).toBeInstanceOf(Unknown)
      })
    )
  }
  for (const [problem, answer, expected] of definite) {
    it.effect(`${name}, ${problem}: declined`, () =>
      Effect.gen(function* () {
        const outcome = yield* at(answer, { rawCards }).provider.initiate(order)
        expect(outcome).toMatchObject({ _tag: "Declined", ...expected })
        expect(outcome).not.toHaveProperty("instrument")
      })
    )
  }
}

describe("a card with its number", () => {
  const accepted: ReadonlyArray<readonly [string, object, object]> = [
    [
      "Authorised",
      { amount: { currency: "EUR", value: 12300 } },
      { state: "completed", nextAction: null, movements: [{ amount: inMinor("EUR", 12_300n) }] }
    ],
    ["Authorised", { amount: { currency: "EUR", value: 12000 } }, { movements: [{ amount: inMinor("EUR", 12_000n) }] }],
    ["Authorised", {}, { state: "completed" }],
    ["Received", {}, { state: "processing" }],
    ["Pending", {}, { state: "processing" }],
    ["PresentToShopper", {}, { state: "pending", nextAction: null }],
    [
      "RedirectShopper",
      { action: { type: "redirect", method: "GET", url: "https://checkoutshopper-test.adyen.com/x" } },
      {
        state: "pending",
        nextAction: "redirect",
        actionData: { redirect_url: "https://checkoutshopper-test.adyen.com/x" }
      }
    ],
    [
      "RedirectShopper",
      { action: { type: "redirect", method: "POST", url: "https://issuer.example/x", data: { PaReq: "x" } } },
      { state: "pending", nextAction: null }
    ],
    ["IdentifyShopper", { action: { type: "threeDS2" } }, { state: "pending", nextAction: null }],
    ["ChallengeShopper", { action: { type: "threeDS2" } }, { state: "pending", nextAction: null }],
    ["PartiallyAuthorised", { amount: { currency: "EUR", value: 100 } }, { state: "processing" }],
    ["SomethingNew", {}, { state: "processing", providerStatus: "SomethingNew" }]
  ]
  for (const [resultCode, about, expected] of accepted) {
    it.effect(`${resultCode} ${JSON.stringify(about)}: accepted`, () =>
      Effect.gen(function* () {
        const { provider } = at(() => result(resultCode, about), { rawCards: true })
        const outcome = yield* provider.initiate(card)
        // Until the payer has come back, the result and its reference are not there yet.
        const providerPaymentId = "state" in expected && expected.state === "pending" ? null : "PSP0000000000001"
        expect(outcome).toMatchObject({ _tag: "Accepted", providerPaymentId, ...expected })
      })
    )
  }

  const refusals: ReadonlyArray<readonly [string, object, object]> = [
    [
      "Refused",
      { refusalReason: "Refused", refusalReasonCode: "2" },
      { code: "CARD_DECLINED", providerCode: "2", instrument: true }
    ],
    ["Refused", { refusalReasonCode: "6" }, { code: "CARD_EXPIRED", instrument: true }],
    ["Refused", { refusalReasonCode: "8" }, { code: "CARD_INVALID", instrument: true }],
    ["Refused", { refusalReasonCode: "11" }, { code: "AUTHENTICATION_FAILED", instrument: true }],
    ["Refused", { refusalReasonCode: "12" }, { code: "INSUFFICIENT_FUNDS", instrument: true }],
    ["Refused", { refusalReasonCode: "20" }, { code: "SUSPECTED_FRAUD", instrument: true }],
    ["Refused", { refusalReasonCode: "24" }, { code: "CARD_INVALID", instrument: true }],
    ["Refused", { refusalReasonCode: "28" }, { code: "LIMIT_EXCEEDED", instrument: true }],
    ["Refused", { refusalReasonCode: "4" }, { code: "PROVIDER_UNAVAILABLE" }],
    ["Refused", { refusalReasonCode: "9" }, { code: "PROVIDER_UNAVAILABLE" }],
    ["Refused", { refusalReasonCode: "10" }, { code: "NOT_SUPPORTED" }],
    ["Refused", { refusalReasonCode: "999" }, { code: "CARD_DECLINED", providerCode: "999", instrument: true }],
    ["Refused", {}, { code: "CARD_DECLINED", providerCode: "Refused", instrument: true }],
    ["Cancelled", {}, { code: "NOT_APPROVED", providerCode: "Cancelled", instrument: true }],
    ["Error", { refusalReason: "acquirer error" }, { providerCode: "Error", reason: "acquirer error" }]
  ]
  for (const [resultCode, about, expected] of refusals) {
    it.effect(`${resultCode} ${JSON.stringify(about)}: declined`, () =>
      Effect.gen(function* () {
        const outcome = yield* at(() => result(resultCode, about), { rawCards: true }).provider.initiate(card)
        expect(outcome).toMatchObject({ _tag: "Declined", ...expected })
        expect("instrument" in outcome).toBe("instrument" in expected)
      })
    )
  }

  it.effect("of an amount that cannot be read: unknown", () =>
    Effect.gen(function* () {
      const odd = () => result("Authorised", { amount: { currency: "ZZZ", value: 1 } })
      expect(yield* at(odd, { rawCards: true }).provider.initiate(card)).toBeInstanceOf(Unknown)
    })
  )

  it.effect("is sent as Adyen wants it, once for a reference", () =>
    Effect.gen(function* () {
      const { calls, provider } = at(() => result("Authorised"), { rawCards: true })
      yield* provider.initiate({ ...card, card: cardNumbered("4111111111111111") })
      expect(calls[0]).toMatchObject({
        method: "POST",
        path: "/payments",
        headers: { "x-api-key": "AQE-key", "idempotency-key": reference }
      })
      expect(bodyOf(calls[0]!)).toMatchObject({
        amount: { currency: "EUR", value: 12300 },
        merchantAccount: "OurECOM",
        reference,
        returnUrl: card.returnUrl,
        paymentMethod: { type: "scheme", number: "4111111111111111", expiryMonth: "03", expiryYear: "2030", cvc: "737" }
      })
    })
  )

  it.effect("describes the browser in which it was entered, as far as it is known", () =>
    Effect.gen(function* () {
      const { calls, provider } = at(() => result("Authorised"), { rawCards: true })
      const browser = {
        ip: "203.0.113.7",
        userAgent: "Mozilla/5.0",
        acceptHeader: "text/html",
        language: "en-GB",
        screen: null
      }
      const order = { ...card, card: cardNumbered("4111111111111111") }
      yield* provider.initiate({ ...order, browser })
      expect(bodyOf(calls[0]!)).toMatchObject({
        channel: "Web",
        origin: "https://pay.example.com",
        shopperIP: "203.0.113.7",
        browserInfo: {
          userAgent: "Mozilla/5.0",
          acceptHeader: "text/html",
          language: "en-GB",
          javaScriptEnabled: false
        }
      })
      yield* provider.initiate(order)
      const without = bodyOf(calls[1]!)
      expect(without).toMatchObject({ origin: "https://pay.example.com" })
      expect(without).not.toHaveProperty("browserInfo")
      expect(without).not.toHaveProperty("shopperIP")
    })
  )

  sending("with its number", card, true)
})

describe("a link", () => {
  const link = (about: object = {}) => ({
    id: "PL0000000000001",
    status: "active",
    url: "https://test.adyen.link/PL0000000000001",
    amount: { currency: "EUR", value: 12300 },
    ...about
  })

  it.effect("is where the payer goes, and no number of a card leaves", () =>
    Effect.gen(function* () {
      const { calls, provider } = at(() => replyOf(201, link()))
      const outcome = yield* provider.initiate(card)
      expect(outcome).toMatchObject({
        _tag: "Accepted",
        state: "pending",
        providerPaymentId: "PL0000000000001",
        nextAction: "redirect",
        actionData: { redirect_url: "https://test.adyen.link/PL0000000000001" }
      })
      expect(calls[0]).toMatchObject({ path: "/paymentLinks", headers: { "idempotency-key": reference } })
      expect(bodyOf(calls[0]!)).toMatchObject({ reference: `${reference}-link`, returnUrl: card.returnUrl })
      expect(JSON.stringify(calls)).not.toContain("4111111111111111")
      const byNumber = at(() => replyOf(201, link()), { rawCards: true })
      yield* byNumber.provider.initiate(newOrder())
      expect(byNumber.calls[0]!.path).toBe("/paymentLinks")
    })
  )

  const states: ReadonlyArray<readonly [object, object]> = [
    [
      { status: "active" },
      {
        state: "pending",
        waitsFor: { nextAction: "redirect", actionData: { redirect_url: "https://test.adyen.link/PL0000000000001" } }
      }
    ],
    [{ status: "paymentPending" }, { state: "processing" }],
    // Names no payment: its callback completes it.
    [{ status: "completed" }, { state: "processing" }],
    [{ status: "paid" }, { state: "processing" }],
    [{ status: "expired" }, { state: "failed", code: "NOT_APPROVED", providerCode: "expired" }],
    [{ status: "new" }, { state: "processing", providerStatus: "new" }]
  ]
  for (const [about, expected] of states) {
    it.effect(`${JSON.stringify(about)} when it is asked about`, () =>
      Effect.gen(function* () {
        const { calls, provider } = at(() => replyOf(200, link(about)))
        const context = attemptOf(card, { providerPaymentId: "PL0000000000001" })
        const said = yield* provider.enquire(context)
        // Its callback may have brought the payment's own number meanwhile, which alone leads to a refund.
        expect(said).toMatchObject({ _tag: "Report", providerPaymentId: null, ...expected })
        expect(calls[0]).toMatchObject({ method: "GET", path: "/paymentLinks/PL0000000000001" })
        expect(yield* provider.resume!(context, { redirectResult: "x" })).toEqual(said)
      })
    )
  }

  it.effect("that is not there is absent, and an error says nothing", () =>
    Effect.gen(function* () {
      const context = attemptOf(card, { providerPaymentId: "PL0000000000001" })
      expect(yield* at(() => failure(404, "1")).provider.enquire(context)).toBeInstanceOf(Absent)
      for (const status of [401, 422, 429, 500]) {
        expect(yield* at(() => failure(status, "1")).provider.enquire(context)).toBeInstanceOf(Unknown)
      }
    })
  )

  it.effect("without an address is no link", () =>
    Effect.gen(function* () {
      expect(yield* at(() => replyOf(201, link({ url: null }))).provider.initiate(card)).toBeInstanceOf(Unknown)
    })
  )

  sending("by a link", card, false)
})

describe("a payer who comes back", () => {
  const context = attemptOf(card, { providerPaymentId: "PSP0000000000001" })
  const back = { redirectResult: "X6XtfGC3!Y" }

  it.effect("brings a result, which is asked for under one key however often", () =>
    Effect.gen(function* () {
      const { calls, provider } = at(() => result("Authorised", { amount: { currency: "EUR", value: 12300 } }))
      const said = yield* provider.resume!(context, back)
      expect(said).toMatchObject({
        _tag: "Report",
        state: "completed",
        movements: [{ amount: inMinor("EUR", 12_300n) }]
      })
      yield* provider.resume!(context, back)
      expect(bodyOf(calls[0]!)).toEqual({ details: back })
      expect(calls[0]).toMatchObject({ path: "/payments/details" })
      expect(calls[0]!.headers?.["idempotency-key"]).toMatch(/^[0-9a-f]{64}$/)
      expect(calls[1]!.headers).toEqual(calls[0]!.headers)
    })
  )

  it.effect("was refused", () =>
    Effect.gen(function* () {
      const { provider } = at(() =>
        result("Refused", { refusalReason: "3D Not Authenticated", refusalReasonCode: "11" })
      )
      expect(yield* provider.resume!(context, back)).toMatchObject({
        state: "failed",
        code: "AUTHENTICATION_FAILED",
        providerCode: "11",
        reason: "3D Not Authenticated"
      })
    })
  )

  const nothing: ReadonlyArray<readonly [string, Answer]> = [
    ["the result of another payment", () => result("Authorised", { merchantReference: referenceNo(9) })],
    ["a result that names no payment", () => result("Authorised", { merchantReference: null, pspReference: "other" })],
    ["a result that is not taken any more", () => failure(422, "14_0408")],
    ["what cannot be read", () => replyOf(200, "<html>")]
  ]
  for (const [name, answer] of nothing) {
    it.effect(`brings ${name}, which says nothing about this one`, () =>
      Effect.gen(function* () {
        expect(yield* at(answer).provider.resume!(context, back)).toBeInstanceOf(Unknown)
      })
    )
  }

  it.effect("is known by Adyen's own number where the reference is left out", () =>
    Effect.gen(function* () {
      const { provider } = at(() => result("Authorised", { merchantReference: null }))
      expect(yield* provider.resume!(context, back)).toMatchObject({ state: "completed" })
    })
  )

  it.effect("without a result is not polled: Adyen reports by its callbacks alone", () =>
    Effect.gen(function* () {
      const { calls, provider } = at(() => result("Authorised"))
      expect(yield* provider.resume!(context, {})).toBeInstanceOf(Unknown)
      expect(yield* provider.enquire(context)).toBeInstanceOf(Unknown)
      expect(yield* provider.enquire(attemptOf(card))).toBeInstanceOf(Unknown)
      expect(calls).toEqual([])
    })
  )
})

describe("a cancellation", () => {
  const paid = attemptOf(card, { providerPaymentId: "PSP0000000000001" })
  const received = replyOf(201, { pspReference: "MOD1", paymentPspReference: "PSP1", status: "received" })
  const cases: ReadonlyArray<readonly [string, Answer, string]> = [
    ["is taken note of, and nothing more", () => received, "asked"],
    ["comes for what there is not", () => failure(422, "167"), "refused"],
    ["has no verdict", () => replyOf(500, {}), "unknown"],
    ["is not read", () => replyOf(201, "<html>"), "unknown"],
    ["breaks off", () => new MaybeSent({ reason: "reset" }), "unknown"],
    ["is refused for the key", () => failure(401, "000"), "unknown"],
    ["is asked for too often", () => failure(429, "000"), "unknown"]
  ]
  for (const [name, answer, expected] of cases) {
    it.effect(name, () =>
      Effect.gen(function* () {
        expect(yield* at(answer).provider.cancel!(paid)).toBe(expected)
      })
    )
  }

  it.effect("of what has no number yet goes by its reference; of a payout there is none", () =>
    Effect.gen(function* () {
      const { calls, provider } = at(() => received)
      expect(yield* provider.cancel!(attemptOf(card))).toBe("asked")
      expect(yield* provider.cancel!(attemptOf(payout(), { providerPaymentId: "TR1" }))).toBe("refused")
      expect(calls.map(({ path }) => path)).toEqual(["/cancels"])
      expect(bodyOf(calls[0]!)).toEqual({ merchantAccount: "OurECOM", paymentReference: reference })
    })
  )

  const closed = (status: string) => replyOf(200, { id: "PL1", status, url: "https://pay" })

  const closings: ReadonlyArray<readonly [string, Said, string]> = [
    ["is closed, for good", closed("expired"), "canceled"],
    ["was paid meanwhile", closed("completed"), "refused"],
    ["is being paid meanwhile", closed("paymentPending"), "refused"],
    ["is not to be closed", failure(422, "29_001"), "refused"],
    ["has no verdict", replyOf(500, {}), "unknown"],
    ["is not read", replyOf(200, "<html>"), "unknown"],
    ["breaks off", new MaybeSent({ reason: "reset" }), "unknown"],
    ["is refused for the key", failure(401, "000"), "unknown"]
  ]
  for (const [name, answer, expected] of closings) {
    it.effect(`of an open link, which ${name}`, () =>
      Effect.gen(function* () {
        const { calls, provider } = at(({ method }) => (method === "GET" ? closed("active") : answer))
        expect(yield* provider.cancel!(attemptOf(card, { providerPaymentId: "PL1" }))).toBe(expected)
        expect(calls.map(({ method, path }) => `${method} ${path}`)).toEqual([
          "GET /paymentLinks/PL1",
          "PATCH /paymentLinks/PL1"
        ])
        expect(bodyOf(calls[1]!)).toEqual({ status: "expired" })
      })
    )
  }

  const links: ReadonlyArray<readonly [string, string]> = [
    ["paymentPending", "asked"],
    ["completed", "refused"],
    ["expired", "canceled"]
  ]
  for (const [status, expected] of links) {
    it.effect(`of a link that is ${status} is ${expected}`, () =>
      Effect.gen(function* () {
        const { calls, provider } = at(({ method }) =>
          method === "GET" ? replyOf(200, { id: "PL1", status, url: "https://pay" }) : received
        )
        expect(yield* provider.cancel!(attemptOf(card, { providerPaymentId: "PL1" }))).toBe(expected)
        const sent = calls.filter(({ method }) => method === "POST").map(bodyOf)
        expect(sent).toEqual(
          expected === "asked" ? [{ merchantAccount: "OurECOM", paymentReference: `${reference}-link` }] : []
        )
      })
    )
  }
})

describe("a refund", () => {
  const paid = attemptOf(card, { providerPaymentId: "PSP0000000000001" })

  it.effect("is accepted, and its end comes by a callback", () =>
    Effect.gen(function* () {
      const { calls, provider } = at(() => replyOf(201, { pspReference: "REF0000000000001", status: "received" }))
      const order = refundOf(paid)
      expect(yield* provider.refund!(order)).toMatchObject({
        _tag: "Accepted",
        state: "processing",
        providerPaymentId: "REF0000000000001"
      })
      expect(calls[0]).toMatchObject({
        path: "/payments/PSP0000000000001/refunds",
        headers: { "idempotency-key": order.reference }
      })
      expect(bodyOf(calls[0]!)).toEqual({
        amount: { currency: "EUR", value: 12300 },
        merchantAccount: "OurECOM",
        reference: `${order.reference}-refund`
      })
      const about = refundAttemptOf(order, { providerPaymentId: "REF0000000000001" })
      expect(yield* provider.enquire(about)).toBeInstanceOf(Unknown)
      expect(calls).toHaveLength(1)
    })
  )

  it.effect("of a payment whose number begins like the id of a link is sent as well", () =>
    Effect.gen(function* () {
      const { calls, provider } = at(() => replyOf(201, { pspReference: "REF0000000000001", status: "received" }))
      const named = attemptOf(card, { providerPaymentId: "PLQ9XK8HXSKGK822" })
      expect(yield* provider.refund!(refundOf(named))).toMatchObject({ _tag: "Accepted" })
      expect(yield* provider.enquire(named)).toBeInstanceOf(Unknown)
      expect(calls.map(({ path }) => path)).toEqual(["/payments/PLQ9XK8HXSKGK822/refunds"])
    })
  )

  it.effect("of what Adyen has no number for yet is not sent", () =>
    Effect.gen(function* () {
      const { calls, provider } = at(() => replyOf(201, {}))
      for (const providerPaymentId of [null, "PL0000000000001"]) {
        expect(yield* provider.refund!(refundOf(attemptOf(card, { providerPaymentId })))).toBeInstanceOf(Declined)
      }
      expect(calls).toEqual([])
    })
  )

  it.effect("is refused or not known as anything else is", () =>
    Effect.gen(function* () {
      for (const [, answer] of unknowns)
        expect(yield* at(answer).provider.refund!(refundOf(paid))).toBeInstanceOf(Unknown)
      for (const [, answer, expected] of definite) {
        expect(yield* at(answer).provider.refund!(refundOf(paid))).toMatchObject(expected)
      }
    })
  )
})

describe("a payout", () => {
  const transfer = (status: string, about: object = {}) => ({
    id: "TR00000000000001",
    status,
    reason: "approved",
    reference,
    amount: { currency: "EUR", value: 12300 },
    ...about
  })

  it.effect("goes to the address of transfers, once for a reference", () =>
    Effect.gen(function* () {
      const { calls, provider } = at(() => replyOf(202, transfer("received", { reason: "pending" })))
      expect(yield* provider.initiate(payout({ description: "Rent – März" }))).toMatchObject({
        _tag: "Accepted",
        state: "processing",
        providerPaymentId: "TR00000000000001"
      })
      expect(calls[0]).toMatchObject({
        origin: "https://balanceplatform-api-test.adyen.com",
        path: "/btl/v4/transfers",
        headers: { "x-api-key": "AQE-key", "idempotency-key": reference }
      })
      expect(bodyOf(calls[0]!)).toEqual({
        amount: { currency: "EUR", value: 12300 },
        balanceAccountId: "BA1",
        category: "bank",
        counterparty: {
          bankAccount: {
            accountHolder: { fullName: "A. Klaassen" },
            accountIdentification: { type: "iban", iban: "NL91ABNA0417164300" }
          }
        },
        priority: "regular",
        reference,
        description: "Rent   M rz"
      })
    })
  )

  it.effect("has a key and an address of its own where they are set", () =>
    Effect.gen(function* () {
      const credentials = { ...whole, transfers_api_key: "AQE-bp", transfers_base_url: "http://127.0.0.1:9/btl/v4/" }
      const { calls, provider } = at(() => replyOf(202, transfer("received")), { credentials })
      yield* provider.initiate(payout())
      expect(calls[0]).toMatchObject({
        origin: "http://127.0.0.1:9",
        path: "/btl/v4/transfers",
        headers: { "x-api-key": "AQE-bp" }
      })
    })
  )

  for (const { bank, country, currency, named } of accounts) {
    it.effect(`names an account in ${country} in its own way`, () =>
      Effect.gen(function* () {
        const { calls, provider } = at(() => replyOf(202, transfer("received")))
        yield* provider.initiate(payout({ bank, country, money: inMinor(currency, 12_300n) }))
        expect(bodyOf(calls[0]!)).toMatchObject({ counterparty: { bankAccount: { accountIdentification: named } } })
      })
    )
  }

  const wrong: ReadonlyArray<readonly [string, Partial<PaymentOrder>, string]> = [
    ["without an account", { bank: null }, "INVALID_ORDER"],
    ["without a name", { recipient: null }, "INVALID_ORDER"],
    [
      "to a country where only an IBAN will do",
      { bank: { ...iban, accountNumber: "123", country: "DE" } },
      "ACCOUNT_INVALID"
    ],
    [
      "without the code of the bank",
      { bank: { ...iban, accountNumber: "12345678", country: "GB" } },
      "ACCOUNT_INVALID"
    ],
    [
      "to a number that is too short",
      { bank: { ...iban, accountNumber: "123", bankCode: "123456", country: "GB" } },
      "ACCOUNT_INVALID"
    ],
    ["of an amount that cannot be written", { money: inMinor("IDR", 1n) }, "NOT_SUPPORTED"],
    ["by another way", { method: "mobile_money" }, "NOT_SUPPORTED"]
  ]
  for (const [name, about, code] of wrong) {
    it.effect(`${name} is not sent`, () =>
      Effect.gen(function* () {
        const { calls, provider } = at(() => replyOf(202, transfer("received")))
        expect(yield* provider.initiate(payout(about))).toMatchObject({ _tag: "Declined", code })
        expect(calls).toEqual([])
      })
    )
  }

  const states: ReadonlyArray<readonly [string, string, object, object]> = [
    ["received", "pending", { _tag: "Accepted", state: "processing" }, { state: "processing" }],
    ["authorised", "approved", { _tag: "Accepted", state: "processing" }, { state: "processing" }],
    ["bookingPending", "approved", { _tag: "Accepted", state: "processing" }, { state: "processing" }],
    [
      "booked",
      "approved",
      { _tag: "Accepted", state: "completed", movements: [{ amount: inMinor("EUR", 12_300n) }] },
      { state: "completed" }
    ],
    ["credited", "approved", { _tag: "Accepted", state: "completed" }, { state: "completed" }],
    [
      "refused",
      "notEnoughBalance",
      { _tag: "Declined", code: "PROVIDER_BALANCE_LOW", providerCode: "notEnoughBalance" },
      { state: "failed", code: "PROVIDER_BALANCE_LOW" }
    ],
    [
      "failed",
      "counterpartyAccountClosed",
      { _tag: "Declined", code: "ACCOUNT_INVALID", instrument: true },
      // Refused after it was booked as well: a payment that was completed by then has its money back.
      { state: "returned", code: "ACCOUNT_INVALID" }
    ],
    ["failed", "counterpartyBankTimedOut", { _tag: "Declined", code: "PROVIDER_UNAVAILABLE" }, { state: "returned" }],
    ["rejected", "declined", { _tag: "Declined", providerCode: "declined" }, { state: "failed" }],
    ["cancelled", "cancelled", { _tag: "Declined" }, { state: "failed" }],
    ["expired", "approvalExpired", { _tag: "Declined" }, { state: "failed" }],
    ["error", "error", { _tag: "Declined" }, { state: "failed" }],
    ["returned", "counterpartyAccountClosed", { _tag: "Declined" }, { state: "returned", code: "ACCOUNT_INVALID" }],
    ["reversed", "unknown", { _tag: "Declined" }, { state: "returned" }],
    [
      "somethingNew",
      "unknown",
      { _tag: "Accepted", state: "processing" },
      { state: "processing", providerStatus: "somethingNew" }
    ]
  ]
  for (const [status, reason, outcome, report] of states) {
    it.effect(`${status}, ${reason}`, () =>
      Effect.gen(function* () {
        const { calls, provider } = at(() => replyOf(200, transfer(status, { reason })))
        expect(yield* provider.initiate(payout())).toMatchObject(outcome)
        const said = yield* provider.enquire(attemptOf(payout(), { providerPaymentId: "TR00000000000001" }))
        expect(said).toMatchObject({ _tag: "Report", providerPaymentId: "TR00000000000001", ...report })
        expect(calls[1]!.path).toBe("/btl/v4/transfers/TR00000000000001")
      })
    )
  }

  it.effect("whose answer was lost is looked for by its reference around its time", () =>
    Effect.gen(function* () {
      const data = [transfer("booked", { id: "TR9", reference: "other" }), transfer("booked")]
      const { calls, provider } = at(() => replyOf(200, { data }))
      expect(yield* provider.enquire(attemptOf(payout()))).toMatchObject({
        state: "completed",
        providerPaymentId: "TR00000000000001"
      })
      const query = new URLSearchParams(calls[0]!.path.split("?")[1])
      expect(Object.fromEntries(query)).toEqual({
        balanceAccountId: "BA1",
        balancePlatform: "OurPlatform",
        reference,
        createdSince: "2030-05-05T07:08:09.000Z",
        createdUntil: "2030-05-08T07:08:09.000Z"
      })
      expect(yield* at(() => replyOf(200, { data: [] })).provider.enquire(attemptOf(payout()))).toBeInstanceOf(Absent)
      const odd = at(() => replyOf(200, { data: [{ id: 5 }] }))
      expect(yield* odd.provider.enquire(attemptOf(payout()))).toBeInstanceOf(Unknown)
      expect(yield* at(() => replyOf(500, {})).provider.enquire(attemptOf(payout()))).toBeInstanceOf(Unknown)
      const named = attemptOf(payout(), { providerPaymentId: "TR1" })
      expect(yield* at(() => replyOf(404, {})).provider.enquire(named)).toBeInstanceOf(Absent)
    })
  )

  it.effect("is not made without a balance account, and the reason says so", () =>
    Effect.gen(function* () {
      const { calls, provider } = at(() => replyOf(202, {}), { credentials: checkoutOnly })
      expect(yield* provider.initiate(payout())).toMatchObject({ _tag: "Declined", code: "NOT_SUPPORTED" })
      expect(yield* provider.enquire(attemptOf(payout()))).toBeInstanceOf(Unknown)
      expect(calls).toEqual([])
      const asked = {
        method: "bank_transfer",
        flow: "outbound",
        country: CountryCode.make("NL"),
        currency: inMinor("EUR", 1n).currency,
        network: null
      } as const
      expect(Either.flip(provider.supports(asked))).toEqual(
        Either.right(expect.stringContaining("ADYEN_BALANCE_ACCOUNT"))
      )
      expect(Either.isRight(at(() => replyOf(202, {})).provider.supports(asked))).toBe(true)
      expect(
        Either.isLeft(at(() => replyOf(202, {})).provider.supports({ ...asked, country: CountryCode.make("KE") }))
      ).toBe(true)
    })
  )

  sending("a payout", payout(), false)
})

describe("the account", () => {
  it.effect("is good where the key is taken", () =>
    Effect.gen(function* () {
      expect(Either.isRight(yield* at(() => failure(404, "1")).provider.test!)).toBe(true)
      for (const status of [401, 403, 500]) {
        expect(Either.isLeft(yield* at(() => failure(status, "1")).provider.test!)).toBe(true)
      }
      expect(yield* at(() => new NeverSent({ reason: "no way" })).provider.test!).toEqual(Either.left("no way"))
    })
  )

  it("promises only what it keeps", () => {
    const { provider } = at(() => replyOf(200, {}))
    expect(provider.provesAbsence).toBe(false)
    expect(provider.honoursReference).toEqual(Duration.days(6))
  })
})
