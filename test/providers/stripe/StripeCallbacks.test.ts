/** Stripe's callbacks: its own library signs them, and what it did not sign is not believed. */
import { createRequire } from "node:module"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Either, TestClock } from "effect"
import type { CallbackRequest } from "../../../src/providers/port/Callback.ts"
import { signatureOf } from "../../../src/providers/stripe/StripeCallbacks.ts"
import { stripe } from "../../../src/providers/stripe/StripeAdapter.ts"
import { connected } from "../support/ConnectedAdapter.ts"
import { inMinor, referenceNo } from "../support/TestOrders.ts"
import { replyOf, scripted } from "../support/ScriptedReplies.ts"
import { reference } from "./StripeTestOrders.ts"
import { callbackRequest } from "../support/CallbackFixtures.ts"

const secret = "whsec_test_secret"
const NOW = 1_900_000_000

/** Parts of Stripe's SDK that are used here: its own types are a third of all that the compiler would read. */
interface Library {
  readonly webhooks: {
    readonly generateTestHeaderString: (about: {
      readonly payload: string
      readonly secret: string
      readonly timestamp?: number
      readonly scheme?: string
    }) => string
    readonly constructEvent: (payload: string, header: string, secret: string) => { readonly id: string }
  }
}

const Stripe = createRequire(import.meta.url)("stripe") as new (key: string) => Library
const library = new Stripe("sk_test_abc")

const event = (type: string, object: object) =>
  JSON.stringify({ id: "evt_1", object: "event", type, created: NOW, livemode: false, data: { object } })

const intent = (about: object) => ({
  id: "pi_1",
  object: "payment_intent",
  currency: "eur",
  amount_received: 0,
  metadata: { reference },
  ...about
})

const request = (body: string, signature: string | undefined): CallbackRequest =>
  callbackRequest(body, { "stripe-signature": signature })

const signed = (payload: string, about: { readonly timestamp?: number; readonly secret?: string } = {}) =>
  request(payload, library.webhooks.generateTestHeaderString({ payload, secret, timestamp: NOW, ...about }))

const readCallback = (about: CallbackRequest, answer: Parameters<typeof scripted>[0] = () => replyOf(500, {})) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(NOW * 1000)
    const { http } = scripted(answer)
    return yield* connected(stripe, http, { secret_key: "sk_test_abc", webhook_secret: secret }).callback(about)
  })

const refusedFor = (about: CallbackRequest) => Effect.map(Effect.flip(readCallback(about)), ({ message }) => message)

