/** Adyen's callbacks: its own library signs them, and what it did not sign is not believed. */
// The validator alone: the whole of the library is two thousand files.
import HmacValidator from "@adyen/api-library/lib/src/utils/hmacValidator.js"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { adyen } from "../../../src/providers/adyen/AdyenAdapter.ts"
import { bodySignature } from "../../../src/providers/adyen/AdyenCallbacks.ts"
import type { CallbackRequest } from "../../../src/providers/port/Callback.ts"
import { connected } from "../support/ConnectedAdapter.ts"
import { inMinor, referenceNo } from "../support/TestOrders.ts"
import { replyOf, scripted } from "../support/ScriptedReplies.ts"
import { reference } from "./AdyenTestOrders.ts"
import { callbackRequest } from "../support/CallbackFixtures.ts"

const secret = "44782DEF547AAA06C910C43932B1EB0C71FC68D9D0C057550C48EC2ACF6BA056"
const transferSecret = "9F1C38E4B6A0D7725E4C1B08A3F6D2E97B405C8812DEAF6630194B7C5D2E8A1F"

const validator = new HmacValidator()

const credentials = {
  api_key: "AQE-key",
  merchant_account: "OurECOM",
  webhook_secret: secret,
  transfer_webhook_secret: transferSecret
}

type Item = Parameters<typeof validator.validateHMAC>[0]

const item = (about: Record<string, unknown> = {}) => ({
  pspReference: "PSP0000000000001",
  merchantAccountCode: "OurECOM",
  merchantReference: reference,
  amount: { value: 12300, currency: "EUR" },
  eventCode: "AUTHORISATION",
  eventDate: "2030-01-01T01:00:00+01:00",
  paymentMethod: "visa",
  reason: "",
  success: "true",
  ...about
})

const signed = (about: Record<string, unknown> = {}, key = secret) => {
  const unsigned = item(about)
  const hmacSignature = validator.calculateHmac(unsigned as unknown as Item, key)
  return { ...unsigned, additionalData: { hmacSignature } }
}

const notification = (...items: ReadonlyArray<unknown>) =>
  callbackRequest(
    JSON.stringify({
      live: "false",
      notificationItems: items.map((NotificationRequestItem) => ({ NotificationRequestItem }))
    })
  )

const readCallback = (about: CallbackRequest, account: Record<string, string> = credentials) =>
  connected(adyen, scripted(() => replyOf(500, {})).http, account).callback(about)

const refusedFor = (about: CallbackRequest, account?: Record<string, string>) =>
  Effect.map(Effect.flip(readCallback(about, account)), ({ message }) => message)

