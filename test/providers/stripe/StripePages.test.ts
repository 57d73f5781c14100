/** Cards on Stripe's own page: the request, the page of the fake, every event about it, and its end. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Accepted, Unknown } from "../../../src/domain/Outcome.ts"
import type { PaymentOrder } from "../../../src/providers/port/Provider.ts"
import { stripe } from "../../../src/providers/stripe/StripeAdapter.ts"
import { signed, stripeFake } from "../../fakes/StripeFake.ts"
import { chargeOf, keptOf } from "../../fakes/StripeFakeIntents.ts"
import { sessionOf } from "../../fakes/StripeFakeSessions.ts"
import { againstFake, visited } from "../support/AgainstFake.ts"
import { asCalledBack } from "../support/CallbackFixtures.ts"
import { connected } from "../support/ConnectedAdapter.ts"
import { type About, attemptOf, cardNumbered, idIn, inMinor, referenceNo, refundOf } from "../support/TestOrders.ts"
import { replyOf, scripted } from "../support/ScriptedReplies.ts"
import { newOrder, reference } from "./StripeTestOrders.ts"

const running = againstFake(stripe, stripeFake)

const order = (minor = 12_300n, about: About = {}) => newOrder({ money: inMinor("EUR", minor), ...about })

const now = (of: PaymentOrder, providerPaymentId: string | null = null) =>
  attemptOf(of, { providerPaymentId, sentAt: new Date() })

const pageIn = (outcome: unknown): string => (outcome as Accepted).actionData["redirect_url"]!

const opened = (page: string) =>
  Effect.promise(async () => {
    const response = await fetch(page, { redirect: "manual" })
    await response.arrayBuffer()
    return response.status
  })

const session = (about: object = {}) => ({
  id: "cs_test_1",
  object: "checkout.session",
  amount_total: 12_300,
  currency: "eur",
  created: 1_900_000_000,
  expires_at: 1_900_003_600,
  metadata: { reference },
  payment_intent: null,
  payment_status: "unpaid",
  status: "open",
  url: "https://checkout.stripe.com/c/pay/cs_test_1",
  ...about
})

const at = (answer: Parameters<typeof scripted>[0], rawCards = false) => {
  const { calls, http } = scripted(answer)
  return { calls, provider: connected(stripe, http, { secret_key: "sk_live_abc" }, { rawCards }) }
}

describe("a page", () => {
  it.effect("is asked for without the card's number, with our reference on it and on the payment behind it", () =>
    Effect.gen(function* () {
      const { calls, provider } = at(() => replyOf(200, session()))
      const outcome = yield* provider.initiate(newOrder({ card: cardNumbered("4111111111111111") }))
      expect(outcome).toMatchObject({
        _tag: "Accepted",
        state: "pending",
        providerPaymentId: "cs_test_1",
        nextAction: "redirect",
        actionData: {
          redirect_url: "https://checkout.stripe.com/c/pay/cs_test_1",
          expires_at: new Date(1_900_003_600_000).toISOString()
        }
      })
      const [{ body = "", headers, path }] = calls as [(typeof calls)[0] & object]
      expect(path).toBe("/v1/checkout/sessions")
      expect(headers).toMatchObject({ "idempotency-key": reference })
      expect(body).not.toContain("4111111111111111")
      expect(Object.fromEntries(new URLSearchParams(body))).toMatchObject({
        mode: "payment",
        "payment_method_types[]": "card",
        "line_items[0][price_data][unit_amount]": "12300",
        "line_items[0][price_data][currency]": "eur",
        // The payer pays what was asked for, in its currency.
        "adaptive_pricing[enabled]": "false",
        "metadata[reference]": reference,
        "payment_intent_data[metadata][reference]": reference,
        success_url: "https://pay.example.com/back/p1",
        customer_email: "ada@example.com"
      })
      expect(provider.takesCardNumbers).toBe(false)
    })
  )

  it.effect("is asked for without a card where card numbers may be sent too", () =>
    Effect.gen(function* () {
      const { calls, provider } = at(() => replyOf(200, session()), true)
      yield* provider.initiate(newOrder())
      expect(calls[0]?.path).toBe("/v1/checkout/sessions")
      expect(provider.takesCardNumbers).toBe(true)
    })
  )

  it.effect("closes with the payin, or as soon after it as Stripe allows", () =>
    Effect.gen(function* () {
      const { calls, provider } = at(() => replyOf(200, session()))
      const ends = [10, 60, 23 * 60, 25 * 60].map((minutes) => new Date(minutes * 60_000))
      for (const expiresAt of ends) yield* provider.initiate(newOrder({ expiresAt }))
      const said = calls.map(({ body = "" }) => new URLSearchParams(body).get("expires_at"))
      expect(said).toEqual(["1860", "3600", "82800", null])
    })
  )

  const answers: ReadonlyArray<readonly [string, number, unknown, object]> = [
    ["refused", 400, { error: { type: "invalid_request_error", code: "amount_too_small" } }, { _tag: "Declined" }],
    ["refused for its key", 401, {}, { _tag: "Declined", code: "CREDENTIALS_REFUSED" }],
    ["answered without its address", 200, session({ url: null }), { _tag: "Unknown" }],
    ["answered with an error", 500, {}, { _tag: "Unknown" }]
  ]
  for (const [name, status, body, expected] of answers) {
    it.effect(`${name}: ${expected["_tag" as never]}`, () =>
      Effect.gen(function* () {
        expect(yield* at(() => replyOf(status, body)).provider.initiate(order())).toMatchObject(expected)
      })
    )
  }

  const intent = (status: string, about: object = {}) => ({
    id: "pi_1",
    amount: 12_300,
    amount_received: 0,
    currency: "eur",
    status,
    metadata: { reference, paid_on: "page" },
    ...about
  })
  const paid = intent("succeeded", { amount_received: 12_300, latest_charge: "ch_1" })

  const states: ReadonlyArray<readonly [string, object, object]> = [
    ["open", {}, { state: "pending", providerPaymentId: null, waitsFor: { nextAction: "redirect" } }],
    [
      "open, with a refused card",
      { payment_intent: intent("requires_payment_method", { last_payment_error: { type: "card_error" } }) },
      { state: "pending", providerPaymentId: null }
    ],
    ["open, with a proof under way", { payment_intent: intent("requires_action") }, { state: "pending" }],
    ["open, and paid a moment ago", { payment_intent: paid }, { state: "completed", providerPaymentId: "pi_1" }],
    [
      "complete",
      { status: "complete", payment_status: "paid", url: null, payment_intent: paid },
      { state: "completed", providerPaymentId: "pi_1", movements: [{ id: "ch_1", amount: inMinor("EUR", 12_300n) }] }
    ],
    [
      "complete, with money under way",
      { status: "complete", payment_intent: intent("processing") },
      { state: "processing" }
    ],
    ["expired", { status: "expired", url: null }, { state: "failed", code: "NOT_APPROVED" }],
    [
      "expired, with its payment",
      { status: "expired", url: null, payment_intent: intent("canceled") },
      { state: "failed", code: "NOT_APPROVED" }
    ],
    ["something new", { status: "paused" }, { state: "processing" }]
  ]
  for (const [name, about, expected] of states) {
    it.effect(`that is ${name} is reported so`, () =>
      Effect.gen(function* () {
        const { provider } = at(() => replyOf(200, session(about)))
        expect(yield* provider.enquire(now(order(), "cs_test_1"))).toMatchObject({ _tag: "Report", ...expected })
      })
    )
  }

  it.effect("of another reference or amount is not ours, by its own id or ours", () =>
    Effect.gen(function* () {
      for (const other of [{ metadata: { reference: referenceNo(7) } }, { amount_total: 1 }]) {
        const { provider } = at(({ path }) =>
          path.includes("cs_test_1") ? replyOf(200, session(other)) : replyOf(200, { data: [], has_more: false })
        )
        const said = yield* provider.enquire({ ...now(order()), hintedIds: ["cs_test_1"] })
        expect(said).toMatchObject({ _tag: "Absent" })
      }
    })
  )
})

describe("at the fake, a payer", () => {
  it.scopedLive("pays on the page, comes back, and gets the money back", () =>
    Effect.gen(function* () {
      const { books, events, provider, settled } = yield* running
      const paying = order(12_300n, { returnUrl: "https://pay.example.com/back?t=abc" })
      const outcome = yield* provider.initiate(paying)
      expect(idIn(yield* provider.initiate(paying))).toBe(idIn(outcome))
      expect(books.holdings().size).toBe(0)
      const back = yield* visited(pageIn(outcome))
      expect(back.href).toBe("https://pay.example.com/back?t=abc")
      yield* settled
      const resumed = yield* provider.resume!(now(paying, idIn(outcome)), {})
      expect(resumed).toMatchObject({ state: "completed", movements: [{ amount: inMinor("EUR", 12_300n) }] })
      const id = idIn(resumed)
      expect(id).toMatch(/^pi_/)
      expect(provider.givesUpId!(idIn(outcome))).toBe(true)
      expect(provider.givesUpId!(id)).toBe(false)
      expect(yield* events).toMatchObject([{ attempt: { reference }, report: { state: "completed" } }])
      const early = yield* provider.refund!(refundOf(now(paying, idIn(outcome))))
      expect(early).toMatchObject({ _tag: "Declined", code: "INVALID_ORDER" })
      expect(yield* provider.refund!(refundOf(now(paying, id)))).toMatchObject({ _tag: "Accepted" })
      yield* settled
      expect(books.holdings()).toEqual(new Map([["EUR", 0n]]))
    })
  )

  it.scopedLive("whose card is refused tries another one on the same page", () =>
    Effect.gen(function* () {
      const { books, provider, settled } = yield* running
      const outcome = yield* provider.initiate(order())
      expect(yield* opened(`${pageIn(outcome)}?card=4000000000000002`)).toBe(402)
      const refused = yield* provider.enquire(now(order(), idIn(outcome)))
      expect(refused).toMatchObject({ state: "pending", providerPaymentId: null, waitsFor: { nextAction: "redirect" } })
      expect(yield* opened(pageIn(outcome))).toBe(302)
      yield* settled
      expect(yield* provider.enquire(now(order(), idIn(outcome)))).toMatchObject({ state: "completed" })
      expect(books.holdings()).toEqual(new Map([["EUR", 12_300n]]))
    })
  )

  it.scopedLive("finds the page closed once it was called off, and a paid one is not called off", () =>
    Effect.gen(function* () {
      const { books, provider, settled } = yield* running
      const outcome = yield* provider.initiate(order())
      yield* opened(`${pageIn(outcome)}?card=4000000000000002`)
      expect(yield* provider.cancel!(now(order()))).toBe("canceled")
      expect(yield* provider.cancel!(now(order(), idIn(outcome)))).toBe("canceled")
      expect(yield* opened(pageIn(outcome))).toBe(410)
      expect(yield* provider.enquire(now(order(), idIn(outcome)))).toMatchObject({ state: "failed" })
      const other = order(500n, { reference: referenceNo(2) })
      const paid = yield* provider.initiate(other)
      yield* opened(pageIn(paid))
      yield* settled
      expect(yield* provider.cancel!(now(other, idIn(paid)))).toBe("refused")
      expect(books.holdings()).toEqual(new Map([["EUR", 500n]]))
    })
  )

  for (const [name, minor] of [
    ["lost", 12_304n],
    ["garbled", 12_306n]
  ] as const) {
    it.scopedLive(`is sent to the page although its answer was ${name}`, () =>
      Effect.gen(function* () {
        const { provider } = yield* running
        expect(yield* provider.initiate(order(minor))).toBeInstanceOf(Unknown)
        const found = yield* provider.enquire(now(order(minor)))
        expect(found).toMatchObject({ state: "pending", waitsFor: { nextAction: "redirect" } })
        expect(idIn(found)).toMatch(/^cs_/)
      })
    )
  }

  it.scopedLive("who never pays is reported once the page has expired", () =>
    Effect.gen(function* () {
      const { events, provider, settled } = yield* running
      const outcome = yield* provider.initiate(order(12_309n))
      yield* opened(pageIn(outcome))
      yield* settled
      expect((yield* events).at(-1)).toMatchObject({
        _tag: "VerifiedReport",
        attempt: { reference },
        report: { state: "failed", code: "NOT_APPROVED", providerPaymentId: null }
      })
    })
  )
})

describe("callbacks", () => {
  it.scopedLive("of the page, of its charge and of a dispute name the same attempt", () =>
    Effect.gen(function* () {
      const { books, provider, settled, url, world } = yield* running
      const outcome = yield* provider.initiate(order())
      yield* opened(pageIn(outcome))
      yield* settled
      const entry = books.byReference("payin", reference)!
      const said = (type: string, object: unknown) =>
        Effect.map(provider.callback(asCalledBack(signed(type, object, type, world))), ({ events }) => events)
      for (const type of ["completed", "async_payment_succeeded", "async_payment_failed"]) {
        expect(yield* said(`checkout.session.${type}`, sessionOf(entry, url))).toMatchObject([
          { _tag: "Hint", attempt: { reference, providerPaymentId: idIn(outcome) } }
        ])
      }
      const charge = { ...chargeOf(entry, 0n), metadata: keptOf(entry).intent.metadata }
      for (const type of ["charge.succeeded", "charge.refunded"]) {
        expect(yield* said(type, charge)).toMatchObject([
          { _tag: "Hint", attempt: { reference, providerPaymentId: entry.id } }
        ])
      }
      const disputes = stripeFake.disputes!.callbacksOf({ of: entry, money: entry.moved, stage: "opened" }, world)
      const taken = yield* Effect.forEach(disputes, (one) => provider.callback(asCalledBack(one)))
      expect(taken.flatMap(({ events }) => events)).toMatchObject([
        { _tag: "VerifiedReport", attempt: { reference }, report: { state: "returned", providerPaymentId: entry.id } }
      ])
      const strange = { ...sessionOf(entry, url), metadata: {} }
      expect(yield* said("checkout.session.completed", strange)).toEqual([])
    })
  )
})
