import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Accepted, Outcome } from "../../../src/domain/Outcome.ts"
import { flutterwaveFake } from "../../fakes/FlutterwaveFake.ts"
import { flutterwave } from "../../../src/providers/flutterwave/FlutterwaveAdapter.ts"
import { againstFake, visited } from "../support/AgainstFake.ts"
import { amount, attemptOf, orderOf } from "../support/TestOrders.ts"
import { everyOrder, operations, orderFor, responseIn, why } from "./FlutterwaveTestOrders.ts"

const withFake = againstFake(flutterwave, flutterwaveFake)

const pageOf = (outcome: Outcome) => (outcome as Accepted).actionData["redirect_url"]

const naira = (text: string) => amount(text, "NGN")

describe("the adapter and the fake of Flutterwave", () => {
  it.scopedLive("take a card on the page, pay out and give back, and agree on what moved", () =>
    Effect.gen(function* () {
      const fake = yield* withFake
      const { provider } = fake
      const payin = orderFor("card", "inbound", "NG", { money: naira("10000.50") })
      const opened = yield* provider.initiate(payin)
      expect(opened).toMatchObject({ _tag: "Accepted", state: "pending", nextAction: "redirect" })
      // Unpaid so far on the page.
      expect(yield* provider.enquire(attemptOf(payin))).toMatchObject({ _tag: "Unknown" })
      const back = yield* visited(pageOf(opened))
      expect(back.origin + back.pathname).toBe(payin.returnUrl)
      expect(back.searchParams.get("tx_ref")).toBe(payin.reference)
      yield* fake.settled
      const query = Object.fromEntries(back.searchParams)
      expect(yield* provider.resume!(attemptOf(payin), query)).toMatchObject({
        state: "completed",
        movements: [{ amount: naira("10000.50") }]
      })

      const payout = orderFor("bank_transfer", "outbound", "NG", { money: naira("3000") })
      const queued = yield* provider.initiate(payout)
      expect(queued).toMatchObject({ _tag: "Accepted", state: "processing" })
      const refund = {
        attempt: attemptOf(payin),
        reference: orderOf({}).reference,
        collectionId: null,
        money: naira("2000.50"),
        reason: "late"
      }
      const refunded = yield* provider.refund!(refund)
      expect(refunded).toMatchObject({ _tag: "Accepted", state: "processing" })
      yield* fake.settled

      const id = (outcome: Outcome) => ({ providerPaymentId: (outcome as Accepted).providerPaymentId })
      expect(yield* provider.enquire(attemptOf(payout))).toMatchObject({
        state: "completed",
        movements: [{ amount: naira("3000") }]
      })
      expect(yield* provider.enquire(attemptOf(payout, id(queued)))).toMatchObject({ state: "completed" })
      const leg = attemptOf(payin, { leg: "refund", reference: refund.reference, ...id(refunded) })
      expect(yield* provider.enquire(leg)).toMatchObject({ state: "completed" })
      const lost = { ...leg, providerPaymentId: null, money: refund.money }
      expect(yield* provider.enquire(lost)).toMatchObject({ state: "completed", ...id(refunded) })
      expect(fake.books.holdings().get(payin.money.currency)).toBe(500_000n)
      expect(yield* provider.refund!({ ...refund, money: naira("8000.50") })).toMatchObject({ _tag: "Declined" })

      const callbacks = yield* Effect.forEach(fake.callbacks, provider.callback)
      expect(callbacks.flatMap(({ events }) => events.map(({ _tag, attempt }) => [_tag, attempt.reference]))).toEqual([
        ["Hint", payin.reference],
        ["Hint", payout.reference]
      ])
    })
  )

  it.scopedLive("agree on every corridor that is served", () =>
    Effect.gen(function* () {
      const fake = yield* withFake
      const { provider } = fake
      const orders = everyOrder()
      const outcomes = yield* Effect.forEach(orders, provider.initiate, { concurrency: 4 })
      expect(outcomes.filter(({ _tag }) => _tag !== "Accepted")).toEqual([])
      for (const outcome of outcomes) {
        if ((outcome as Accepted).nextAction === "redirect") yield* visited(pageOf(outcome))
      }
      yield* fake.settled
      for (const order of orders) {
        expect(yield* provider.enquire(attemptOf(order))).toMatchObject({
          state: "completed",
          movements: [{ amount: order.money }]
        })
      }
      expect(fake.books.all()).toHaveLength(orders.length)
      const answered = yield* Effect.forEach(fake.callbacks, provider.callback)
      expect(new Set(answered.flatMap(({ events }) => events.map(({ attempt }) => attempt.reference)))).toEqual(
        new Set(orders.map(({ reference }) => reference))
      )
    })
  )

  it.scopedLive("pay a transfer's reference once, and show that a charge's is charged as often as it is sent", () =>
    Effect.gen(function* () {
      const fake = yield* withFake
      const { provider } = fake
      const payout = orderFor("mobile_money", "outbound", "GH")
      yield* provider.initiate(payout)
      yield* fake.settled
      expect(yield* provider.initiate(payout)).toMatchObject({ _tag: "Accepted", state: "completed" })
      expect(fake.books.all()).toHaveLength(1)
      const payin = orderFor("mobile_money", "inbound", "KE")
      yield* provider.initiate(payin)
      yield* provider.initiate(payin)
      yield* fake.settled
      expect(fake.books.holdings().get(payin.money.currency)).toBe(300_000n)
    })
  )

  it.scopedLive("leave a refused card on the page open for another", () =>
    Effect.gen(function* () {
      const fake = yield* withFake
      const { provider } = fake
      const order = orderFor("card", "inbound", "NG", { money: naira("50.01") })
      yield* visited(pageOf(yield* provider.initiate(order)))
      yield* fake.settled
      expect(yield* provider.enquire(attemptOf(order))).toMatchObject({
        _tag: "Report",
        state: "pending",
        providerStatus: "failed",
        reason: "Insufficient Funds"
      })
    })
  )
})