describe("a callback that Adyen's own library signed", () => {
  const paid = { reference, providerPaymentId: "PSP0000000000001" }
  const change = { pspReference: "MOD0000000000001", originalReference: "PSP0000000000001" }
  const refund = { ...change, merchantReference: `${referenceNo(7)}-refund` }
  const ofRefund = { providerPaymentId: "MOD0000000000001" }
  const given = { reference: referenceNo(7), ...ofRefund }

  const statements: ReadonlyArray<readonly [string, Record<string, unknown>, object, object]> = [
    ["AUTHORISATION", {}, paid, { state: "completed", movements: [{ amount: inMinor("EUR", 12_300n) }] }],
    ["AUTHORISATION", { success: "false", reason: "Refused" }, paid, { state: "failed" }],
    ["AUTHORISATION", { merchantReference: `${reference}-link` }, paid, { state: "completed" }],
    [
      "AUTHORISATION",
      { amount: { value: 500000, currency: "ISK" } },
      paid,
      { movements: [{ amount: inMinor("ISK", 5_000n) }] }
    ],
    ["CANCELLATION", change, paid, { state: "returned", calledOff: true }],
    ["TECHNICAL_CANCEL", change, paid, { state: "returned" }],
    ["CAPTURE_FAILED", change, paid, { state: "returned" }],
    // In the words of Adyen's page on failed captures.
    [
      "CAPTURE",
      { ...change, reason: "Transaction Recaptured" },
      paid,
      { state: "completed", movements: [{ kind: "reinstatement", amount: inMinor("EUR", 12_300n) }] }
    ],
    [
      "CAPTURE",
      { ...change, reason: "Transaction Auto-recaptured" },
      paid,
      { state: "completed", movements: [{ kind: "reinstatement", id: "MOD0000000000001" }] }
    ],
    ["CHARGEBACK", change, paid, { state: "returned", movements: [{ amount: inMinor("EUR", 12_300n) }] }],
    [
      "CHARGEBACK",
      { ...change, merchantReference: `${reference}-link`, amount: { value: 300, currency: "EUR" } },
      paid,
      { state: "returned", movements: [{ amount: inMinor("EUR", 300n) }] }
    ],
    ["SECOND_CHARGEBACK", change, paid, { state: "returned", movements: [{ amount: inMinor("EUR", 12_300n) }] }],
    ["CHARGEBACK_REVERSED", change, paid, { state: "completed", movements: [{ amount: inMinor("EUR", 12_300n) }] }],
    ["EXPIRE", {}, paid, { state: "returned" }],
    ["REFUND", refund, given, { state: "completed" }],
    ["REFUND", { ...refund, success: "false" }, given, { state: "failed" }],
    ["REFUND_FAILED", refund, given, { state: "returned" }],
    ["REFUNDED_REVERSED", refund, given, { state: "returned" }],
    ["REFUND", { ...change, merchantReference: null }, { reference: null, ...ofRefund }, { state: "completed" }],
    ["REFUND", change, paid, { state: "returned", movements: [{ amount: inMinor("EUR", 12_300n) }] }],
    ["REFUND", { ...change, merchantReference: `${reference}-link` }, paid, { state: "returned" }]
  ]
  for (const [eventCode, about, attempt, report] of statements) {
    it.effect(`${eventCode} ${JSON.stringify(about)}: a statement`, () =>
      Effect.gen(function* () {
        const { events, reply } = yield* readCallback(notification(signed({ eventCode, ...about })))
        expect(events).toMatchObject([{ _tag: "VerifiedReport", attempt, report }])
        expect(reply).toEqual({ status: 200, contentType: "text/plain", body: "[accepted]" })
      })
    )
  }

  it.effect("of a refund that was made by hand, and did not reach the payer, reports both, once for the refund", () =>
    Effect.gen(function* () {
      const money = inMinor("EUR", 12_300n)
      const taken = { key: "REFUND MOD0000000000001 true", attempt: paid, report: { movements: [{ amount: money }] } }
      for (const eventCode of ["REFUND_FAILED", "REFUNDED_REVERSED"]) {
        const { events } = yield* readCallback(notification(signed({ eventCode, ...change })))
        const regained = {
          key: "refund MOD0000000000001 regained",
          attempt: paid,
          report: { movements: [{ amount: money }] }
        }
        expect(events).toMatchObject([taken, regained])
      }
      expect((yield* readCallback(notification(signed({ eventCode: "REFUND", ...change })))).events).toMatchObject([
        taken
      ])
      const refused = signed({ eventCode: "REFUND", ...change, success: "false" })
      expect((yield* readCallback(notification(refused))).events).toEqual([])
      const odd = signed({ eventCode: "REFUND", ...change, amount: { value: 1, currency: "ZZZ" } })
      expect((yield* readCallback(notification(odd))).events).toMatchObject([{ _tag: "Hint", attempt: paid }])
    })
  )

  const hints: ReadonlyArray<readonly [string, Record<string, unknown>]> = [
    [
      "a refused card at a link, which lets its payer try another",
      { merchantReference: `${reference}-link`, success: "false" }
    ],
    ["an offer that was closed", { eventCode: "OFFER_CLOSED" }],
    ["an amount that cannot be read", { amount: { value: 1, currency: "ZZZ" } }],
    [
      "money taken back that cannot be read",
      { eventCode: "CHARGEBACK", originalReference: "PSP0000000000001", amount: { value: 1, currency: "ZZZ" } }
    ]
  ]
  for (const [name, about] of hints) {
    it.effect(`only hints at ${name}`, () =>
      Effect.gen(function* () {
        const { events } = yield* readCallback(notification(signed(about)))
        expect(events).toMatchObject([{ _tag: "Hint", attempt: paid }])
      })
    )
  }

  it.effect("about nothing of ours says nothing", () =>
    Effect.gen(function* () {
      const others = [
        { eventCode: "CAPTURE", ...change },
        { eventCode: "CAPTURE", ...change, success: "false", reason: "Transaction Recaptured" },
        { eventCode: "NOTIFICATION_OF_CHARGEBACK", ...change },
        { eventCode: "CHARGEBACK", ...change, success: "false" },
        { eventCode: "CANCELLATION", ...change, success: "false" },
        { eventCode: "REPORT_AVAILABLE" },
        { merchantAccountCode: "AnotherECOM" }
      ]
      for (const about of others) expect((yield* readCallback(notification(signed(about)))).events).toEqual([])
    })
  )

  it.effect("names our account as Adyen spells it, however we do", () =>
    Effect.gen(function* () {
      const { events } = yield* readCallback(notification(signed()), { ...credentials, merchant_account: "ourecom" })
      expect(events).toMatchObject([{ _tag: "VerifiedReport", attempt: paid }])
    })
  )

  it.effect("may report several payments, each by a key of its own", () =>
    Effect.gen(function* () {
      const second = { pspReference: "PSP0000000000002", merchantReference: referenceNo(2), success: "false" }
      const { events } = yield* readCallback(notification(signed(), signed(second)))
      expect(events).toMatchObject([
        { key: "AUTHORISATION PSP0000000000001 true", attempt: paid },
        { key: "AUTHORISATION PSP0000000000002 false", attempt: { reference: referenceNo(2) } }
      ])
    })
  )

  it.effect("has no more items than Adyen sends: each costs a digest before anything is proved", () =>
    Effect.gen(function* () {
      const items = (count: number) => notification(...Array.from({ length: count }, () => signed()))
      expect((yield* readCallback(items(100))).events).toHaveLength(100)
      expect(yield* Effect.flip(readCallback(items(101)))).toMatchObject({ message: "It has more than 100 items" })
    })
  )

  it.effect("states nothing that is not signed", () =>
    Effect.gen(function* () {
      const honest = yield* readCallback(notification(signed()))
      const reported = { ...signed(), reason: "Another story", paymentMethod: "mc", eventDate: "1999-01-01T00:00:00Z" }
      expect((yield* readCallback(notification(reported))).events).toEqual(honest.events)
    })
  )
})

