/** Ids of Paystack's movements: transactions, transfers, refunds and disputes, the same in answers, callbacks and enquiries. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Report } from "../../../src/domain/Outcome.ts"
import { signatureOf } from "../../../src/providers/paystack/PaystackCallbacks.ts"
import type { CallbackEvent } from "../../../src/providers/port/Callback.ts"
import { asCalledBack } from "../support/CallbackFixtures.ts"
import { movementsProblem, notIn } from "../support/NamedMovements.ts"
import { amount, attemptOf, refundAttemptOf, refundOf } from "../support/TestOrders.ts"
import { replyOf, saying, type Scripted } from "../support/ScriptedReplies.ts"
import { atFake, byCard, byMpesa, connectedTo, toBank } from "./PaystackTestOrders.ts"

const KEY = "sk_test_0123456789"

const ok = (data: unknown) => replyOf(200, { status: true, message: "fine", data })

const readCallback = (third: Scripted, event: string, data: unknown) => {
  const body = JSON.stringify({ event, data })
  const request = asCalledBack({ headers: { "X-Paystack-Signature": signatureOf(KEY, body) }, body })
  return Effect.map(connectedTo(third, KEY).callback(request), ({ events }) => events)
}

const reportsIn = (events: ReadonlyArray<CallbackEvent>): ReadonlyArray<Report> =>
  events.flatMap((event) => (event._tag === "VerifiedReport" ? [event.report] : []))

// Ids and amounts of Paystack's published examples.
const payin = byCard({ money: amount("403.33", "NGN") })
const transaction = (about: object = {}) => ({
  id: 4099260516,
  status: "success",
  reference: payin.reference,
  amount: 40333,
  currency: "NGN",
  ...about
})
const collection = { kind: "collection", id: "4099260516", amount: amount("403.33", "NGN"), state: "settled" }

describe("a collection at Paystack", () => {
  it.effect("has the id of its transaction in callback and enquiry, by one call", () =>
    Effect.gen(function* () {
      expect(reportsIn(yield* readCallback(saying(), "charge.success", transaction()))).toMatchObject([
        { movements: [collection] }
      ])
      expect(yield* connectedTo(saying(ok(transaction()))).enquire(attemptOf(payin))).toMatchObject({
        state: "completed",
        movements: [collection]
      })
    })
  )

  it.effect("is without the fee that its payer bore, which Paystack adds to what was asked for", () =>
    Effect.gen(function* () {
      // Example that Paystack publishes for its look-up.
      const borne = { requested_amount: 30_050, fees: 10_283 }
      const asked = { ...collection, amount: amount("300.50", "NGN") }
      const enquiry = yield* connectedTo(saying(ok(transaction(borne)))).enquire(attemptOf(payin))
      const [report] = reportsIn(yield* readCallback(saying(), "charge.success", transaction(borne)))
      for (const said of [enquiry, report]) {
        expect(said).toMatchObject({ state: "completed", movements: [asked] })
        expect(said).not.toHaveProperty("fee")
      }
      for (const about of [{ requested_amount: 30_050 }, { ...borne, fees: 605 }, { ...borne, requested_amount: null }])
        expect(yield* connectedTo(saying(ok(transaction(about)))).enquire(attemptOf(payin))).toMatchObject({
          movements: [collection]
        })
    })
  )

  it.effect("that is answered without an id is looked up", () =>
    Effect.gen(function* () {
      const order = byMpesa()
      const charged = { status: "success", reference: order.reference, amount: 150_000, currency: "KES" }
      const third = saying(ok(charged), ok({ id: 59214, ...charged }))
      const money = amount("1500.00", "KES")
      expect(yield* connectedTo(third).initiate(order)).toMatchObject({
        state: "completed",
        movements: [{ kind: "collection", id: "59214", amount: money, state: "settled" }]
      })
      const silent = saying(ok(charged), replyOf(500))
      expect(yield* connectedTo(silent).initiate(order)).toMatchObject({ _tag: "Accepted", state: "completed" })
    })
  )

  const refund = { id: 7, status: "processed", amount: 10_000, currency: "NGN" }
  const dispute = { id: 2867, resolution: "merchant-accepted", refund_amount: 30_333, currency: "NGN" }
  const refunded = { kind: "refund", id: "7", amount: amount("100.00", "NGN"), state: "settled" }
  const disputed = { kind: "reversal", id: "2867", amount: amount("303.33", "NGN"), state: "settled" }
  const derived = { ...collection, kind: "reversal", id: "4099260516:reversed" }
  const ends: ReadonlyArray<readonly [string, unknown, unknown, ReadonlyArray<object>]> = [
    [
      "its refunds and disputes",
      ok([refund, { ...refund, id: 8, status: "failed" }]),
      ok([dispute]),
      [refunded, disputed]
    ],
    ["a dispute that comes alone", ok([]), ok(dispute), [disputed]],
    [
      "a dispute, and not again the refund that Paystack made for it",
      ok([
        { ...refund, amount: 30_333, dispute: 2867 },
        { ...refund, id: 8, dispute: null }
      ]),
      ok([dispute]),
      [disputed, { ...refunded, id: "8" }]
    ],
    ["a derived id where there are none", ok([]), ok([{ ...dispute, resolution: "declined" }]), [derived]],
    ["nothing more where the lists cannot be read", replyOf(500), ok([]), []]
  ]
  for (const [name, refunds, disputes, movements] of ends) {
    it.effect(`that was reversed lists ${name}`, () =>
      Effect.gen(function* () {
        const third = saying(ok(transaction({ status: "reversed" })), refunds as never, disputes as never)
        expect(yield* connectedTo(third).enquire(attemptOf(payin))).toMatchObject({
          state: "returned",
          movements: [collection, ...movements]
        })
        expect(third.calls.slice(1).map(({ path }) => path)).toEqual([
          "/refund?transaction=4099260516&perPage=100",
          "/dispute/transaction/4099260516"
        ])
      })
    )
  }
})

describe("a transfer of Paystack", () => {
  const order = toBank("NG", { money: amount("1000.00", "NGN") })
  const transfer = (status: string) => ({
    id: 860703114,
    transfer_code: "TRF_v5tip3zx8nna9o78",
    status,
    reference: order.reference,
    amount: 100_000,
    currency: "NGN"
  })
  const paid = { kind: "disbursement", id: "TRF_v5tip3zx8nna9o78", amount: order.money, state: "settled" }
  const back = { ...paid, kind: "reinstatement", id: "TRF_v5tip3zx8nna9o78:returned" }

  it.effect("has its code in answer, callback and enquiry, and a derived id for what came back", () =>
    Effect.gen(function* () {
      const recipient = ok({ recipient_code: "RCP_gd9vgag7n5lr5ix" })
      expect(yield* connectedTo(saying(recipient, ok(transfer("success")))).initiate(order)).toMatchObject({
        movements: [paid]
      })
      for (const [status, movements] of [
        ["success", [paid]],
        ["reversed", [paid, back]],
        ["failed", undefined]
      ] as const) {
        const [report] = reportsIn(yield* readCallback(saying(), `transfer.${status}`, transfer(status)))
        expect(report?.movements).toEqual(movements)
        const enquiry = yield* connectedTo(saying(ok(transfer(status)))).enquire(attemptOf(order))
        expect("movements" in enquiry ? enquiry.movements : undefined).toEqual(movements)
      }
    })
  )
})

describe("refunds at Paystack", () => {
  const order = refundOf(attemptOf(payin), { money: amount("50.00", "NGN") })
  const refund = (status: string, about: object = {}) => ({
    id: 132013,
    status,
    amount: 5_000,
    currency: "NGN",
    merchant_note: order.reference,
    ...about
  })
  const movement = { kind: "refund", id: "132013", amount: order.money, state: "settled" }

  it.effect("have the refund's id in answer and enquiry", () =>
    Effect.gen(function* () {
      const third = saying(ok(refund("pending")), ok(refund("processed")), ok(refund("failed")))
      const provider = connectedTo(third)
      expect(yield* provider.refund!(order)).toMatchObject({ movements: [{ ...movement, state: "pending" }] })
      const asked = refundAttemptOf(order, { providerPaymentId: "132013" })
      expect(yield* provider.enquire(asked)).toMatchObject({ movements: [movement] })
      expect(yield* provider.enquire(asked)).toMatchObject({ movements: [{ ...movement, state: "failed" }] })
    })
  )

  const event = { status: "processed", transaction_reference: payin.reference, amount: "5000", currency: "NGN" }

  it.effect("made by hand are reported of the payin, each under its id", () =>
    Effect.gen(function* () {
      const all = [
        refund("processed"),
        refund("processed", { id: 8, merchant_note: null }),
        refund("pending", { id: 9, merchant_note: "" })
      ]
      const events = yield* readCallback(saying(ok(transaction()), ok(all)), "refund.processed", event)
      expect(events).toMatchObject([
        { _tag: "Hint", attempt: { reference: order.reference, about: "refund" } },
        {
          _tag: "VerifiedReport",
          attempt: { reference: payin.reference, providerPaymentId: "4099260516", about: "payin" },
          report: { state: "completed", movements: [collection, { ...movement, id: "8" }] }
        }
      ])
      for (const report of reportsIn(events)) expect(movementsProblem(report, ["collection"])).toBeUndefined()
    })
  )

  it.effect("made for a dispute are the money of that dispute", () =>
    Effect.gen(function* () {
      // Example that Paystack publishes for its list of refunds.
      const listed = {
        id: 1,
        integration: 100982,
        domain: "live",
        transaction: 4099260516,
        dispute: 20,
        amount: 500000,
        deducted_amount: 500000,
        currency: "NGN",
        channel: "migs",
        fully_deducted: 1,
        refunded_by: "customer@gmail.com",
        refunded_at: "2018-01-12T10:54:47.000Z",
        expected_at: "2017-10-01T21:10:59.000Z",
        settlement: null,
        customer_note: "xxx",
        merchant_note: "xxx",
        created_at: "2017-09-24T21:10:59.000Z",
        updated_at: "2018-01-18T11:59:56.000Z",
        status: "processed"
      }
      const large = transaction({ amount: 600_000 })
      const [report] = reportsIn(yield* readCallback(saying(ok(large), ok([listed])), "refund.processed", event))
      expect(report?.movements).toEqual([
        { ...collection, amount: amount("6000.00", "NGN") },
        { kind: "reversal", id: "20", amount: amount("5000.00", "NGN"), state: "settled" }
      ])
    })
  )

  it.effect("made by hand of a transaction that is reversed make Paystack be asked about the payin", () =>
    Effect.gen(function* () {
      const byHand = [refund("processed", { amount: 40_333, merchant_note: null })]
      const third = saying(ok(transaction({ status: "reversed" })), ok(byHand), ok([]), ok(byHand))
      expect(yield* readCallback(third, "refund.processed", event)).toMatchObject([
        { _tag: "Hint", attempt: { reference: payin.reference, about: "payin" } }
      ])
    })
  )
})

describe("a dispute at Paystack", () => {
  it.scopedLive("has its id, in callback and enquiry", () =>
    Effect.gen(function* () {
      const { mailbox, provider, settled, world } = yield* atFake
      const order = byCard({ money: amount("100.17", "NGN") })
      yield* provider.initiate(order)
      world.approve(world.books.byReference("payin", order.reference)!)
      yield* settled
      const enquiry = yield* provider.enquire(attemptOf(order))
      if (enquiry._tag !== "Report") return expect.fail(enquiry._tag)
      expect(enquiry.movements?.map(({ kind }) => kind)).toEqual(["collection", "reversal"])
      const events = yield* Effect.forEach(mailbox.callbacks, (request) => provider.callback(request))
      const reports = events.flatMap((one) => reportsIn(one.events))
      // Refunds the payer for it, which the last callback reports.
      expect(mailbox.callbacks).toHaveLength(4)
      expect(reports.map(({ state }) => state)).toEqual(["completed", "returned"])
      for (const report of reports) {
        expect(movementsProblem(report)).toBeUndefined()
        expect(notIn(report, enquiry)).toEqual([])
      }
    })
  )
})
