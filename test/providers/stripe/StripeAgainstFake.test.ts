/** Stripe's adapter against its fake: reports match what the fake holds. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Accepted, Unknown } from "../../../src/domain/Outcome.ts"
import { stripeFake } from "../../fakes/StripeFake.ts"
import { stripe } from "../../../src/providers/stripe/StripeAdapter.ts"
import type { PaymentOrder } from "../../../src/providers/port/Provider.ts"
import { againstFake, visited } from "../support/AgainstFake.ts"
import {
  type About,
  attemptOf,
  cardNumbered,
  idIn,
  inMinor,
  referenceNo,
  refundAttemptOf,
  refundOf
} from "../support/TestOrders.ts"
import { newOrder } from "./StripeTestOrders.ts"
import { asCalledBack } from "../support/CallbackFixtures.ts"

const running = againstFake(stripe, stripeFake, { rawCards: true })

const visa = (minor: bigint, about: About = {}) =>
  newOrder({ card: cardNumbered("4242424242424242"), money: inMinor("EUR", minor), ...about })

const now = (order: PaymentOrder, providerPaymentId: string | null = null) =>
  attemptOf(order, { providerPaymentId, sentAt: new Date() })

describe("a payment at the fake", () => {
  it.scopedLive("completes, is reported once, and is what the fake holds", () =>
    Effect.gen(function* () {
      const { books, events, provider, settled } = yield* running
      const order = visa(12_300n)
      const outcome = yield* provider.initiate(order)
      expect(outcome).toMatchObject({ _tag: "Accepted", state: "processing" })
      yield* settled
      const said = yield* provider.enquire(now(order, idIn(outcome)))
      expect(said).toMatchObject({ state: "completed", movements: [{ amount: inMinor("EUR", 12_300n) }] })
      expect(yield* events).toMatchObject([
        { attempt: { reference: order.reference, providerPaymentId: idIn(outcome) }, report: { state: "completed" } }
      ])
      expect(books.holdings()).toEqual(new Map([["EUR", 12_300n]]))
    })
  )

  it.scopedLive("is one however often it is sent, and no other by the same key", () =>
    Effect.gen(function* () {
      const { books, provider, settled } = yield* running
      const first = yield* provider.initiate(visa(12_300n))
      expect(idIn(yield* provider.initiate(visa(12_300n)))).toBe(idIn(first))
      expect(yield* provider.initiate(visa(99_900n))).toBeInstanceOf(Unknown)
      yield* settled
      expect(books.all()).toHaveLength(1)
      expect(books.holdings()).toEqual(new Map([["EUR", 12_300n]]))
    })
  )

  const declines: ReadonlyArray<readonly [string, PaymentOrder, object]> = [
    ["for want of money", visa(100n, { card: cardNumbered("4000000000009995") }), { code: "INSUFFICIENT_FUNDS" }],
    ["for an expired card", visa(100n, { card: cardNumbered("4000000000000069") }), { code: "CARD_EXPIRED" }]
  ]
  for (const [name, order, expected] of declines) {
    it.scopedLive(`is declined ${name}, and nothing is held`, () =>
      Effect.gen(function* () {
        const { books, provider, settled } = yield* running
        expect(yield* provider.initiate(order)).toMatchObject({ _tag: "Declined", ...expected })
        yield* settled
        expect(books.holdings().size).toBe(0)
      })
    )
  }

  it.scopedLive("that must be proved sends its payer to a page, which sends them back", () =>
    Effect.gen(function* () {
      const { books, provider, settled } = yield* running
      const order = visa(12_300n, {
        card: cardNumbered("4000002760003184"),
        returnUrl: "https://pay.example.com/back?t=abc"
      })
      const outcome = yield* provider.initiate(order)
      expect(outcome).toMatchObject({ state: "pending", nextAction: "redirect" })
      expect(books.holdings().size).toBe(0)
      const back = yield* visited((outcome as Accepted).actionData["redirect_url"])
      expect(`${back.origin}${back.pathname}`).toBe("https://pay.example.com/back")
      expect(back.searchParams.get("t")).toBe("abc")
      yield* settled
      const resumed = yield* provider.resume!(now(order, idIn(outcome)), Object.fromEntries(back.searchParams))
      expect(resumed).toMatchObject({ state: "completed" })
    })
  )

  const places = [
    ["DE", "EUR"],
    ["GB", "GBP"],
    ["JP", "JPY"],
    ["MX", "MXN"],
    ["US", "USD"]
  ] as const
  for (const [country, currency] of places) {
    it.scopedLive(`by bank transfer in ${currency} names an account and completes once it is paid`, () =>
      Effect.gen(function* () {
        const { books, events, provider, settled } = yield* running
        const order = newOrder({
          method: "bank_transfer",
          country,
          money: inMinor(currency, 12_300n)
        })
        const outcome = yield* provider.initiate(order)
        expect(outcome).toMatchObject({ state: "pending", nextAction: "bank_transfer" })
        expect((outcome as Accepted).actionData["account_number"]).toMatch(/^[A-Z0-9]{7,}$/)
        yield* settled
        expect(yield* events).toMatchObject([{ report: { state: "completed", movements: [{ amount: order.money }] } }])
        expect(books.holdings()).toEqual(new Map([[currency, 12_300n]]))
      })
    )
  }
})

describe("a refund at the fake", () => {
  it.scopedLive("gives back in parts, once for a reference, and never more than was paid", () =>
    Effect.gen(function* () {
      const { books, events, provider, settled } = yield* running
      const order = visa(10_000n)
      const paid = now(order, idIn(yield* provider.initiate(order)))
      yield* settled
      const part = refundOf(paid, { money: inMinor("EUR", 4_000n) })
      const first = yield* provider.refund!(part)
      expect(first).toMatchObject({ _tag: "Accepted", state: "processing" })
      expect(idIn(yield* provider.refund!(part))).toBe(idIn(first))
      yield* settled
      const reported = yield* events
      expect(reported.filter(({ _tag }) => _tag === "VerifiedReport").at(-1)).toMatchObject({
        attempt: { reference: part.reference, providerPaymentId: idIn(first) },
        report: { state: "completed" }
      })
      // The charge has no names of its refunds.
      expect(reported).toContainEqual(
        expect.objectContaining({
          _tag: "Hint",
          attempt: { reference: order.reference, providerPaymentId: paid.providerPaymentId }
        })
      )
      expect(yield* provider.enquire(refundAttemptOf(part))).toMatchObject({ state: "completed" })
      const tooMuch = refundOf(paid, { reference: referenceNo(3), money: inMinor("EUR", 6_100n) })
      expect(yield* provider.refund!(tooMuch)).toMatchObject({ _tag: "Declined", code: "INVALID_ORDER" })
      const rest = refundOf(paid, { reference: referenceNo(4), money: inMinor("EUR", 6_000n) })
      yield* provider.refund!(rest)
      yield* settled
      expect(books.holdings()).toEqual(new Map([["EUR", 0n]]))
      const again = refundOf(paid, { reference: referenceNo(5), money: inMinor("EUR", 100n) })
      expect(yield* provider.refund!(again)).toMatchObject({ providerCode: "charge_already_refunded" })
    })
  )

  it.scopedLive("that is refused moves nothing", () =>
    Effect.gen(function* () {
      const { books, provider, settled } = yield* running
      const order = visa(10_000n)
      const paid = now(order, idIn(yield* provider.initiate(order)))
      yield* settled
      const low = refundOf(paid, { reference: referenceNo(3), money: inMinor("EUR", 102n) })
      expect(yield* provider.refund!(low)).toMatchObject({ _tag: "Declined", code: "PROVIDER_BALANCE_LOW" })
      expect(books.holdings()).toEqual(new Map([["EUR", 10_000n]]))
    })
  )

  it.scopedLive("is not one when Stripe takes the money back for the payer", () =>
    Effect.gen(function* () {
      const { books, events, provider, settled, world } = yield* running
      const order = visa(10_000n)
      const outcome = yield* provider.initiate(order)
      yield* settled
      const entry = books.byId(idIn(outcome))!
      entry.state = "returned"
      const request = asCalledBack(stripeFake.callbackOf(entry, world)!)
      const { events: said } = yield* provider.callback(request)
      expect(said).toMatchObject([{ attempt: { reference: order.reference }, report: { state: "returned" } }])
      expect(yield* events).toHaveLength(1)
    })
  )
})

describe("the fake", () => {
  it.scopedLive("takes numbers of cards where they are sent", () =>
    Effect.gen(function* () {
      const { books, provider, settled } = yield* running
      yield* provider.initiate(visa(500n, { card: cardNumbered("4111111111111111") }))
      const refused = yield* provider.initiate(
        visa(600n, { reference: referenceNo(2), card: cardNumbered("4000000000009979") })
      )
      expect(refused).toMatchObject({ _tag: "Declined", code: "SUSPECTED_FRAUD" })
      yield* settled
      expect(books.holdings()).toEqual(new Map([["EUR", 500n]]))
    })
  )
})
