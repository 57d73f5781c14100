/** Ids of Stripe's movements: charges, refunds and disputes, the same in answers, callbacks and enquiries. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import type { Report } from "../../../src/domain/Outcome.ts"
import type { CallbackEvent } from "../../../src/providers/port/Callback.ts"
import { stripeFake } from "../../fakes/StripeFake.ts"
import { stripe } from "../../../src/providers/stripe/StripeAdapter.ts"
import { signatureOf } from "../../../src/providers/stripe/StripeCallbacks.ts"
import { webhookEvents } from "../../../src/providers/stripe/StripeManagement.ts"
import { againstFake } from "../support/AgainstFake.ts"
import { callbackRequest } from "../support/CallbackFixtures.ts"
import { connected } from "../support/ConnectedAdapter.ts"
import { movementsProblem, notIn } from "../support/NamedMovements.ts"
import { attemptOf, cardNumbered, inMinor, refundAttemptOf, refundOf } from "../support/TestOrders.ts"
import { replyOf, scripted } from "../support/ScriptedReplies.ts"
import { newOrder, reference } from "./StripeTestOrders.ts"

const NOW = 1_900_000_000
const secret = "whsec_test_secret"

// The ids of Stripe's published examples.
const PI = "pi_1NnlpVGPxmnHQRkJNuz3w9tH"
const CH = "ch_1NnlpSGPxmnHQRkJcYsK19E8"
const RE = "re_1NnmX5GPxmnHQRkJzG1txqB9"

const dollar = inMinor("USD", 100n)

const intent = (about: object = {}) => ({
  id: PI,
  object: "payment_intent",
  amount: 100,
  amount_received: 100,
  currency: "usd",
  status: "succeeded",
  latest_charge: CH,
  metadata: { reference },
  ...about
})

const charge = (about: object = {}) => ({ id: CH, object: "charge", amount_refunded: 0, disputed: false, ...about })

const refund = (about: object = {}) => ({
  id: RE,
  object: "refund",
  amount: 100,
  charge: CH,
  currency: "usd",
  payment_intent: PI,
  status: "succeeded",
  metadata: {},
  ...about
})

const dispute = (about: object = {}) => ({
  id: "dp_1",
  object: "dispute",
  amount: 40,
  charge: CH,
  currency: "usd",
  payment_intent: PI,
  status: "needs_response",
  ...about
})

const moved = (...amounts: ReadonlyArray<number>) => amounts.map((amount) => ({ amount, currency: "usd" }))

const partOf = (movement: object, minor: number) => ({ ...movement, amount: inMinor("USD", BigInt(minor)) })

const at = (answer: Parameters<typeof scripted>[0]) => {
  const { calls, http } = scripted(answer)
  return {
    calls,
    provider: connected(stripe, http, { secret_key: "sk_test_abc", webhook_secret: secret }, { rawCards: true })
  }
}

const readCallback = (type: string, object: object) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(NOW * 1000)
    const body = JSON.stringify({ id: "evt_1", object: "event", type, data: { object } })
    const { provider } = at(() => replyOf(200, intent()))
    const signature = `t=${NOW},v1=${signatureOf(secret, `${NOW}`, body)}`
    const { events } = yield* provider.callback(callbackRequest(body, { "stripe-signature": signature }))
    return reportsIn(events)
  })

const reportsIn = (events: ReadonlyArray<CallbackEvent>): ReadonlyArray<Report> =>
  events.flatMap((event) => (event._tag === "VerifiedReport" ? [event.report] : []))

const collection = { kind: "collection", id: CH, amount: dollar, state: "settled" }
const refunded = { kind: "refund", id: RE, amount: dollar, state: "settled" }
const failed = { kind: "reinstatement", id: `${RE}:failed`, amount: dollar, state: "settled" }
const disputed = { kind: "reversal", id: "dp_1", amount: inMinor("USD", 40n), state: "settled" }
const won = { ...disputed, kind: "reinstatement" }

const visa = newOrder({ card: cardNumbered("4242424242424242"), money: dollar })
const paid = attemptOf(visa, { providerPaymentId: PI })

describe("a collection at Stripe", () => {
  it.effect("has the id of its charge, never of its intent, in answer, callback and enquiry", () =>
    Effect.gen(function* () {
      const { calls, provider } = at(() => replyOf(200, intent()))
      expect(yield* provider.initiate(visa)).toMatchObject({ movements: [collection] })
      expect(yield* readCallback("payment_intent.succeeded", intent())).toMatchObject([{ movements: [collection] }])
      expect(yield* provider.enquire(paid)).toMatchObject({ movements: [collection] })
      expect(calls).toHaveLength(2)
    })
  )

  it.effect("is one, without further calls, where its charge has neither refunds nor disputes", () =>
    Effect.gen(function* () {
      const { calls, provider } = at(() => replyOf(200, intent({ latest_charge: charge() })))
      expect(yield* provider.enquire(paid)).toMatchObject({
        movements: [collection],
        providerData: { latest_charge: CH }
      })
      expect(calls).toHaveLength(1)
    })
  )

  it.effect("that is under way is none yet", () =>
    Effect.gen(function* () {
      const { provider } = at(() => replyOf(200, intent({ status: "processing", amount_received: 0 })))
      expect(yield* provider.enquire(paid)).not.toHaveProperty("movements")
    })
  )
})

describe("refunds at Stripe", () => {
  const order = refundOf(paid, { money: dollar })
  const ours = (about: object = {}) => refund({ metadata: { reference: order.reference }, ...about })

  it.effect("have the refund's id in answer, callback and enquiry", () =>
    Effect.gen(function* () {
      const { provider } = at(() => replyOf(200, ours()))
      expect(yield* provider.refund!(order)).toMatchObject({ movements: [refunded] })
      expect(yield* readCallback("charge.refund.updated", ours())).toMatchObject([{ movements: [refunded] }])
      const asked = refundAttemptOf(order, { providerPaymentId: RE })
      expect(yield* provider.enquire(asked)).toMatchObject({ movements: [refunded] })
    })
  )

  const states: ReadonlyArray<readonly [string, ReadonlyArray<object>, ReadonlyArray<object>]> = [
    ["pending", [{ ...refunded, state: "pending" }], [refunded]],
    ["failed", [refunded, failed], [refunded, failed]],
    // One that succeeded can still be canceled, in Stripe's dashboard.
    ["canceled", [refunded, failed], [refunded, failed]]
  ]
  for (const [status, own, byHand] of states) {
    it.effect(`that are ${status}, of ours and made by hand`, () =>
      Effect.gen(function* () {
        expect((yield* readCallback("refund.updated", ours({ status }))).at(-1)).toMatchObject({ movements: own })
        const said = yield* readCallback("refund.updated", refund({ status }))
        for (const report of said) expect(movementsProblem(report)).toBeUndefined()
        expect(said.at(-1)).toMatchObject({ movements: byHand })
      })
    )
  }
})

describe("an enquiry about a payin at Stripe", () => {
  const listing = (about: object, refunds: ReadonlyArray<object>, disputes: ReadonlyArray<object>) =>
    at(({ path }) => {
      if (path.startsWith("/v1/refunds")) return replyOf(200, { data: refunds })
      if (path.startsWith("/v1/disputes")) return replyOf(200, { data: disputes })
      return replyOf(200, intent({ latest_charge: charge(about) }))
    })

  it.effect("lists its refunds and disputes where the charge says that there are some", () =>
    Effect.gen(function* () {
      const { calls, provider } = listing({ amount_refunded: 100, disputed: true }, [refund()], [dispute()])
      const said = yield* provider.enquire(paid)
      expect(said).toMatchObject({ state: "completed", movements: [collection, refunded, disputed] })
      expect(calls.slice(1).map(({ path }) => path)).toEqual([
        `/v1/refunds?payment_intent=${PI}&limit=100`,
        `/v1/disputes?payment_intent=${PI}&limit=100`
      ])
      const alone = listing({ amount_refunded: 100 }, [refund()], [])
      yield* alone.provider.enquire(paid)
      expect(alone.calls).toHaveLength(2)
    })
  )

  const ends: ReadonlyArray<readonly [object, ReadonlyArray<object>]> = [
    [{ status: "warning_needs_response" }, []],
    [{ status: "lost" }, [disputed]],
    [{ status: "won" }, [disputed, won]],
    [{ status: "won", balance_transactions: [{ amount: -40 }, { amount: 40 }] }, [disputed, won]],
    // Disputes on partially refunded payments as Stripe documents them: lost, and what was refunded before comes back.
    [{ status: "lost", balance_transactions: moved(-40, 15) }, [disputed, partOf(won, 15)]],
    [{ status: "lost", balance_transactions: moved(-40, 10, 5) }, [disputed, partOf(won, 15)]],
    // Leaves open how much 17 cents are of the payment.
    [{ status: "lost", balance_transactions: [...moved(-40), { amount: 17, currency: "eur" }] }, [disputed]],
    // A dispute is won before its funds are back.
    [{ status: "won", balance_transactions: [{ amount: -40 }] }, [disputed]]
  ]
  for (const [about, movements] of ends) {
    it.effect(`names a dispute that is ${JSON.stringify(about)}`, () =>
      Effect.gen(function* () {
        const { provider } = listing({ disputed: true }, [], [dispute(about)])
        expect(yield* provider.enquire(paid)).toMatchObject({ movements: [collection, ...movements] })
      })
    )
  }

  it.effect("still reports how it stands where the lists are refused", () =>
    Effect.gen(function* () {
      const { provider } = at(({ path }) =>
        path.startsWith("/v1/payment_intents")
          ? replyOf(200, intent({ latest_charge: charge({ amount_refunded: 1, disputed: true }) }))
          : replyOf(403, {})
      )
      expect(yield* provider.enquire(paid)).toMatchObject({ state: "completed", movements: [collection] })
    })
  )
})

describe("disputes at Stripe", () => {
  it.effect("have the dispute's id, for what was withdrawn and for what was reinstated", () =>
    Effect.gen(function* () {
      expect(yield* readCallback("charge.dispute.funds_withdrawn", dispute())).toMatchObject([
        { movements: [disputed] }
      ])
      expect(yield* readCallback("charge.dispute.funds_reinstated", dispute({ status: "won" }))).toMatchObject([
        { movements: [disputed, won] }
      ])
      const part = dispute({ status: "lost", balance_transactions: moved(-40, 15) })
      expect(yield* readCallback("charge.dispute.funds_reinstated", part)).toMatchObject([
        { movements: [disputed, partOf(won, 15)] }
      ])
      expect(yield* readCallback("charge.dispute.funds_reinstated", dispute({ status: "lost" }))).toEqual([])
    })
  )
})

describe("refunds that were made by hand at Stripe", () => {
  it.scopedLive("are reported by the event that an endpoint of our version gets: the charge was refunded", () =>
    Effect.gen(function* () {
      const { mailbox, provider, settled } = yield* againstFake(stripe, stripeFake, { rawCards: true })
      const order = newOrder({ card: cardNumbered("4242424242424242"), money: inMinor("EUR", 10_019n) })
      const outcome = yield* provider.initiate(order)
      yield* settled
      const reported = mailbox.callbacks.at(-1)!
      const { api_version, type } = JSON.parse(reported.body.toString()) as { api_version: string; type: string }
      // Event of the refund itself comes from 2024-10-28 on.
      expect([api_version, type]).toEqual(["2023-08-16", "charge.refunded"])
      expect(webhookEvents).toContain(type)
      const { events } = yield* provider.callback(reported)
      const id = "providerPaymentId" in outcome ? outcome.providerPaymentId : undefined
      expect(events).toMatchObject([{ _tag: "Hint", attempt: { reference: order.reference, providerPaymentId: id } }])
    })
  )

  it("are reported by the events of the newest version too", () => {
    expect(webhookEvents).toEqual(expect.arrayContaining(["refund.created", "refund.updated", "refund.failed"]))
  })
})

describe("the fake of Stripe names the same movements in callbacks and enquiries", () => {
  const sequences: ReadonlyArray<readonly [string, bigint, ReadonlyArray<string>]> = [
    ["disputed", 10_015n, ["collection", "reversal"]],
    ["disputed and won", 10_016n, ["collection", "reversal", "reinstatement"]],
    ["refunded by hand", 10_019n, ["collection", "refund"]]
  ]
  for (const [name, minor, kinds] of sequences) {
    it.scopedLive(name, () =>
      Effect.gen(function* () {
        const { mailbox, provider, settled } = yield* againstFake(stripe, stripeFake, { rawCards: true })
        const order = newOrder({ card: cardNumbered("4242424242424242"), money: inMinor("EUR", minor) })
        const outcome = yield* provider.initiate(order)
        yield* settled
        const id = "providerPaymentId" in outcome ? (outcome.providerPaymentId ?? null) : null
        const enquiry = yield* provider.enquire(attemptOf(order, { providerPaymentId: id }))
        if (enquiry._tag !== "Report") return expect.fail(enquiry._tag)
        expect(enquiry.movements?.map(({ kind }) => kind)).toEqual(kinds)
        for (const request of mailbox.callbacks) {
          for (const report of reportsIn((yield* provider.callback(request)).events)) {
            expect(movementsProblem(report)).toBeUndefined()
            expect(notIn(report, enquiry)).toEqual([])
          }
        }
      })
    )
  }
})