describe("a callback that Stripe's own library signed", () => {
  const reports: ReadonlyArray<readonly [string, object, object]> = [
    [
      "payment_intent.succeeded",
      intent({ status: "succeeded", amount_received: 12300, latest_charge: "ch_1" }),
      { state: "completed", movements: [{ amount: inMinor("EUR", 12_300n) }] }
    ],
    ["payment_intent.processing", intent({ status: "processing" }), { state: "processing" }],
    ["payment_intent.requires_action", intent({ status: "requires_action" }), { state: "pending" }],
    ["payment_intent.canceled", intent({ status: "canceled" }), { state: "failed" }],
    [
      "payment_intent.payment_failed",
      intent({ status: "requires_payment_method", last_payment_error: { type: "card_error", code: "expired_card" } }),
      { state: "failed", code: "CARD_EXPIRED" }
    ],
    ["payment_intent.a_new_one", intent({ status: "a_new_one" }), { state: "processing", providerStatus: "a_new_one" }]
  ]
  for (const [type, object, report] of reports) {
    it.effect(`${type}: a statement`, () =>
      Effect.gen(function* () {
        const { events } = yield* readCallback(signed(event(type, object)))
        expect(events).toMatchObject([
          { _tag: "VerifiedReport", key: "evt_1", attempt: { reference, providerPaymentId: "pi_1" }, report }
        ])
      })
    )
  }

  it.effect("about a refund of ours speaks for that refund", () =>
    Effect.gen(function* () {
      const refund = {
        id: "re_1",
        object: "refund",
        status: "failed",
        failure_reason: "unknown",
        payment_intent: "pi_1"
      }
      const ours = { ...refund, metadata: { reference: referenceNo(7) } }
      const { events } = yield* readCallback(signed(event("charge.refund.updated", ours)))
      expect(events).toMatchObject([
        { attempt: { reference: referenceNo(7), providerPaymentId: "re_1" }, report: { state: "returned" } }
      ])
    })
  )

  it.effect("about a refund that was made by hand reports the payment's money, once for the refund", () =>
    Effect.gen(function* () {
      const paid = () => replyOf(200, intent({ status: "succeeded", amount_received: 12300 }))
      const refund = (status: string) =>
        signed(
          event("refund.updated", {
            ...{ id: "re_1", object: "refund", status, metadata: {} },
            ...{ payment_intent: "pi_1", amount: 300, currency: "eur" }
          })
        )
      const attempt = { reference, providerPaymentId: "pi_1" }
      const refunded = { kind: "refund", amount: inMinor("EUR", 300n), state: "settled" }
      const movements = [refunded, { ...refunded, kind: "reinstatement" }]
      const taken = { key: "refund re_1 taken", attempt, report: { state: "returned", movements: [refunded] } }
      const begun = { ...taken, report: { state: "returned", movements } }
      const failed = { key: "refund re_1 regained", attempt, report: { state: "completed", movements } }
      for (const status of ["pending", "requires_action", "succeeded"]) {
        expect((yield* readCallback(refund(status), paid)).events, status).toMatchObject([taken])
      }
      // Reports the beginning with the end, as the end may be the only callback.
      for (const status of ["failed", "canceled"]) {
        expect((yield* readCallback(refund(status), paid)).events, status).toMatchObject([begun, failed])
      }
      const others = () => replyOf(200, intent({ status: "succeeded", metadata: {} }))
      expect((yield* readCallback(refund("succeeded"), others)).events).toEqual([])
      const nameless = event("refund.updated", { id: "re_1", object: "refund", status: "succeeded", metadata: {} })
      expect((yield* readCallback(signed(nameless), paid)).events).toEqual([])
    })
  )

  it.effect("about nothing of ours says nothing", () =>
    Effect.gen(function* () {
      const others = [
        event("payment_intent.succeeded", intent({ status: "succeeded", metadata: {} })),
        event("charge.refunded", { id: "ch_1", object: "charge", payment_intent: "pi_1" }),
        event("charge.dispute.created", { object: "dispute", amount: 1, currency: "eur", payment_intent: "pi_1" }),
        event("plan.created", { id: "price_1", object: "plan" }),
        event("payment_intent.succeeded", { object: "payment_intent" }),
        "[]"
      ]
      for (const body of others) expect((yield* readCallback(signed(body))).events).toEqual([])
    })
  )

  it.effect("about an amount that cannot be read only hints at it", () =>
    Effect.gen(function* () {
      const odd = intent({ status: "succeeded", amount_received: 5, currency: "zzz" })
      const { events } = yield* readCallback(signed(event("payment_intent.succeeded", odd)))
      expect(events).toMatchObject([{ _tag: "Hint", attempt: { reference } }])
    })
  )

  it.effect("with several signatures needs only one that fits", () =>
    Effect.gen(function* () {
      const body = event("payment_intent.processing", intent({ status: "processing" }))
      const header = `t=${NOW},v1=${"0".repeat(64)},v1=${signatureOf(secret, `${NOW}`, body)},v0=x`
      expect((yield* readCallback(request(body, header))).events).toHaveLength(1)
    })
  )
})

