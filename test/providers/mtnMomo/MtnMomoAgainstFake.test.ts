import { describe, expect, it } from "@effect/vitest"
import { Effect, Either } from "effect"
import { mtnMomoFake } from "../../fakes/MtnMomoFake.ts"
import { mtnMomo } from "../../../src/providers/mtnMomo/MtnMomoAdapter.ts"
import { againstFake } from "../support/AgainstFake.ts"
import { amount, attemptOf } from "../support/TestOrders.ts"
import { answerFlaws, callFlaws, ugandan, why } from "./MtnMomoTestOrders.ts"

const withFake = againstFake(mtnMomo, mtnMomoFake)

const ugx = (minor: number) => amount(`${minor}`, "UGX")

const payinOf = (minor: number) => ugandan({ money: ugx(minor) })
const payoutOf = (minor: number) => ugandan({ flow: "outbound", money: ugx(minor) })

describe("the adapter and the fake of MTN", () => {
  it.scopedLive("collect, pay out and give back, and agree on what moved", () =>
    Effect.gen(function* () {
      const fake = yield* withFake
      const { provider } = fake
      const [payin, payout, refund] = [payinOf(10_000), payoutOf(3_000), ugandan({ money: ugx(2_000) })]
      expect(yield* provider.initiate(payin)).toMatchObject({ _tag: "Accepted", state: "processing" })
      yield* fake.settled
      expect(yield* provider.initiate(payout)).toMatchObject({ _tag: "Accepted", state: "processing" })
      const back = {
        attempt: attemptOf(payin),
        reference: refund.reference,
        collectionId: null,
        money: refund.money,
        reason: "late"
      }
      expect(yield* provider.refund!(back)).toMatchObject({ _tag: "Accepted", state: "processing" })
      yield* fake.settled

      const refunded = attemptOf(refund, { leg: "refund", broughtBy: attemptOf(payin) })
      expect(yield* provider.enquire(attemptOf(payin))).toMatchObject({
        state: "completed",
        movements: [{ amount: ugx(10_000) }]
      })
      expect(yield* provider.enquire(attemptOf(payout))).toMatchObject({
        state: "completed",
        movements: [{ amount: ugx(3_000) }]
      })
      expect(yield* provider.enquire(refunded)).toMatchObject({
        state: "completed",
        movements: [{ amount: ugx(2_000) }]
      })
      expect(fake.books.holdings().get(payin.money.currency)).toBe(5_000n)

      const callbacks = yield* Effect.forEach(fake.callbacks, provider.callback)
      const hinted = callbacks.flatMap(({ events }) => events.map(({ _tag, attempt }) => [_tag, attempt.reference]))
      expect(new Map(hinted.map(([tag, reference]) => [reference, tag]))).toEqual(
        new Map([payin, payout, refund].map(({ reference }) => [reference, "Hint"]))
      )
      expect(fake.callbacks.map(({ method }) => method)).toEqual(["PUT", "PUT", "PUT"])
      const more = { ...back, reference: ugandan({}).reference, money: ugx(8_100) }
      expect(yield* provider.refund!(more)).toMatchObject({ _tag: "Declined", code: "INVALID_ORDER" })
    })
  )

  it.scopedLive.skipIf(why !== "")(`keep to MTN's definition on both sides${why}`, () =>
    Effect.gen(function* () {
      const fake = yield* withFake
      const { provider } = fake
      // Taken, refused by either side, failed later, silent, taken in part.
      const orders = [0, 1, 2, 9, 10, 14].flatMap((two) => [payinOf(40_000 + two), payoutOf(1_000 + two)])
      yield* Effect.forEach([...orders, orders[0]!], provider.initiate)
      yield* fake.settled
      yield* Effect.forEach(orders, (order) => provider.enquire(attemptOf(order)))
      yield* provider.test!
      expect(new Set(fake.exchanged.map(({ reply }) => reply.status))).toEqual(new Set([200, 202, 404, 409, 500]))
      expect(fake.exchanged.flatMap(({ call }) => callFlaws(call))).toEqual([])
      expect(
        fake.exchanged.flatMap(({ call, reply }) => answerFlaws(call.method, call.path, reply.status, reply.text))
      ).toEqual([])
    })
  )

  it.scopedLive.each([
    ["api_key", "wrong"],
    ["collection_key", "wrong"]
  ] as const)("do not come together with a wrong %s", ([name, value]) =>
    Effect.gen(function* () {
      const fake = yield* withFake
      const stranger = fake.connectedWith({ [name]: value })
      expect(yield* stranger.initiate(payinOf(5_000))).toMatchObject({
        _tag: "Declined",
        code: "CREDENTIALS_REFUSED"
      })
      expect(Either.isLeft(yield* stranger.test!)).toBe(true)
      expect(yield* stranger.enquire(attemptOf(payinOf(5_000)))).toMatchObject({ _tag: "Unknown" })
    })
  )

  it.scopedLive("keep to the currency of the environment", () =>
    Effect.gen(function* () {
      const fake = yield* withFake
      const order = ugandan({ money: amount("10", "EUR") })
      expect(yield* fake.provider.initiate(order)).toMatchObject({
        _tag: "Declined",
        providerCode: "INVALID_CURRENCY"
      })
      const atSandbox = fake.connectedWith({ target_environment: "sandbox" })
      expect(yield* atSandbox.initiate(order)).toMatchObject({ _tag: "Accepted" })
      expect(yield* fake.connectedWith({ target_environment: "mars" }).initiate(payinOf(500))).toMatchObject({
        _tag: "Declined",
        providerCode: "NOT_ALLOWED_TARGET_ENVIRONMENT"
      })
    })
  )
})

describe("the fake of MTN alone", () => {
  const good = { amount: "100", currency: "UGX", externalId: "x" }
  const payer = { partyIdType: "MSISDN", partyId: "256772123456" }

  it.scopedLive.each([
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
  ] as const)("refuses an order with %s", ([_, body, headers, status]) =>
    Effect.gen(function* () {
      const fake = yield* withFake
      const { provider } = fake
      yield* provider.initiate(payinOf(5_000))
      const sent = fake.exchanged.find(({ call }) => call.path.endsWith("/requesttopay"))!.call
      const changed = { ...sent.headers, "x-reference-id": ugandan({}).reference, ...headers }
      const given = Object.fromEntries(Object.entries(changed).filter(([, value]) => value !== undefined)) as Record<
        string,
        string
      >
      const reply = yield* fake.http.call({ ...sent, headers: given, body: JSON.stringify(body) })
      expect(reply.status).toBe(status)
      expect(fake.books.all()).toHaveLength(1)
    })
  )

  it.scopedLive("takes the same order when nothing is wrong with it", () =>
    Effect.gen(function* () {
      const fake = yield* withFake
      const { provider } = fake
      yield* provider.initiate(payinOf(5_000))
      const sent = fake.exchanged.find(({ call }) => call.path.endsWith("/requesttopay"))!.call
      const headers = { ...sent.headers, "x-reference-id": ugandan({}).reference }
      const reply = yield* fake.http.call({ ...sent, headers, body: JSON.stringify({ ...good, payer }) })
      expect(reply.status).toBe(202)
      expect(fake.books.all()).toHaveLength(2)
    })
  )
})
