/** Ids of PayPal's movements: captures, refunds, disputes and payout items, the same in callbacks and enquiries. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { ProviderCall } from "../../../src/providers/client/ProviderHttp.ts"
import { movementsProblem } from "../support/NamedMovements.ts"
import { asCalledBack } from "../support/CallbackFixtures.ts"
import { amount, attemptOf } from "../support/TestOrders.ts"
import { replyOf } from "../support/ScriptedReplies.ts"
import { answering, byCard, toWallet } from "./PaypalTestOrders.ts"

// The ids of PayPal's published examples.
const ORDER = "5O190127TN364715T"
const CAPTURE = "3C679366HH908993F"
const SECOND = "2GG279541U471931P"
const REFUND = "1JU08902781691411"
const DISPUTE = "PP-D-27803"
const ITEM = "8AELMXH8UB2P8"

const order = byCard()
const paid = attemptOf(order, { providerPaymentId: ORDER })
const over = { ...paid, isWanted: false }

const dollars = (value: string) => ({ currency_code: "USD", value })
const up = (captureId = CAPTURE) => [{ rel: "up", href: `https://api.paypal.com/v2/payments/captures/${captureId}` }]

const capture = (about: object = {}) => ({ id: CAPTURE, status: "COMPLETED", amount: dollars("100.00"), ...about })
const refund = (about: object = {}) => ({
  id: REFUND,
  status: "COMPLETED",
  amount: dollars("40.00"),
  custom_id: order.reference,
  seller_payable_breakdown: { total_refunded_amount: dollars("40.00") },
  links: up(),
  ...about
})
const dispute = (outcome_code = "RESOLVED_BUYER_FAVOUR") => ({
  dispute_id: DISPUTE,
  status: "RESOLVED",
  disputed_transactions: [{ seller_transaction_id: CAPTURE, custom: order.reference }],
  dispute_amount: dollars("60.00"),
  dispute_outcome: { outcome_code, amount_refunded: dollars("60.00") }
})

const moved = (kind: string, id: string, value: string) => ({
  kind,
  id,
  amount: amount(value, "USD"),
  state: "settled"
})
const collection = moved("collection", CAPTURE, "100.00")
const refunded = moved("refund", REFUND, "40.00")
const disputed = moved("reversal", DISPUTE, "60.00")

interface There {
  readonly captures?: ReadonlyArray<object>
  readonly refunds?: ReadonlyArray<object>
  readonly disputes?: ReadonlyArray<object>
}

const at = ({ captures = [capture()], disputes = [], refunds = [] }: There) =>
  answering(({ path }: ProviderCall) => {
    if (path.startsWith("/v1/notifications/verify")) return replyOf(200, { verification_status: "SUCCESS" })
    if (path === `/v2/checkout/orders/${ORDER}`) {
      const payments = { captures, refunds }
      const unit = { custom_id: order.reference, amount: dollars("100.00"), payments }
      return replyOf(200, { id: ORDER, status: "COMPLETED", purchase_units: [unit] })
    }
    if (path.startsWith("/v2/payments/captures/")) {
      return replyOf(200, { ...captures[0], supplementary_data: { related_ids: { order_id: ORDER } } })
    }
    if (path.startsWith("/v2/payments/refunds/")) return replyOf(200, refunds[0] ?? {})
    if (path.startsWith("/v1/customer/disputes?")) return replyOf(200, { items: disputes })
    if (path.startsWith("/v1/customer/disputes/")) return replyOf(200, disputes[0] ?? {})
    return replyOf(404, { name: "RESOURCE_NOT_FOUND" })
  })

const headers = {
  "PAYPAL-AUTH-ALGO": "SHA256withRSA",
  "PAYPAL-CERT-URL": "https://api.sandbox.paypal.com/v1/notifications/certs/CERT-1",
  "PAYPAL-TRANSMISSION-ID": "b6c3dd60-8d5c-11e6",
  "PAYPAL-TRANSMISSION-SIG": "c2ln",
  "PAYPAL-TRANSMISSION-TIME": "2025-06-01T10:00:00Z"
}

const readCallback = (there: There, event_type: string, resource: object) => {
  const body = JSON.stringify({ id: "WH-1", event_type, resource })
  return Effect.map(at(there).provider.callback(asCalledBack({ headers, body })), ({ events }) => events)
}

describe("an enquiry about a payin at PayPal", () => {
  it.effect("names its capture, without a further call", () =>
    Effect.gen(function* () {
      const { asked, provider } = at({})
      expect(yield* provider.enquire(paid)).toMatchObject({ state: "completed", movements: [collection] })
      expect(asked()).toHaveLength(1)
    })
  )

  it.effect("names each capture of one order, and all that came", () =>
    Effect.gen(function* () {
      const captures = [capture(), capture({ id: SECOND, amount: dollars("25.00") })]
      const { asked, provider } = at({ captures })
      const said = yield* provider.enquire(paid)
      expect(said).toMatchObject({
        state: "completed",
        movements: [collection, moved("collection", SECOND, "25.00")]
      })
      expect(asked()).toHaveLength(1)
      const pending = [capture({ status: "DECLINED" }), capture({ id: SECOND, status: "PENDING" })]
      const underWay = yield* at({ captures: pending }).provider.enquire(paid)
      expect(underWay).toMatchObject({ state: "processing" })
      expect(underWay).not.toHaveProperty("movements")
    })
  )

  it.effect("names the refunds that the order lists", () =>
    Effect.gen(function* () {
      const part = capture({ status: "PARTIALLY_REFUNDED" })
      const { asked, provider } = at({ captures: [part], refunds: [refund()] })
      expect(yield* provider.enquire(paid)).toMatchObject({ state: "completed", movements: [collection, refunded] })
      expect(asked()).toHaveLength(1)
      const whole = { captures: [capture({ status: "REFUNDED" })], refunds: [refund({ amount: dollars("100.00") })] }
      const said = yield* at(whole).provider.enquire(paid)
      expect(said).toMatchObject({ state: "returned", movements: [collection, moved("refund", REFUND, "100.00")] })
    })
  )

  it.effect("names disputes where refunds do not explain what went back, or the payment is over", () =>
    Effect.gen(function* () {
      const gone = { captures: [capture({ status: "REFUNDED" })], refunds: [refund()], disputes: [dispute()] }
      const movements = [collection, refunded, disputed]
      expect(yield* at(gone).provider.enquire(paid)).toMatchObject({ state: "returned", movements })
      expect(yield* at({ disputes: [dispute()] }).provider.enquire(over)).toMatchObject({
        state: "completed",
        movements: [collection, disputed]
      })
      const won = yield* at({ disputes: [dispute("RESOLVED_SELLER_FAVOUR")] }).provider.enquire(over)
      expect(won).toMatchObject({ movements: [collection] })
    })
  )

  it.effect("derives a name where all of it went back, and neither a refund nor a dispute is shown", () =>
    Effect.gen(function* () {
      const said = yield* at({ captures: [capture({ status: "REFUNDED" })] }).provider.enquire(paid)
      expect(said).toMatchObject({ movements: [collection, moved("refund", `${CAPTURE}:refunded`, "100.00")] })
    })
  )
})

describe("a callback of PayPal", () => {
  it.effect("names a refund by hand as the enquiry does", () =>
    Effect.gen(function* () {
      const there = { captures: [capture({ status: "PARTIALLY_REFUNDED" })], refunds: [refund()] }
      const [event] = yield* readCallback(there, "PAYMENT.CAPTURE.REFUNDED", refund())
      expect(event).toMatchObject({ _tag: "VerifiedReport", report: { movements: [refunded] } })
      if (event?._tag === "VerifiedReport") expect(movementsProblem(event.report)).toBeUndefined()
      expect(yield* at(there).provider.enquire(paid)).toMatchObject({ movements: [collection, refunded] })
    })
  )

  it.effect("names a dispute as the enquiry does, beside a refund of before", () =>
    Effect.gen(function* () {
      const there = { captures: [capture()], refunds: [refund()], disputes: [dispute()] }
      const [event] = yield* readCallback(there, "CUSTOMER.DISPUTE.RESOLVED", dispute())
      expect(event).toMatchObject({ _tag: "VerifiedReport", report: { movements: [disputed] } })
      expect(yield* at(there).provider.enquire(over)).toMatchObject({ movements: [collection, refunded, disputed] })
    })
  )

  it.effect("leaves a dispute whose reversal the order lists as a refund to that refund", () =>
    Effect.gen(function* () {
      const all = dollars("100.00")
      const lost = {
        ...dispute(),
        dispute_amount: all,
        dispute_outcome: { outcome_code: "RESOLVED_BUYER_FAVOUR", amount_refunded: all }
      }
      const reversed = refund({ amount: all })
      const there = { captures: [capture({ status: "REFUNDED" })], refunds: [reversed], disputes: [lost] }
      const attempt = { providerPaymentId: ORDER }
      for (const [type, resource] of [
        ["PAYMENT.CAPTURE.REVERSED", { ...reversed, custom_id: undefined }],
        ["CUSTOMER.DISPUTE.RESOLVED", lost]
      ] as const) {
        expect(yield* readCallback(there, type, resource)).toMatchObject([{ _tag: "Hint", attempt }])
      }
      const movements = [collection, moved("refund", REFUND, "100.00")]
      for (const asked of [paid, over]) expect(yield* at(there).provider.enquire(asked)).toMatchObject({ movements })
      const unlisted = { captures: [capture({ status: "REFUNDED" })], disputes: [lost] }
      expect(yield* readCallback(unlisted, "CUSTOMER.DISPUTE.RESOLVED", lost)).toMatchObject([
        { report: { movements: [moved("reversal", DISPUTE, "100.00")] } }
      ])
    })
  )

  it.effect("leaves a dispute that the account gave in to to the refund that PayPal made for it", () =>
    Effect.gen(function* () {
      const there = { refunds: [refund()], disputes: [dispute("ACCEPTED")] }
      const attempt = { providerPaymentId: ORDER }
      expect(yield* readCallback(there, "CUSTOMER.DISPUTE.RESOLVED", dispute("ACCEPTED"))).toMatchObject([
        { _tag: "Hint", attempt }
      ])
      expect(yield* at(there).provider.enquire(over)).toMatchObject({ movements: [collection, refunded] })
      const alone = { disputes: [dispute("ACCEPTED")] }
      expect(yield* readCallback(alone, "CUSTOMER.DISPUTE.RESOLVED", dispute("ACCEPTED"))).toMatchObject([
        { report: { movements: [disputed] } }
      ])
    })
  )
})

describe("a payout at PayPal", () => {
  const sent = toWallet({ money: amount("9.87", "USD") })
  const batch = (transaction_status: string) => ({
    batch_header: { payout_batch_id: "FYXMPQTX4JC9N", batch_status: "SUCCESS" },
    items: [
      {
        payout_item_id: ITEM,
        transaction_status,
        payout_item: { sender_item_id: sent.reference, amount: { currency: "USD", value: "9.87" } }
      }
    ]
  })
  const paidOut = moved("disbursement", ITEM, "9.87")
  const back = moved("reinstatement", `${ITEM}:returned`, "9.87")
  const ends: ReadonlyArray<readonly [string, ReadonlyArray<object> | undefined]> = [
    ["SUCCESS", [paidOut]],
    ["RETURNED", [paidOut, back]],
    ["REVERSED", [paidOut, back]],
    ["UNCLAIMED", undefined],
    ["FAILED", undefined]
  ]
  it.effect.each(ends)("goes by the id of its item: %s", ([status, movements]) =>
    Effect.gen(function* () {
      const { provider } = answering(() => replyOf(200, batch(status)))
      const said = yield* provider.enquire(attemptOf(sent, { providerPaymentId: "FYXMPQTX4JC9N" }))
      if (movements === undefined) expect(said).not.toHaveProperty("movements")
      else expect(said).toMatchObject({ movements })
    })
  )
})