describe("money that Stripe takes back", () => {
  const dispute = (amount: number, end = "withdrawn", currency = "eur") =>
    signed(
      event(`charge.dispute.funds_${end}`, { id: "dp_1", object: "dispute", amount, currency, payment_intent: "pi_1" })
    )
  const paid = () => replyOf(200, intent({ status: "succeeded", amount_received: 12300 }))
  const attempt = { reference, providerPaymentId: "pi_1" }

  it.effect("is returned, the whole of it or a part, with what was taken", () =>
    Effect.gen(function* () {
      for (const amount of [12300, 300]) {
        const { events } = yield* readCallback(dispute(amount), paid)
        const report = { state: "returned", movements: [{ amount: inMinor("EUR", BigInt(amount)) }] }
        expect(events).toMatchObject([{ _tag: "VerifiedReport", attempt, report }])
      }
    })
  )

  it.effect("is regained where it is reinstated", () =>
    Effect.gen(function* () {
      const { events } = yield* readCallback(dispute(300, "reinstated"), paid)
      const amount = inMinor("EUR", 300n)
      const movements = ["reversal", "reinstatement"].map((kind) => ({ kind, amount, state: "settled" }))
      expect(events).toMatchObject([{ attempt, report: { state: "completed", movements } }])
    })
  )

  it.effect("is for later where Stripe cannot be asked, and is dropped where it is not ours", () =>
    Effect.gen(function* () {
      const answers = [replyOf(500, {}), replyOf(401, {}), replyOf(404, {}), replyOf(200, {}), replyOf(200, "<html>")]
      for (const answer of answers) {
        expect(yield* Effect.flip(readCallback(dispute(12300), () => answer))).toMatchObject({
          _tag: "NotNow",
          message: expect.stringContaining("could not be looked up")
        })
      }
      const others = () => replyOf(200, intent({ status: "succeeded", metadata: {} }))
      expect((yield* readCallback(dispute(12300), others)).events).toEqual([])
      expect((yield* readCallback(dispute(12300, "withdrawn", "zzz"), paid)).events).toEqual([])
    })
  )
})

describe("a callback that is not believed", () => {
  const body = event("payment_intent.succeeded", intent({ status: "succeeded", amount_received: 12300 }))

  it.effect("was changed on its way", () =>
    Effect.gen(function* () {
      const { headers } = signed(body)
      const altered = request(body.replace("12300", "99900"), headers["stripe-signature"])
      expect(yield* refusedFor(altered)).toContain("missing or wrong")
      expect(yield* refusedFor(request(` ${body}`, headers["stripe-signature"]))).toContain("missing or wrong")
    })
  )

  it.effect("has another signature, or none", () =>
    Effect.gen(function* () {
      expect(yield* refusedFor(signed(body, { secret: "whsec_other" }))).toContain("missing or wrong")
      const names = [undefined, "", "t=,v1=", `t=${NOW}`, "v1=abc", `t=x,v1=${signatureOf(secret, "x", body)}`]
      for (const header of names) expect(yield* refusedFor(request(body, header))).toContain("missing or wrong")
    })
  )

  it.effect("is older than five minutes", () =>
    Effect.gen(function* () {
      expect(yield* refusedFor(signed(body, { timestamp: NOW - 301 }))).toContain("older than 300 seconds")
      expect((yield* readCallback(signed(body, { timestamp: NOW - 299 }))).events).toHaveLength(1)
    })
  )

  it.effect("comes to an account without a secret", () =>
    Effect.gen(function* () {
      const { http } = scripted(() => replyOf(500, {}))
      const provider = connected(stripe, http, { secret_key: "sk_test_abc" })
      expect(yield* Effect.flip(provider.callback(signed(body)))).toMatchObject({
        message: expect.stringContaining("STRIPE_WEBHOOK_SECRET")
      })
    })
  )

  it.effect("is what Stripe's library would refuse too", () =>
    Effect.gen(function* () {
      const time = `${Math.floor(Date.now() / 1000)}`
      const ours = `t=${time},v1=${signatureOf(secret, time, body)}`
      expect(library.webhooks.constructEvent(body, ours, secret).id).toBe("evt_1")
      const taken = yield* Effect.sync(() =>
        Either.try(() => library.webhooks.constructEvent(`${body} `, ours, secret))
      )
      expect(Either.isLeft(taken)).toBe(true)
    })
  )
})