describe("the fake of Flutterwave alone", () => {
  const charge = {
    tx_ref: "1",
    amount: 10,
    currency: "RWF",
    email: "a@example.com",
    phone_number: "250781234567",
    network: "MTN",
    order_id: "1"
  }
  const transfer = {
    account_bank: "044",
    account_number: "0690000031",
    amount: 10,
    currency: "NGN",
    reference: "1",
    beneficiary_name: "A"
  }

  it.scopedLive.each([
    ["/v3/charges?type=mobile_money_rwanda", { ...charge, email: undefined }],
    ["/v3/charges?type=mobile_money_rwanda", { ...charge, amount: 0 }],
    ["/v3/charges?type=mobile_money_rwanda", { ...charge, amount: -5 }],
    ["/v3/charges?type=mobile_money_rwanda", { ...charge, phone_number: "0x" }],
    ["/v3/charges?type=mobile_money_rwanda", { ...charge, network: "VODACOM" }],
    ["/v3/charges?type=mobile_money_rwanda", { ...charge, order_id: undefined }],
    ["/v3/charges?type=mobile_money_rwanda", { ...charge, currency: "UGX" }],
    ["/v3/charges?type=mobile_money_rwanda", { ...charge, extra: 1 }],
    ["/v3/charges?type=mobile_money_franco", { ...charge, currency: "XOF" }],
    ["/v3/charges?type=mobile_money_mars", charge],
    ["/v3/charges?type=bank_transfer", { ...charge, network: undefined, order_id: undefined }],
    ["/v3/payments", { tx_ref: "1", amount: 10, currency: "NGN", customer: { email: "a@example.com" } }],
    ["/v3/transfers", { ...transfer, reference: undefined }],
    ["/v3/transfers", { ...transfer, beneficiary_name: undefined }],
    ["/v3/transfers", { ...transfer, currency: "KES" }],
    ["/v3/transfers", { ...transfer, narration: "x".repeat(101) }],
    ["/v3/transactions/1/refund", { amount: 10 }]
  ] as const)("refuses at %s %j", ([path, body]) =>
    Effect.gen(function* () {
      const fake = yield* withFake
      const headers = { authorization: "Bearer FLWSECK_TEST-fake-of-flutterwave-X" }
      const sent = { operation: "bad", method: "POST", path, headers, body: JSON.stringify(body) } as const
      const reply = yield* fake.http.call(sent)
      expect(reply).toMatchObject({ status: 400, json: { status: "error", data: null } })
      expect(fake.books.all()).toEqual([])
    })
  )

  type Fields = Readonly<Record<string, unknown>>

  const dataIn = (json: unknown): Fields => {
    const { data } = json as { readonly data: Fields | ReadonlyArray<Fields> }
    return (Array.isArray(data) ? data[0] : data) as Fields
  }

  it.scopedLive.skipIf(why !== "")(`answers in the shapes of Flutterwave's samples${why}`, () =>
    Effect.gen(function* () {
      const fake = yield* withFake
      const { provider } = fake
      const [payin, payout] = [orderFor("mobile_money", "inbound", "KE"), orderFor("bank_transfer", "outbound", "NG")]
      yield* provider.initiate(payin)
      yield* provider.initiate(payout)
      yield* provider.enquire(attemptOf(payin))
      yield* provider.enquire(attemptOf(payout))
      const samples = ["charge Mpesa", "create transfer (payout)", "verify transaction by tx_ref", "list transfers"]
      for (const [at, name] of samples.entries()) {
        const sample = dataIn(responseIn(operations.find((one) => one.name === name)!))
        const ours = dataIn(JSON.parse(fake.exchanged[at]!.reply.text))
        const shared = Object.keys(ours).filter((field) => sample[field] !== null && sample[field] !== undefined)
        expect(shared.length).toBeGreaterThan(10)
        const kinds = (all: Fields) => shared.map((field) => [field, ours[field] === null ? null : typeof all[field]])
        expect([name, kinds(ours)]).toEqual([name, kinds(sample)])
      }
    })
  )

  it.scopedLive.each([
    ["/v3/charges?type=mobile_money_rwanda", charge],
    ["/v3/transfers", transfer]
  ] as const)("takes at %s what is well written", ([path, body]) =>
    Effect.gen(function* () {
      const fake = yield* withFake
      const headers = { authorization: "Bearer FLWSECK_TEST-fake-of-flutterwave-X" }
      const sent = { operation: "good", method: "POST", path, headers, body: JSON.stringify(body) } as const
      expect(yield* fake.http.call(sent)).toMatchObject({ status: 200, json: { status: "success" } })
      expect(fake.books.all()).toHaveLength(1)
    })
  )
})
