import { Effect, Either, type Scope } from "effect"
import { describe, expect, it } from "vitest"
import type { Enquiry } from "../../../src/domain/Outcome.ts"
import { magicDigits } from "../../../src/providers/fakes/Magic.ts"
import { mtnMomoFake } from "../../../src/providers/mtnMomo/Fake.ts"
import type { PaymentOrder } from "../../../src/providers/port/Provider.ts"
import { amount, attemptOf, orderOf, startedFake } from "../OverTheWire.ts"
import { connected, contractsAreHere, problemsOf, problemsOfAnswer } from "./Momo.ts"

const withFake = Effect.gen(function* () {
  const fake = yield* startedFake(mtnMomoFake)
  return { fake, provider: connected(fake.http, {}, { callbackUrl: fake.callbackUrl }) }
})

const run = <A, E>(test: Effect.Effect<A, E, Scope.Scope>): Promise<A> => Effect.runPromise(Effect.scoped(test))

const ugx = (minor: number) => amount(`${minor}`, "UGX")

const payinOf = (minor: number) => orderOf({ money: ugx(minor) })
const payoutOf = (minor: number) => orderOf({ flow: "outbound", money: ugx(minor) })

/** What an adapter was told has moved; nothing, of whatever did not complete. */
const told = (order: Pick<PaymentOrder, "flow">, found: Enquiry): bigint => {
  if (found._tag !== "Report" || found.state !== "completed") return 0n
  return order.flow === "inbound" ? found.received!.minor : -found.received!.minor
}