describe("a callback that is not believed", () => {
  const fields: ReadonlyArray<Record<string, unknown>> = [
    { pspReference: "PSP0000000000009" },
    { merchantReference: referenceNo(9) },
    { amount: { value: 99900, currency: "EUR" } },
    { amount: { value: 12300, currency: "USD" } },
    { eventCode: "REFUND" },
    { success: "false" },
    { merchantAccountCode: "AnotherECOM" },
    { originalReference: "PSP0000000000009" }
  ]
  for (const changed of fields) {
    it.effect(`has another ${Object.keys(changed)[0]} than was signed: ${JSON.stringify(changed)}`, () =>
      Effect.gen(function* () {
        expect(yield* refusedFor(notification({ ...signed(), ...changed }))).toContain("hmacSignature")
      })
    )
  }

  it.effect("has another signature, or none, or one of two that is wrong", () =>
    Effect.gen(function* () {
      expect(yield* refusedFor(notification(signed({}, transferSecret)))).toContain("hmacSignature")
      expect(yield* refusedFor(notification(signed(), { ...signed(), success: "false" }))).toContain("hmacSignature")
      expect(yield* refusedFor(notification(item()))).toContain("no callback")
      expect(yield* refusedFor(notification())).toContain("hmacSignature")
    })
  )

  it.effect("moves the borders between what was signed: it is acknowledged, and says nothing", () =>
    Effect.gen(function* () {
      const honest = signed({ merchantReference: "a:b" })
      const { additionalData } = honest
      const moved = { ...item({ merchantAccountCode: "OurECOM:a", merchantReference: "b" }), additionalData }
      expect(validator.validateHMAC(moved as unknown as Item, secret)).toBe(true)
      for (const ambiguous of [moved, honest]) {
        expect(yield* readCallback(notification(ambiguous))).toMatchObject({ events: [], reply: { status: 200 } })
        const { events } = yield* readCallback(notification(ambiguous, signed()))
        expect(events, "ours in the same batch").toMatchObject([{ _tag: "VerifiedReport", attempt: { reference } }])
        const forged = { ...ambiguous, success: "false" }
        expect(yield* refusedFor(notification(forged, signed()))).toContain("hmacSignature")
      }
    })
  )

  it.effect("comes to an account without a secret, or with one that is no key", () =>
    Effect.gen(function* () {
      const { webhook_secret: _, ...without } = credentials
      expect(yield* refusedFor(notification(signed()), without)).toContain("ADYEN_WEBHOOK_SECRET is not set")
      // Decodes to a key of no bytes, which everybody has.
      const forged = notification(signed({}, ""))
      const bad = { ...credentials, webhook_secret: "not hexadecimal" }
      expect(yield* refusedFor(forged, bad)).toContain("ADYEN_WEBHOOK_SECRET is not the hexadecimal key")
    })
  )
})

