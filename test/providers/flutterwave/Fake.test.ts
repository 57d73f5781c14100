import { Effect, Either, type Scope } from "effect"
import { describe, expect, it } from "vitest"
import type { Accepted, Enquiry, Outcome } from "../../../src/domain/Outcome.ts"
import { magicDigits } from "../../../src/providers/fakes/Magic.ts"
import { flutterwaveFake } from "../../../src/providers/flutterwave/Fake.ts"
import type { PaymentOrder } from "../../../src/providers/port/Provider.ts"
import { amount, attemptOf, orderOf, startedFake } from "../OverTheWire.ts"
import { connected, contractIsHere, everyOrder, operations, orderFor, responseIn } from "./Flw.ts"

const withFake = Effect.gen(function* () {
  const fake = yield* startedFake(flutterwaveFake)
  return { fake, provider: connected(fake.http, {}, { callbackUrl: fake.callbackUrl }) }
})

const run = <A, E>(test: Effect.Effect<A, E, Scope.Scope>): Promise<A> => Effect.runPromise(Effect.scoped(test))

/** The customer goes where they are sent, and the address where they end up. */
const visited = (outcome: Outcome) =>
  Effect.promise(async () => {
    const { redirect_url } = (outcome as Accepted).actionData
    const response = await fetch(redirect_url!, { redirect: "manual" })
    return new URL(response.headers.get("location")!)
  })

const naira = (text: string) => amount(text, "NGN")

const told = (order: Pick<PaymentOrder, "flow">, found: Enquiry): bigint => {
  if (found._tag !== "Report" || found.state !== "completed") return 0n
  return order.flow === "inbound" ? found.received!.minor : -found.received!.minor
}

