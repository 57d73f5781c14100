/** Ids of Flutterwave's movements: transactions, refunds, chargebacks and transfers. Its callbacks only make us ask. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { ProviderReply } from "../../../src/providers/client/ProviderHttp.ts"
import { amount, attemptOf, refundAttemptOf, refundOf } from "../support/TestOrders.ts"
import { replyOf, scripted } from "../support/ScriptedReplies.ts"
import { atFlutterwave, orderFor } from "./FlutterwaveTestOrders.ts"

const payin = orderFor("mobile_money", "inbound", "KE", { money: amount("100", "KES") })
const payout = orderFor("bank_transfer", "outbound", "NG", { money: amount("5500", "NGN") })

const success = (data: unknown): ProviderReply => replyOf(200, { status: "success", message: "fetched", data })

// The ids of Flutterwave's published examples.
const transaction = (about: object = {}) => ({
  id: 288200108,
  tx_ref: payin.reference,
  flw_ref: "YemiDesola/FLW275407301",
  amount: 100,
  currency: "KES",
  status: "successful",
  created_at: "2020-07-15T14:31:16.000Z",
  ...about
})
const second = transaction({ id: 989226, flw_ref: "N/A" })
const refund = { id: 75923, tx_id: 288200108, amount_refunded: 40, status: "completed", comments: "by hand" }
const chargeback = { id: 1021, flw_ref: "YemiDesola/FLW275407301", amount: 60, status: "lost" }

const moved = (kind: string, id: string, value: string, state = "settled") => ({
  kind,
  id,
  amount: amount(value, "KES"),
  state
})
const collection = moved("collection", "288200108", "100")
const another = moved("collection", "989226", "100")

const at = (lists: { readonly refunds?: ReadonlyArray<object>; readonly chargebacks?: ReadonlyArray<object> } = {}) => {
  const { calls, http } = scripted(({ path }) => {
    if (path.startsWith("/v3/transactions?")) return success([transaction(), second, transaction({ tx_ref: "other" })])
    if (path.startsWith("/v3/transactions/989226/")) return success(second)
    if (path.startsWith("/v3/transactions/")) return success(transaction())
    if (path.startsWith("/v3/refunds?")) return success(lists.refunds ?? [])
    if (path.startsWith("/v3/chargebacks?")) return success(lists.chargebacks ?? [])
    return replyOf(404, { status: "error", message: "not found" })
  })
  return { calls, provider: atFlutterwave(http) }
}

const paid = attemptOf(payin, { providerPaymentId: "288200108" })

describe("a collection at Flutterwave", () => {
  it.effect("has the id of its transaction in answer and enquiry, without a further call", () =>
    Effect.gen(function* () {
      const { calls, provider } = at()
      expect(yield* provider.enquire(paid)).toMatchObject({ state: "completed", movements: [collection] })
      expect(yield* provider.enquire(attemptOf(payin))).toMatchObject({ movements: [collection] })
      expect(calls).toHaveLength(2)
      const charged = atFlutterwave(scripted(() => success(transaction())).http)
      expect(yield* charged.initiate(payin)).toMatchObject({ state: "completed", movements: [collection] })
    })
  )

  it.effect("is one of several of its reference that a hint names while the payment is awaited", () =>
    Effect.gen(function* () {
      const { calls, provider } = at()
      const said = yield* provider.enquire(attemptOf(payin, { hintedIds: ["989226", "288200108"] }))
      expect(said).toMatchObject({ movements: [collection, another] })
      expect(calls).toHaveLength(2)
    })
  )

  it.effect("is one of all of its reference once the payment is over, with what was taken of them", () =>
    Effect.gen(function* () {
      const { provider } = at({ refunds: [refund, { ...refund, tx_id: 7 }], chargebacks: [chargeback] })
      const said = yield* provider.enquire({ ...paid, isWanted: false })
      expect(said).toMatchObject({
        state: "completed",
        movements: [collection, another, moved("refund", "75923", "40"), moved("reversal", "1021", "60")]
      })
      const open = at({ chargebacks: [{ ...chargeback, status: "initiated" }] })
      expect(yield* open.provider.enquire({ ...paid, isWanted: false })).toMatchObject({
        movements: [collection, another]
      })
    })
  )

  it.effect("is named with refunds in the words of Flutterwave's lists", () =>
    Effect.gen(function* () {
      // The example of Flutterwave's list of refunds.
      const listed = {
        id: 75923,
        amount_refunded: 40,
        status: "completed",
        comment: "by hand",
        transaction_id: 288200108
      }
      const { provider } = at({ refunds: [listed, { ...listed, id: 75924, transaction_id: 7 }] })
      expect(yield* provider.enquire({ ...paid, isWanted: false })).toMatchObject({
        movements: [collection, another, moved("refund", "75923", "40")]
      })
    })
  )

  it.effect("is none while it is under way", () =>
    Effect.gen(function* () {
      const provider = atFlutterwave(scripted(() => success(transaction({ status: "pending" }))).http)
      expect(yield* provider.enquire(paid)).not.toHaveProperty("movements")
    })
  )
})

describe("a refund and a transfer at Flutterwave", () => {
  const states = [
    ["completed", "settled"],
    ["successful", "settled"],
    ["pending", "pending"],
    ["failed", "failed"]
  ] as const
  it.effect.each(states)("have one id in answer and enquiry: a refund that is %s", ([status, state]) =>
    Effect.gen(function* () {
      const { http } = scripted(() => success({ ...refund, status }))
      const order = refundOf(paid, { money: amount("40", "KES") })
      const asked = yield* atFlutterwave(http).enquire(refundAttemptOf(order, { providerPaymentId: "75923" }))
      expect(asked).toMatchObject({ movements: [moved("refund", "75923", "40", state)] })
      const { http: sends } = scripted(({ method }) =>
        success(method === "POST" ? { ...refund, status } : transaction())
      )
      const answer = yield* atFlutterwave(sends).refund!(order)
      if (status === "failed") expect(answer._tag).toBe("Declined")
      else expect(answer).toMatchObject({ movements: [{ kind: "refund", id: "75923", amount: null, state }] })
    })
  )

  it.effect("have one id in answer and enquiry: a transfer", () =>
    Effect.gen(function* () {
      const transfer = { id: 396432, reference: payout.reference, amount: 5500, currency: "NGN", status: "SUCCESSFUL" }
      const { http } = scripted(() => success(transfer))
      const disbursement = { kind: "disbursement", id: "396432", state: "settled" }
      expect(yield* atFlutterwave(http).initiate(payout)).toMatchObject({ movements: [disbursement] })
      const asked = yield* atFlutterwave(http).enquire(attemptOf(payout, { providerPaymentId: "396432" }))
      expect(asked).toMatchObject({ movements: [{ ...disbursement, amount: amount("5500", "NGN") }] })
      const failed = atFlutterwave(scripted(() => success({ ...transfer, status: "FAILED" })).http)
      const said = yield* failed.enquire(attemptOf(payout, { providerPaymentId: "396432" }))
      expect(said).not.toHaveProperty("movements")
    })
  )
})