describe("a callback about a transfer", () => {
  const transfer = (about: object = {}) =>
    JSON.stringify({
      type: "balancePlatform.transfer.updated",
      environment: "test",
      data: {
        id: "TR00000000000001",
        reference,
        status: "booked",
        reason: "approved",
        category: "bank",
        amount: { currency: "EUR", value: 12300 },
        ...about
      }
    })

  const signedBody = (body: string, key = transferSecret) =>
    callbackRequest(body, { hmacsignature: bodySignature(body, key) })

  it.effect("is signed as Adyen's own library checks it", () =>
    Effect.gen(function* () {
      const body = transfer()
      expect(validator.validateHMACSignature(transferSecret, bodySignature(body, transferSecret), body)).toBe(true)
      const { events } = yield* readCallback(signedBody(body))
      expect(events).toMatchObject([
        {
          _tag: "VerifiedReport",
          attempt: { reference, providerPaymentId: "TR00000000000001" },
          report: { state: "completed", movements: [{ amount: inMinor("EUR", 12_300n) }] }
        }
      ])
    })
  )

  it.effect("reports its beginning, its failure and its return, and each by another key", () =>
    Effect.gen(function* () {
      const said = yield* Effect.forEach(["received", "failed", "returned", "somethingNew"], (status) =>
        Effect.map(
          readCallback(signedBody(transfer({ status, reason: "counterpartyAccountClosed" }))),
          ({ events }) => events[0]
        )
      )
      expect(said).toMatchObject([
        { report: { state: "processing" } },
        { report: { state: "returned", code: "ACCOUNT_INVALID", providerStatus: "failed" } },
        { report: { state: "returned" } },
        { report: { state: "processing", providerStatus: "somethingNew" } }
      ])
      expect(new Set(said.map((event) => (event?._tag === "VerifiedReport" ? event.key : ""))).size).toBe(4)
    })
  )

  it.effect("hints at an amount that cannot be read, and is silent about what is none of ours", () =>
    Effect.gen(function* () {
      const odd = transfer({ amount: { currency: "ZZZ", value: 1 } })
      expect((yield* readCallback(signedBody(odd))).events).toMatchObject([{ _tag: "Hint", attempt: { reference } }])
      const report = JSON.stringify({ type: "balancePlatform.report.created", data: {} })
      expect((yield* readCallback(signedBody(report))).events).toEqual([])
    })
  )

  it.effect("is not believed once it was changed, is signed by another or comes without a key", () =>
    Effect.gen(function* () {
      const body = transfer()
      const { headers } = signedBody(body)
      const altered = callbackRequest(body.replace("12300", "99900"), headers as Record<string, string>)
      expect(yield* refusedFor(altered)).toContain("HmacSignature")
      expect(yield* refusedFor(signedBody(body, secret))).toContain("HmacSignature")
      expect(yield* refusedFor(callbackRequest(body))).toContain("HmacSignature")
      expect(yield* refusedFor(callbackRequest("not JSON"))).toContain("HmacSignature")
      const { transfer_webhook_secret: _, ...without } = credentials
      expect(yield* refusedFor(signedBody(body), without)).toContain("ADYEN_TRANSFER_WEBHOOK_SECRET is not set")
    })
  )
})
