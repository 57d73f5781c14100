/** Adyen's adapter against its fake, where only callbacks report the end: cards with their number, and refunds. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Either } from "effect"
import { type Accepted, Unknown } from "../../../src/domain/Outcome.ts"
import { adyen } from "../../../src/providers/adyen/AdyenAdapter.ts"
import { adyenFake } from "../../fakes/AdyenFake.ts"
import { againstFake, visited } from "../support/AgainstFake.ts"
import { type About, attemptOf, cardNumbered, idIn, inMinor, referenceNo, refundOf } from "../support/TestOrders.ts"
import { newOrder, payout } from "./AdyenTestOrders.ts"
import { asCalledBack } from "../support/CallbackFixtures.ts"

const running = againstFake(adyen, adyenFake, { rawCards: true })

const card = (minor: bigint, about: About = {}) =>
  newOrder({ card: cardNumbered("4111111111111111"), money: inMinor("EUR", minor), ...about })

describe("a card with its number at the fake", () => {
  it.scopedLive("completes, is reported once, and is what the fake holds", () =>
    Effect.gen(function* () {
      const { books, events, provider, settled } = yield* running
      const order = card(12_300n)
      const outcome = yield* provider.initiate(order)
      expect(outcome).toMatchObject({ _tag: "Accepted", state: "processing" })
      expect(idIn(yield* provider.initiate(order))).toBe(idIn(outcome))
      yield* settled
      expect(yield* events).toMatchObject([
        {
          attempt: { reference: order.reference, providerPaymentId: idIn(outcome) },
          report: { state: "completed", movements: [{ amount: order.money }] }
        }
      ])
      expect(books.holdings()).toEqual(new Map([["EUR", 12_300n]]))
    })
  )

  const declines: ReadonlyArray<readonly [bigint, object]> = [
    [12_301n, { code: "CARD_DECLINED", providerCode: "2", instrument: true }],
    [12_302n, { code: "INVALID_ORDER", providerCode: "905" }],
    [12_308n, { code: "PROVIDER_BUSY" }]
  ]
  for (const [minor, expected] of declines) {
    it.scopedLive(`of ${minor} is declined ${JSON.stringify(expected)}, and nothing is held`, () =>
      Effect.gen(function* () {
        const { books, provider, settled } = yield* running
        expect(yield* provider.initiate(card(minor))).toMatchObject({ _tag: "Declined", ...expected })
        yield* settled
        expect(books.holdings().size).toBe(0)
      })
    )
  }

  for (const minor of [12_304n, 12_306n]) {
    it.scopedLive(
      `of ${minor}, whose answer is lost, is reported by its callback, and moved once when sent again`,
      () =>
        Effect.gen(function* () {
          const { books, events, provider, settled } = yield* running
          const order = card(minor)
          expect(yield* provider.initiate(order)).toBeInstanceOf(Unknown)
          yield* settled
          expect(yield* events).toMatchObject([
            { attempt: { reference: order.reference }, report: { state: "completed" } }
          ])
          expect(yield* provider.initiate(order)).toMatchObject({ _tag: "Accepted" })
          yield* settled
          expect(books.holdings()).toEqual(new Map([["EUR", minor]]))
        })
    )
  }

  it.scopedLive("that fails later, or brings less, is reported so", () =>
    Effect.gen(function* () {
      const { books, events, provider, settled } = yield* running
      yield* provider.initiate(card(12_309n))
      yield* settled
      expect((yield* events).at(-1)).toMatchObject({ _tag: "VerifiedReport", report: { state: "failed" } })
      yield* provider.initiate(card(12_314n, { reference: referenceNo(2) }))
      yield* settled
      expect((yield* events).at(-1)).toMatchObject({
        report: { state: "completed", movements: [{ amount: inMinor("EUR", 11_083n) }] }
      })
      expect(books.holdings()).toEqual(new Map([["EUR", 11_083n]]))
    })
  )

  it.scopedLive("that must be proved sends its payer to a page, and is finished with what they bring back", () =>
    Effect.gen(function* () {
      const { books, provider, settled } = yield* running
      const order = card(12_300n, {
        card: cardNumbered("4212345678901237"),
        returnUrl: "https://pay.example.com/back?t=abc"
      })
      const outcome = yield* provider.initiate(order)
      expect(outcome).toMatchObject({ state: "pending", nextAction: "redirect" })
      const back = yield* visited((outcome as Accepted).actionData["redirect_url"])
      expect(back.searchParams.get("t")).toBe("abc")
      yield* settled
      expect(books.holdings().size).toBe(0)
      const query = Object.fromEntries(back.searchParams)
      const context = attemptOf(order, { providerPaymentId: idIn(outcome) })
      const other = attemptOf({ ...order, reference: referenceNo(5) })
      expect(yield* provider.resume!(context, { redirectResult: "forged" })).toBeInstanceOf(Unknown)
      expect(yield* provider.resume!(context, query)).toMatchObject({ state: "processing" })
      expect(yield* provider.resume!(context, query)).toMatchObject({ _tag: "Report" })
      expect(yield* provider.resume!(other, query)).toBeInstanceOf(Unknown)
      yield* settled
      expect(books.holdings()).toEqual(new Map([["EUR", 12_300n]]))
    })
  )

  it.scopedLive("is cancelled while it waits for its customer, who cannot pay it any more", () =>
    Effect.gen(function* () {
      const { books, events, provider, settled } = yield* running
      const order = card(12_300n, { card: cardNumbered("4212345678901237") })
      const outcome = yield* provider.initiate(order)
      const context = attemptOf(order, { providerPaymentId: idIn(outcome) })
      expect(yield* provider.cancel!(context)).toBe("asked")
      yield* settled
      expect(yield* events).toMatchObject([
        { attempt: { reference: order.reference }, report: { state: "returned", calledOff: true } }
      ])
      const back = yield* visited((outcome as Accepted).actionData["redirect_url"])
      expect(yield* provider.resume!(context, Object.fromEntries(back.searchParams))).toMatchObject({ state: "failed" })
      yield* settled
      expect(books.holdings().size).toBe(0)
    })
  )

  it.scopedLive("that was authorised is not cancelled any more, and nothing is said of it", () =>
    Effect.gen(function* () {
      const { books, events, provider, settled } = yield* running
      const order = card(12_300n)
      const outcome = yield* provider.initiate(order)
      yield* settled
      expect(yield* provider.cancel!(attemptOf(order, { providerPaymentId: idIn(outcome) }))).toBe("asked")
      yield* settled
      expect(yield* events).toMatchObject([{ report: { state: "completed" } }])
      expect(books.holdings()).toEqual(new Map([["EUR", 12_300n]]))
    })
  )

  it.scopedLive("whose authorisation is cancelled is returned", () =>
    Effect.gen(function* () {
      const { books, provider, settled, world } = yield* running
      const order = card(12_300n)
      const outcome = yield* provider.initiate(order)
      yield* settled
      const entry = books.byId(idIn(outcome))!
      entry.state = "returned"
      const request = asCalledBack(adyenFake.callbackOf(entry, world)!)
      expect((yield* provider.callback(request)).events).toMatchObject([
        { attempt: { reference: order.reference, providerPaymentId: idIn(outcome) }, report: { state: "returned" } }
      ])
    })
  )
})

describe("a link at the fake", () => {
  it.scopedLive("is refused at once for Adyen's own reasons, and for the payer's once a card was tried", () =>
    Effect.gen(function* () {
      const { books, events, provider, settled } = yield* againstFake(adyen, adyenFake)
      expect(yield* provider.initiate(card(12_302n))).toMatchObject({ _tag: "Declined", providerCode: "905" })
      const order = card(12_301n, { reference: referenceNo(2) })
      const outcome = yield* provider.initiate(order)
      yield* visited((outcome as Accepted).actionData["redirect_url"])
      yield* settled
      expect(yield* events).toMatchObject([{ _tag: "Hint", attempt: { reference: order.reference } }])
      const said = yield* provider.enquire(attemptOf(order, { providerPaymentId: idIn(outcome) }))
      expect(said).toMatchObject({ state: "failed", code: "NOT_APPROVED" })
      expect(books.holdings().size).toBe(0)
    })
  )
})

describe("a link that is to be cancelled", () => {
  it.scopedLive("is closed while it is unpaid, and cannot be paid any more", () =>
    Effect.gen(function* () {
      const { books, calls, callbacks, provider, settled } = yield* againstFake(adyen, adyenFake)
      const order = card(12_300n)
      const outcome = yield* provider.initiate(order)
      const context = attemptOf(order, { providerPaymentId: idIn(outcome) })
      expect(yield* provider.cancel!(context)).toBe("canceled")
      expect(calls.filter(({ path }) => path.endsWith("/cancels"))).toEqual([])
      yield* visited((outcome as Accepted).actionData["redirect_url"])
      yield* settled
      expect(yield* provider.enquire(context)).toMatchObject({ state: "failed", providerStatus: "expired" })
      expect(yield* provider.cancel!(context), "once more").toBe("canceled")
      expect([books.holdings().size, callbacks.length]).toEqual([0, 0])
    })
  )

  it.scopedLive("is cancelled by its reference once its customer has paid", () =>
    Effect.gen(function* () {
      const { books, provider, settled, world } = yield* againstFake(adyen, adyenFake)
      const order = card(12_310n)
      const outcome = yield* provider.initiate(order)
      const context = attemptOf(order, { providerPaymentId: idIn(outcome) })
      yield* visited((outcome as Accepted).actionData["redirect_url"])
      expect(yield* provider.cancel!(context)).toBe("asked")
      yield* settled
      const request = asCalledBack(adyenFake.callbackOf(books.byId(idIn(outcome))!, world)!)
      expect((yield* provider.callback(request)).events).toMatchObject([
        { attempt: { reference: order.reference }, report: { state: "returned", calledOff: true } }
      ])
      expect(yield* provider.enquire(context)).toMatchObject({ state: "failed" })
      expect(books.holdings().size).toBe(0)
    })
  )
})

describe("a refund at the fake", () => {
  it.scopedLive("gives back in parts, once for a reference, and never more than was paid", () =>
    Effect.gen(function* () {
      const { books, events, provider, settled } = yield* running
      const order = card(10_000n)
      const paid = attemptOf(order, { providerPaymentId: idIn(yield* provider.initiate(order)) })
      yield* settled
      const part = refundOf(paid, { money: inMinor("EUR", 4_000n) })
      const first = yield* provider.refund!(part)
      expect(first).toMatchObject({ _tag: "Accepted", state: "processing" })
      expect(idIn(yield* provider.refund!(part))).toBe(idIn(first))
      yield* settled
      expect((yield* events).at(-1)).toMatchObject({
        attempt: { reference: part.reference, providerPaymentId: idIn(first) },
        report: { state: "completed" }
      })
      yield* provider.refund!(refundOf(paid, { reference: referenceNo(3), money: inMinor("EUR", 6_100n) }))
      yield* settled
      expect((yield* events).at(-1)).toMatchObject({
        attempt: { reference: referenceNo(3) },
        report: { state: "failed" }
      })
      expect(books.holdings()).toEqual(new Map([["EUR", 6_000n]]))
    })
  )

  it.scopedLive("of a link's payment goes by the number that the callback brought", () =>
    Effect.gen(function* () {
      const { books, events, provider, settled } = yield* againstFake(adyen, adyenFake)
      const order = card(10_000n)
      const outcome = yield* provider.initiate(order)
      yield* visited((outcome as Accepted).actionData["redirect_url"])
      yield* settled
      const [reported] = yield* events
      const psp = reported!.attempt.providerPaymentId
      expect(yield* events).toMatchObject([
        { attempt: { reference: order.reference }, report: { providerPaymentId: psp } }
      ])
      expect(psp).not.toBe(idIn(outcome))
      yield* provider.refund!(refundOf(attemptOf(order, { providerPaymentId: psp })))
      yield* settled
      expect(books.holdings()).toEqual(new Map([["EUR", 0n]]))
    })
  )

  it.scopedLive("whose answer is lost moves once when it is sent again, and a refused one moves nothing", () =>
    Effect.gen(function* () {
      const { books, events, provider, settled } = yield* running
      const order = card(10_000n)
      const paid = attemptOf(order, { providerPaymentId: idIn(yield* provider.initiate(order)) })
      yield* settled
      const lost = refundOf(paid, { money: inMinor("EUR", 4_004n) })
      expect(yield* provider.refund!(lost)).toBeInstanceOf(Unknown)
      yield* settled
      expect((yield* events).at(-1)).toMatchObject({
        attempt: { reference: lost.reference },
        report: { state: "completed" }
      })
      expect(yield* provider.refund!(lost)).toMatchObject({ _tag: "Accepted" })
      yield* settled
      const no = refundOf(paid, { reference: referenceNo(3), money: inMinor("EUR", 102n) })
      expect(yield* provider.refund!(no)).toMatchObject({ _tag: "Declined", providerCode: "125" })
      expect(books.holdings()).toEqual(new Map([["EUR", 5_996n]]))
    })
  )
})

describe("the fake", () => {
  it.scopedLive("takes no keys and accounts but its own", () =>
    Effect.gen(function* () {
      const { connectedWith } = yield* againstFake(adyen, adyenFake)
      const wrong = connectedWith({ api_key: "x", transfers_api_key: "x" })
      expect(yield* wrong.initiate(card(100n))).toMatchObject({ code: "CREDENTIALS_REFUSED" })
      expect(yield* wrong.initiate(payout())).toMatchObject({ code: "CREDENTIALS_REFUSED" })
      expect(Either.isLeft(yield* wrong.test!)).toBe(true)
      const other = connectedWith({ merchant_account: "x", balance_account: "x" })
      expect(yield* other.initiate(card(100n))).toMatchObject({
        code: "CREDENTIALS_REFUSED",
        providerCode: "403"
      })
      expect(yield* other.initiate(payout())).toMatchObject({ _tag: "Declined", providerCode: "30_031" })
    })
  )

  it.scopedLive("answers below the version of Adyen's own address too", () =>
    Effect.gen(function* () {
      const { provider } = yield* againstFake(adyen, adyenFake, { basePath: "/v71" })
      expect(yield* provider.initiate(card(100n))).toMatchObject({ _tag: "Accepted", nextAction: "redirect" })
    })
  )
})
