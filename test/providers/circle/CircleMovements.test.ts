/** The payment and the transfer are the examples of Circle's published definition. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import { circle } from "../../../src/providers/circle/CircleAdapter.ts"
import { asTimePasses, settle } from "../support/AgainstFake.ts"
import { NOW } from "../support/CryptoOrders.ts"
import { connected } from "../support/ConnectedAdapter.ts"
import { amount, attemptOf, idIn } from "../support/TestOrders.ts"
import { replyOf, type Said, saying } from "../support/ScriptedReplies.ts"
import { joined, payin, payout } from "./CircleTestOrders.ts"

const answering = (...replies: ReadonlyArray<Said>) => {
  const { calls, http } = saying(...replies)
  return { calls, provider: connected(circle, http, { api_key: "k" }) }
}

const payment = {
  id: "66c56b6a-fc79-338b-8b94-aacc4f0f18de",
  type: "payment",
  status: "paid",
  amount: { amount: "1.00", currency: "USD" },
  fees: { amount: "0.01", currency: "USD" },
  networkFees: { amount: "0.01", currency: "USD", feePayer: "endUser" },
  merchantId: "f1397191-56e6-42fd-be86-0a7b9bd91522",
  merchantWalletId: "1000999922",
  paymentIntentId: "6e4d4047-db14-4c09-b238-1215aee50d03",
  settlementAmount: { amount: "1.00", currency: "USD" },
  transactionHash: "0x7351585460bd657f320b9afa02a52c26d89272d0d10cc29913eb8b28e64fd906"
}
const again = { ...payment, id: "69808f36-3e5e-4f37-bf82-ca79e4d70fc1", amount: { amount: "2.50", currency: "USD" } }
const refund = { ...payment, id: "425dca6d-ac79-43b6-b0f9-43fdc51de91b", type: "refund" }

const intentId = payment.paymentIntentId
const usd = (text: string) => ({ amount: text, currency: "USD" })
const intent = (status: string, about: object) =>
  replyOf(200, {
    data: {
      id: intentId,
      amount: usd("1.00"),
      amountPaid: usd("1.00"),
      paymentIds: [payment.id],
      timeline: [{ status, time: "2022-07-21T20:19:24.859052Z" }],
      ...about
    }
  })
const list = (...data: ReadonlyArray<object>) => replyOf(200, { data })

const attempt = attemptOf(payin("1"), { providerPaymentId: intentId })
const moved = (kind: string, { id }: { id: string }, text: string) => ({
  kind,
  id,
  amount: amount(text, "USDC"),
  state: "settled"
})
const once = moved("collection", payment, "1")
const twice = [once, moved("collection", again, "2.5")]
const both = { amountPaid: usd("3.50"), paymentIds: [payment.id, again.id] }
const returned = { amountRefunded: usd("1.00"), refundIds: [refund.id] }

describe("what moved under an intent of Circle", () => {
  it.effect.each(["complete", "expired"])("one payment is named by its id, without another call (%s)", (status) =>
    Effect.gen(function* () {
      const { calls, provider } = answering(intent(status, {}))
      expect(yield* provider.enquire(attempt)).toMatchObject({
        state: "completed",
        movements: [once]
      })
      expect(calls).toHaveLength(1)
      const known = yield* answering(intent(status, {})).provider.initiate(payin("1"))
      expect(known).toMatchObject({ _tag: "Accepted", state: "completed", movements: [once] })
    })
  )

  const listed: ReadonlyArray<readonly [string, Said, Said, object]> = [
    [
      "two payments",
      intent("complete", both),
      list(again, payment),
      { state: "completed", movements: twice.toReversed() }
    ],
    [
      "a part of what was asked for, while the rest is awaited",
      intent("pending", { amount: usd("9.00") }),
      list(payment),
      { state: "processing", movements: [once] }
    ],
    [
      "a part that is not in our wallet yet",
      intent("pending", { amount: usd("9.00") }),
      list({ ...payment, status: "confirmed" }),
      { state: "processing", movements: [] }
    ],
    [
      "two payments, beside one of another intent",
      intent("complete", both),
      list(payment, again, { ...again, id: "other", paymentIntentId: "other" }),
      { state: "completed", movements: twice }
    ],
    [
      "a payment of an intent that failed",
      intent("failed", {}),
      list(payment),
      { state: "processing", movements: [once] }
    ],
    [
      "a second payment that is not in our wallet yet",
      intent("complete", { paymentIds: both.paymentIds }),
      list(payment, { ...again, status: "confirmed" }),
      { state: "completed", movements: [once] }
    ],
    [
      "a payment that was refunded",
      intent("refunded", returned),
      list(refund, payment),
      { state: "returned", movements: [moved("refund", refund, "1"), once] }
    ],
    [
      "two payments, one of them refunded",
      intent("complete", { ...both, ...returned }),
      list(payment, again, refund),
      { state: "completed", movements: [...twice, moved("refund", refund, "1")] }
    ]
  ]
  it.effect.each(listed)("%s", ([, found, payments, expected]) =>
    Effect.gen(function* () {
      const { calls, provider } = answering(found, payments)
      expect(yield* provider.enquire(attempt)).toMatchObject(expected)
      expect(calls[1]?.path).toBe(`/v1/payments?paymentIntentId=${intentId}&pageSize=50`)
    })
  )

  const unsaid: ReadonlyArray<readonly [string, Said, Said]> = [
    ["the list fails", intent("complete", both), replyOf(500)],
    ["the list lacks a payment", intent("complete", both), list(payment)],
    ["the list lacks a refund", intent("complete", returned), list(payment)],
    [
      "no payment is in our wallet",
      intent("complete", both),
      list({ ...payment, status: "pending" }, { ...again, status: "pending" })
    ],
    ["a refund is not done", intent("refunded", returned), list(payment, { ...refund, status: "pending" })],
    ["nothing names a refund", intent("complete", { amountRefunded: usd("1.00") }), list(payment)],
    ["nothing names what was paid", intent("complete", { paymentIds: [] }), list()],
    ["nothing names what was refunded", intent("refunded", {}), list(payment)],
    ["an amount cannot be read", intent("complete", both), list(payment, { ...again, amount: { currency: "USD" } })]
  ]
  it.effect.each(unsaid)("is asked for again where %s", ([, found, payments]) =>
    Effect.gen(function* () {
      expect(yield* answering(found, payments).provider.enquire(attempt)).toMatchObject({ _tag: "Unknown" })
    })
  )

  it.effect("is left to an enquiry where an intent that was made before has two payments or a refund", () =>
    Effect.gen(function* () {
      for (const made of [intent("complete", both), intent("refunded", returned)]) {
        const known = yield* answering(made).provider.initiate(payin("1"))
        expect(known).toMatchObject({ _tag: "Accepted", state: "processing", providerPaymentId: intentId })
        expect(known).not.toHaveProperty("received")
      }
    })
  )

  it.effect.each(["created", "pending"])("is nothing while nothing was paid (%s)", (status) =>
    Effect.gen(function* () {
      const { provider } = answering(intent(status, { amountPaid: usd("0.00"), paymentIds: [] }))
      expect(yield* provider.enquire(attempt)).not.toHaveProperty("movements")
    })
  )

  it.scoped("at the fake: paid, paid again and refunded, each under its own id", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOW)
      const at = yield* joined
      const order = payin("200")
      const id = idIn(yield* asTimePasses(at.provider.initiate(order)))
      yield* settle(at)
      const paid = attemptOf(order, { providerPaymentId: id })
      const first = yield* at.provider.enquire(paid)
      expect(first).toMatchObject({ movements: [{ kind: "collection", amount: amount("200", "USDC") }] })
      const { kept } = at.books.byId(id)!
      at.world.take({ id: "again", reference: "again", kind: "payin", money: amount("50", "USDC"), of: id, kept })
      yield* settle(at)
      at.world.take({ id: "back", reference: "back", kind: "refund", money: amount("30", "USDC"), of: id, kept })
      yield* settle(at)
      const { movements } = yield* Effect.map(at.provider.enquire(paid), (found) => ({ movements: [], ...found }))
      expect(movements).toMatchObject([
        Reflect.get(first, "movements")[0],
        { kind: "collection", amount: amount("50", "USDC") },
        { kind: "refund", amount: amount("30", "USDC") }
      ])
      expect(new Set(movements.map((one) => Reflect.get(one, "id"))).size).toBe(3)
      expect(yield* at.events).toMatchObject(
        Array.from({ length: 3 }, () => ({ _tag: "Hint", attempt: { providerPaymentId: id } }))
      )
      expect(at.held().get("USDC")).toBe(220_000_000n)
    })
  )
})

describe("what a transfer of Circle moved", () => {
  const transfer = {
    id: "b8627ae8-732b-4d25-b947-1df8f4007a29",
    source: { type: "wallet", id: "12345" },
    destination: { type: "blockchain", address: "0x8381470ED67C3802402dbbFa0058E8871F017A6F", chain: "ALGO" },
    amount: { amount: "3.14", currency: "USD" },
    fees: [{ amount: "10.00", currency: "USD", type: "network" }],
    transactionHash: "0x4cebf8f90c9243a23c77e4ae20df691469e4b933b295a73376292843968f7a63",
    status: "complete",
    createDate: "2020-04-10T02:13:30.000Z"
  }
  const out = payout("3.14")
  const movements = [moved("disbursement", transfer, "3.14")]

  it.effect("is named by its id, in the answer and when asked", () =>
    Effect.gen(function* () {
      const recipient = replyOf(200, { data: { id: "a", status: "active" } })
      const sent = answering(recipient, replyOf(201, { data: transfer }))
      expect(yield* sent.provider.initiate(out)).toMatchObject({ _tag: "Accepted", movements })
      const asked = attemptOf(out, { providerPaymentId: transfer.id })
      const { provider } = answering(replyOf(200, { data: transfer }))
      expect(yield* provider.enquire(asked)).toMatchObject({ state: "completed", movements })
      for (const status of ["pending", "failed"]) {
        const open = answering(replyOf(200, { data: { ...transfer, status } }))
        expect(yield* open.provider.enquire(asked)).not.toHaveProperty("movements")
      }
    })
  )
})