describe("the adapter and the fake of Flutterwave", () => {
  it("take a card on the page, pay out and give back, and agree on what moved", () =>
    run(
      Effect.gen(function* () {
        const { fake, provider } = yield* withFake
        const payin = orderFor("card", "inbound", "NG", { money: naira("10000.50") })
        const opened = yield* provider.initiate(payin)
        expect(opened).toMatchObject({ _tag: "Accepted", state: "pending", nextAction: "redirect" })
        // Nobody has paid on the page yet.
        expect(yield* provider.enquire(attemptOf(payin))).toMatchObject({ _tag: "Unknown" })
        const back = yield* visited(opened)
        expect(back.origin + back.pathname).toBe(payin.returnUrl)
        expect(back.searchParams.get("tx_ref")).toBe(payin.reference)
        yield* fake.settled
        const query = Object.fromEntries(back.searchParams)
        expect(yield* provider.resume!(attemptOf(payin), query)).toMatchObject({
          state: "completed",
          received: naira("10000.50")
        })

        const payout = orderFor("bank_transfer", "outbound", "NG", { money: naira("3000") })
        const queued = yield* provider.initiate(payout)
        expect(queued).toMatchObject({ _tag: "Accepted", state: "processing" })
        const refund = {
          attempt: attemptOf(payin),
          reference: orderOf({}).reference,
          money: naira("2000.30"),
          reason: "late"
        }
        const refunded = yield* provider.refund!(refund)
        expect(refunded).toMatchObject({ _tag: "Accepted", state: "processing" })
        yield* fake.settled

        const id = (outcome: Outcome) => ({ providerPaymentId: (outcome as Accepted).providerPaymentId })
        expect(yield* provider.enquire(attemptOf(payout))).toMatchObject({
          state: "completed",
          received: naira("3000")
        })
        expect(yield* provider.enquire(attemptOf(payout, id(queued)))).toMatchObject({ state: "completed" })
        const leg = attemptOf(payin, { leg: "refund", reference: refund.reference, ...id(refunded) })
        expect(yield* provider.enquire(leg)).toMatchObject({ state: "completed" })
        expect(fake.books.holdings().get(payin.money.currency)).toBe(500_020n)
        expect(yield* provider.refund!({ ...refund, money: naira("8000.50") })).toMatchObject({ _tag: "Declined" })

        const callbacks = yield* Effect.forEach(fake.arrived, provider.callback)
        expect(callbacks.flatMap(({ events }) => events.map(({ _tag, attempt }) => [_tag, attempt.reference]))).toEqual(
          [
            ["Hint", payin.reference],
            ["Hint", payout.reference]
          ]
        )
      })
    ))

  it("agree on every corridor that is served", () =>
    run(
      Effect.gen(function* () {
        const { fake, provider } = yield* withFake
        const orders = everyOrder()
        const outcomes = yield* Effect.forEach(orders, provider.initiate, { concurrency: 4 })
        expect(outcomes.filter(({ _tag }) => _tag !== "Accepted")).toEqual([])
        for (const outcome of outcomes) {
          if ((outcome as Accepted).nextAction === "redirect") yield* visited(outcome)
        }
        yield* fake.settled
        for (const order of orders) {
          expect(yield* provider.enquire(attemptOf(order))).toMatchObject({ state: "completed", received: order.money })
        }
        expect(fake.books.all()).toHaveLength(orders.length)
        const answered = yield* Effect.forEach(fake.arrived, provider.callback)
        expect(new Set(answered.flatMap(({ events }) => events.map(({ attempt }) => attempt.reference)))).toEqual(
          new Set(orders.map(({ reference }) => reference))
        )
      })
    ))

  it("agree in the end on what moved, whatever became of the first answers", () =>
    run(
      Effect.gen(function* () {
        const { fake, provider } = yield* withFake
        const digits = [...magicDigits.map(([two]) => two), "00", "50"]
        const orders = digits.flatMap((two) => [
          orderFor("bank_transfer", "inbound", "NG", { money: naira(`4000.${two}`) }),
          orderFor("bank_transfer", "outbound", "NG", { money: naira(`100.${two}`) })
        ])
        const outcomes = yield* Effect.forEach(orders, provider.initiate, { concurrency: 4 })
        yield* fake.settled
        const found = yield* Effect.forEach(orders, (order) => provider.enquire(attemptOf(order)))
        const moved = orders.reduce((sum, order, at) => sum + told(order, found[at]!), 0n)
        expect(moved).toBe(fake.books.holdings().get(orders[0]!.money.currency))
        expect(moved).toBeGreaterThan(0n)
        for (const [at, order] of orders.entries()) {
          const isHeld = fake.books.all().some(({ reference }) => reference === order.reference)
          if (outcomes[at]!._tag === "Declined") expect(isHeld).toBe(false)
          if (outcomes[at]!._tag === "Accepted") expect(isHeld).toBe(true)
          expect(found[at]!._tag).toBe(isHeld ? "Report" : "Absent")
        }
        expect(outcomes.filter(({ _tag }) => _tag === "Unknown")).toHaveLength(8)
        const states = found.map((one) => (one._tag === "Report" ? one.state : one._tag))
        expect(states.filter((state) => state === "failed")).toHaveLength(2)
        expect(states.filter((state) => state === "processing")).toHaveLength(2)
      })
    ))

  it.each([
    ["inbound", "01", { code: "INSUFFICIENT_FUNDS", instrument: true }],
    ["outbound", "01", { code: "ACCOUNT_INVALID", instrument: true }],
    ["inbound", "02", { code: "NOT_SUPPORTED" }],
    ["outbound", "02", { code: "PROVIDER_BALANCE_LOW" }],
    ["outbound", "08", { code: "PROVIDER_BUSY" }]
  ] as const)("refuse a bank transfer, %s, that ends with %s", (flow, two, expected) =>
    run(
      Effect.gen(function* () {
        const { fake, provider } = yield* withFake
        const order = orderFor("bank_transfer", flow, "NG", { money: naira(`50.${two}`) })
        const outcome = yield* provider.initiate(order)
        expect(outcome).toMatchObject({ _tag: "Declined", ...expected })
        expect("instrument" in outcome).toBe("instrument" in expected)
        expect(fake.books.all()).toEqual([])
      })
    )
  )

  it("pay a transfer's reference once, and show that a charge's is charged as often as it is sent", () =>
    run(
      Effect.gen(function* () {
        const { fake, provider } = yield* withFake
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
    ))

  it("leave a refused card on the page open for another", () =>
    run(
      Effect.gen(function* () {
        const { fake, provider } = yield* withFake
        const order = orderFor("card", "inbound", "NG", { money: naira("50.01") })
        yield* visited(yield* provider.initiate(order))
        yield* fake.settled
        expect(yield* provider.enquire(attemptOf(order))).toMatchObject({
          _tag: "Report",
          state: "pending",
          providerStatus: "failed",
          reason: "Insufficient Funds"
        })
      })
    ))

  it("do not come together with a wrong key", () =>
    run(
      Effect.gen(function* () {
        const { fake } = yield* withFake
        const stranger = connected(fake.http, { secret_key: "wrong" })
        expect(yield* stranger.initiate(orderFor("mobile_money", "inbound", "KE"))).toMatchObject({
          _tag: "Declined",
          code: "CREDENTIALS_REFUSED"
        })
        expect(yield* stranger.test!).toEqual(Either.left("Invalid authorization key"))
        expect(yield* connected(fake.http).test!).toEqual(Either.right("it holds NGN"))
      })
    ))
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

  it.each([
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
  ])("refuses at %s %j", (path, body) =>
    run(
      Effect.gen(function* () {
        const { fake } = yield* withFake
        const headers = { authorization: "Bearer FLWSECK_TEST-fake-of-flutterwave-X" }
        const sent = { operation: "bad", method: "POST", path, headers, body: JSON.stringify(body) } as const
        const reply = yield* fake.http.call(sent)
        expect(reply).toMatchObject({ status: 400, json: { status: "error", data: null } })
        expect(fake.books.all()).toEqual([])
      })
    )
  )

  type Fields = Readonly<Record<string, unknown>>

  const dataIn = (json: unknown): Fields => {
    const { data } = json as { readonly data: Fields | ReadonlyArray<Fields> }
    return (Array.isArray(data) ? data[0] : data) as Fields
  }

  it.skipIf(!contractIsHere)(
    "answers in the shapes of Flutterwave's samples (skipped without ../shared/contracts)",
    () =>
      run(
        Effect.gen(function* () {
          const { fake, provider } = yield* withFake
          const [payin, payout] = [
            orderFor("mobile_money", "inbound", "KE"),
            orderFor("bank_transfer", "outbound", "NG")
          ]
          yield* provider.initiate(payin)
          yield* provider.initiate(payout)
          yield* provider.enquire(attemptOf(payin))
          yield* provider.enquire(attemptOf(payout))
          const samples = ["charge Mpesa", "create transfer (payout)", "verify transaction by tx_ref", "list transfers"]
          for (const [at, name] of samples.entries()) {
            const sample = dataIn(responseIn(operations.find((one) => one.name === name)!))
            const ours = dataIn(JSON.parse(fake.heard[at]!.reply.text))
            const shared = Object.keys(ours).filter((field) => sample[field] !== null && sample[field] !== undefined)
            expect(shared.length).toBeGreaterThan(10)
            const kinds = (all: Fields) =>
              shared.map((field) => [field, ours[field] === null ? null : typeof all[field]])
            expect([name, kinds(ours)]).toEqual([name, kinds(sample)])
          }
        })
      )
  )

  it.each([
    ["/v3/charges?type=mobile_money_rwanda", charge],
    ["/v3/transfers", transfer]
  ])("takes at %s what is well written", (path, body) =>
    run(
      Effect.gen(function* () {
        const { fake } = yield* withFake
        const headers = { authorization: "Bearer FLWSECK_TEST-fake-of-flutterwave-X" }
        const sent = { operation: "good", method: "POST", path, headers, body: JSON.stringify(body) } as const
        expect(yield* fake.http.call(sent)).toMatchObject({ status: 200, json: { status: "success" } })
        expect(fake.books.all()).toHaveLength(1)
      })
    )
  )
})