describe("the adapter and the fake of MTN", () => {
  it("collect, pay out and give back, and agree on what moved", () =>
    run(
      Effect.gen(function* () {
        const { fake, provider } = yield* withFake
        const [payin, payout, refund] = [payinOf(10_000), payoutOf(3_000), orderOf({ money: ugx(2_000) })]
        expect(yield* provider.initiate(payin)).toMatchObject({ _tag: "Accepted", state: "processing" })
        yield* fake.settled
        expect(yield* provider.initiate(payout)).toMatchObject({ _tag: "Accepted", state: "processing" })
        const back = { attempt: attemptOf(payin), reference: refund.reference, money: refund.money, reason: "late" }
        expect(yield* provider.refund!(back)).toMatchObject({ _tag: "Accepted", state: "processing" })
        yield* fake.settled

        const refunded = attemptOf(refund, { leg: "refund", broughtBy: attemptOf(payin) })
        expect(yield* provider.enquire(attemptOf(payin))).toMatchObject({ state: "completed", received: ugx(10_000) })
        expect(yield* provider.enquire(attemptOf(payout))).toMatchObject({ state: "completed", received: ugx(3_000) })
        expect(yield* provider.enquire(refunded)).toMatchObject({ state: "completed", received: ugx(2_000) })
        expect(fake.books.holdings().get(payin.money.currency)).toBe(5_000n)

        const callbacks = yield* Effect.forEach(fake.arrived, provider.callback)
        const hinted = callbacks.flatMap(({ events }) => events.map(({ _tag, attempt }) => [_tag, attempt.reference]))
        expect(new Map(hinted.map(([tag, reference]) => [reference, tag]))).toEqual(
          new Map([payin, payout, refund].map(({ reference }) => [reference, "Hint"]))
        )
        expect(fake.arrived.map(({ method }) => method)).toEqual(["PUT", "PUT", "PUT"])
        const more = { ...back, reference: orderOf({}).reference, money: ugx(8_100) }
        expect(yield* provider.refund!(more)).toMatchObject({ _tag: "Declined", code: "INVALID_ORDER" })
      })
    ))

  it("move money once for one reference", () =>
    run(
      Effect.gen(function* () {
        const { fake, provider } = yield* withFake
        const order = payinOf(5_000)
        yield* Effect.all([provider.initiate(order), provider.initiate(order)], { concurrency: 2 })
        yield* fake.settled
        expect(yield* provider.initiate(order)).toMatchObject({
          _tag: "Accepted",
          state: "completed",
          received: ugx(5_000)
        })
        expect(fake.books.all()).toHaveLength(1)
        expect(fake.books.holdings().get(order.money.currency)).toBe(5_000n)
        expect(fake.received.filter(({ path }) => path === "/collection/token/")).toHaveLength(1)
      })
    ))

  it.each([
    [1, "inbound", { _tag: "Declined", code: "ACCOUNT_INVALID", instrument: true }],
    [1, "outbound", { _tag: "Declined", code: "ACCOUNT_INVALID", instrument: true }],
    [2, "inbound", { _tag: "Declined", providerCode: "PAYEE_NOT_ALLOWED_TO_RECEIVE" }],
    [2, "outbound", { _tag: "Declined", code: "PROVIDER_BALANCE_LOW" }],
    [8, "inbound", { _tag: "Declined", code: "PROVIDER_BUSY" }]
  ] as const)("refuse an amount that ends with 0%s, %s", (digits, flow, expected) =>
    run(
      Effect.gen(function* () {
        const { fake, provider } = yield* withFake
        const order = orderOf({ flow, money: ugx(1_000 + digits) })
        const outcome = yield* provider.initiate(order)
        expect(outcome).toMatchObject(expected)
        expect("instrument" in outcome).toBe("instrument" in expected)
        expect(fake.books.all()).toEqual([])
        expect(yield* provider.enquire(attemptOf(order))).toMatchObject({ _tag: "Absent" })
      })
    )
  )

  it("agree in the end on what moved, whatever became of the first answers", () =>
    run(
      Effect.gen(function* () {
        const { fake, provider } = yield* withFake
        const digits = [...magicDigits.map(([two]) => Number(two)), 0, 50]
        const orders = digits.flatMap((two) => [payinOf(40_000 + two), payoutOf(1_000 + two)])
        const outcomes = yield* Effect.forEach(orders, provider.initiate, { concurrency: 4 })
        yield* fake.settled
        const found = yield* Effect.forEach(orders, (order) => provider.enquire(attemptOf(order)))

        const moved = orders.reduce((sum, order, at) => sum + told(order, found[at]!), 0n)
        expect(moved).toBe(fake.books.holdings().get(orders[0]!.money.currency))
        expect(moved).toBeGreaterThan(0n)
        for (const [at, order] of orders.entries()) {
          const isHeld = fake.books.all().some(({ reference }) => reference === order.reference)
          // Nobody is told no about what the fake has, nor that it has what it does not have.
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

  it.skipIf(!contractsAreHere)("keep to MTN's definition on both sides (skipped without ../shared/contracts)", () =>
    run(
      Effect.gen(function* () {
        const { fake, provider } = yield* withFake
        // Taken, refused by either side, failed later, silent, taken in part.
        const orders = [0, 1, 2, 9, 10, 14].flatMap((two) => [payinOf(40_000 + two), payoutOf(1_000 + two)])
        yield* Effect.forEach([...orders, orders[0]!], provider.initiate)
        yield* fake.settled
        yield* Effect.forEach(orders, (order) => provider.enquire(attemptOf(order)))
        yield* provider.test!
        expect(new Set(fake.heard.map(({ reply }) => reply.status))).toEqual(new Set([200, 202, 404, 409, 500]))
        expect(fake.heard.flatMap(({ call }) => problemsOf(call))).toEqual([])
        expect(
          fake.heard.flatMap(({ call, reply }) => problemsOfAnswer(call.method, call.path, reply.status, reply.text))
        ).toEqual([])
      })
    )
  )

  it("report the other amount where less was paid", () =>
    run(
      Effect.gen(function* () {
        const { fake, provider } = yield* withFake
        const order = payinOf(1_014)
        yield* provider.initiate(order)
        yield* fake.settled
        expect(yield* provider.enquire(attemptOf(order))).toMatchObject({ state: "completed", received: ugx(913) })
      })
    ))

  it.each([
    ["api_key", "wrong"],
    ["collection_key", "wrong"]
  ])("do not come together with a wrong %s", (name, value) =>
    run(
      Effect.gen(function* () {
        const { fake } = yield* withFake
        const stranger = connected(fake.http, { [name]: value })
        expect(yield* stranger.initiate(payinOf(5_000))).toMatchObject({
          _tag: "Declined",
          code: "CREDENTIALS_REFUSED"
        })
        expect(Either.isLeft(yield* stranger.test!)).toBe(true)
        expect(yield* stranger.enquire(attemptOf(payinOf(5_000)))).toMatchObject({ _tag: "Unknown" })
      })
    )
  )

  it("show that an account is taken", () =>
    run(
      Effect.gen(function* () {
        const { provider } = yield* withFake
        expect(yield* provider.test!).toEqual(
          Either.right("collection holds 1000000 UGX, disbursement holds 1000000 UGX")
        )
      })
    ))

  it("keep to the currency of the environment", () =>
    run(
      Effect.gen(function* () {
        const { fake } = yield* withFake
        const order = orderOf({ money: amount("10", "EUR") })
        expect(yield* connected(fake.http).initiate(order)).toMatchObject({
          _tag: "Declined",
          providerCode: "INVALID_CURRENCY"
        })
        const atSandbox = connected(fake.http, { target_environment: "sandbox" })
        expect(yield* atSandbox.initiate(order)).toMatchObject({ _tag: "Accepted" })
        expect(yield* connected(fake.http, { target_environment: "mars" }).initiate(payinOf(500))).toMatchObject({
          _tag: "Declined",
          providerCode: "NOT_ALLOWED_TARGET_ENVIRONMENT"
        })
      })
    ))
})

describe("the fake of MTN alone", () => {
  const good = { amount: "100", currency: "UGX", externalId: "x" }
  const payer = { partyIdType: "MSISDN", partyId: "256772123456" }

  it.each([
    ["no reference", { ...good, payer }, { "x-reference-id": undefined }, 400],
    ["a reference that is no UUID of version 4", { ...good, payer }, { "x-reference-id": "1" }, 400],
    ["no token", { ...good, payer }, { authorization: undefined }, 401],
    ["the token of the other product", { ...good, payer }, { authorization: "Bearer disbursement.1" }, 401],
    ["no subscription", { ...good, payer }, { "ocp-apim-subscription-key": undefined }, 401],
    ["an address that is none", { ...good, payer }, { "x-callback-url": "nowhere" }, 400],
    ["an amount as a number", { ...good, amount: 100, payer }, {}, 400],
    ["a negative amount", { ...good, amount: "-1", payer }, {}, 400],
    ["a fraction of what has none", { ...good, amount: "1.5", payer }, {}, 400],
    ["no payer", good, {}, 400],
    ["a number with a plus", { ...good, payer: { ...payer, partyId: "+256772123456" } }, {}, 400],
    ["another kind of party", { ...good, payer: { ...payer, partyIdType: "PHONE" } }, {}, 400]
  ])("refuses an order with %s", (_, body, headers, status) =>
    run(
      Effect.gen(function* () {
        const { fake, provider } = yield* withFake
        yield* provider.initiate(payinOf(5_000))
        const sent = fake.heard.find(({ call }) => call.path.endsWith("/requesttopay"))!.call
        const changed = { ...sent.headers, "x-reference-id": orderOf({}).reference, ...headers }
        const given = Object.fromEntries(Object.entries(changed).filter(([, value]) => value !== undefined)) as Record<
          string,
          string
        >
        const reply = yield* fake.http.call({ ...sent, headers: given, body: JSON.stringify(body) })
        expect(reply.status).toBe(status)
        expect(fake.books.all()).toHaveLength(1)
      })
    )
  )

  it("takes the same order when nothing is wrong with it", () =>
    run(
      Effect.gen(function* () {
        const { fake, provider } = yield* withFake
        yield* provider.initiate(payinOf(5_000))
        const sent = fake.heard.find(({ call }) => call.path.endsWith("/requesttopay"))!.call
        const headers = { ...sent.headers, "x-reference-id": orderOf({}).reference }
        const reply = yield* fake.http.call({ ...sent, headers, body: JSON.stringify({ ...good, payer }) })
        expect(reply.status).toBe(202)
        expect(fake.books.all()).toHaveLength(2)
      })
    ))
})
