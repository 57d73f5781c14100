import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, Redacted } from "effect"
import { callbackCheckConcurrency } from "../../../src/domain/policies/ProviderPolicies.ts"
import {
  NeverSent,
  type ProviderCall,
  type ProviderHttp,
  type ProviderReply
} from "../../../src/providers/client/ProviderHttp.ts"
import { isCertificateOf, type LookUps, readCallback } from "../../../src/providers/paypal/PaypalCallbacks.ts"
import { Check } from "../../../src/providers/port/Callback.ts"
import { asCalledBack } from "../support/CallbackFixtures.ts"
import { amount } from "../support/TestOrders.ts"
import { replyOf } from "../support/ScriptedReplies.ts"
import { answering, connectedTo } from "./PaypalTestOrders.ts"

const reference = "3c2f7a52-9d3b-4c55-8a51-0f1f2f3a4b5c"

const BASE = "https://api-m.sandbox.paypal.com"

const headers = {
  "PAYPAL-AUTH-ALGO": "SHA256withRSA",
  "PAYPAL-CERT-URL": "https://api.sandbox.paypal.com/v1/notifications/certs/CERT-1",
  "PAYPAL-TRANSMISSION-ID": "b6c3dd60-8d5c-11e6",
  "PAYPAL-TRANSMISSION-SIG": "c2ln",
  "PAYPAL-TRANSMISSION-TIME": "2025-06-01T10:00:00Z"
}

const webhookId = Redacted.make("1JE4291016473214C")

const genuine = Check.confirmed("SUCCESS", "SUCCESS")

/** Resources that PayPal shows to the account's own credentials, by path; all others are unknown there. */
type Shown = Readonly<Record<string, ProviderReply | object>>

const isReply = (one: ProviderReply | object): one is ProviderReply => "headers" in one

const lookUpsIn = (shown: Shown, isNotForeign = true): LookUps => ({
  verified: () => Effect.succeed(genuine),
  lookedUp: ({ path }) => {
    const one = shown[path] ?? replyOf(404, { name: "RESOURCE_NOT_FOUND" })
    return Effect.succeed(isReply(one) ? one : replyOf(200, one))
  },
  isNotForeign: () => isNotForeign
})

const readBody = (body: string, verdict: Effect.Effect<boolean> = Effect.succeed(true), about: object = {}) => {
  const questions: Array<ProviderCall> = []
  const read = readCallback(webhookId, BASE, {
    ...lookUpsIn({}),
    verified: (question) => {
      questions.push(question)
      return Effect.map(verdict, (holds) => genuine.where(holds))
    }
  })
  return { questions, callback: read(asCalledBack({ headers: { ...headers, ...about }, body })) }
}

const eventsOf = (event_type: string, resource: object, lookUps = lookUpsIn({})) => {
  const body = JSON.stringify({ id: "WH-1", event_type, resource })
  const read = readCallback(webhookId, BASE, lookUps)(asCalledBack({ headers, body }))
  return Effect.map(read, ({ events }) => events)
}

const ORDER = "5O190127TN364715T"

const capture = {
  id: "3C679366HH908993F",
  status: "COMPLETED",
  amount: { currency_code: "USD", value: "100.00" },
  custom_id: reference,
  supplementary_data: { related_ids: { order_id: ORDER } },
  seller_receivable_breakdown: { paypal_fee: { currency_code: "USD", value: "3.98" } }
}

const item = (transaction_status: string) => ({
  payout_batch_id: "5UXD2E8A7EBQJ",
  transaction_status,
  payout_item: { sender_item_id: reference, amount: { currency: "USD", value: "9.87" } }
})

describe("callbacks of PayPal", () => {
  it.effect("only hint at captures: other customers can have one made under our reference", () =>
    Effect.gen(function* () {
      const hint = { _tag: "Hint", attempt: { reference, providerPaymentId: ORDER, about: "payin" } }
      for (const status of ["COMPLETED", "DECLINED", "PENDING", "PONDERING"]) {
        expect(yield* eventsOf(`PAYMENT.CAPTURE.${status}`, { ...capture, status })).toMatchObject([hint])
      }
    })
  )

  it.effect.each(["SUCCEEDED", "FAILED", "BLOCKED", "RETURNED", "UNCLAIMED", "REFUNDED"])(
    "only hint at payouts: %s",
    (event) =>
      Effect.gen(function* () {
        expect(yield* eventsOf(`PAYMENT.PAYOUTS-ITEM.${event}`, item(event))).toMatchObject([
          { _tag: "Hint", attempt: { reference, providerPaymentId: "5UXD2E8A7EBQJ", about: "payout" } }
        ])
      })
  )

  const dispute = (outcome_code: string, about: object = {}) => ({
    dispute_id: "PP-D-4012",
    disputed_transactions: [{ seller_transaction_id: capture.id, custom: reference }],
    dispute_amount: { currency_code: "USD", value: "100.00" },
    dispute_outcome: { outcome_code, amount_refunded: { currency_code: "USD", value: "96.00" } },
    ...about
  })
  const RESOLVED = "CUSTOMER.DISPUTE.RESOLVED"
  const DISPUTE = "/v1/customer/disputes/PP-D-4012"
  const CAPTURE = `/v2/payments/captures/${capture.id}`
  const unseen = {
    _tag: "Hint",
    unverified: { key: "CUSTOMER.DISPUTE.RESOLVED PP-D-4012", detail: expect.stringContaining("PP-D-4012") as string }
  }

  it.effect.each(["RESOLVED_BUYER_FAVOUR", "ACCEPTED"])(
    "report money that was taken back with a dispute, as the account sees it: %s",
    (code) =>
      Effect.gen(function* () {
        const reported = dispute(code)
        const forged = dispute(code, { dispute_outcome: { outcome_code: code } })
        const [event] = yield* eventsOf(RESOLVED, forged, lookUpsIn({ [DISPUTE]: reported, [CAPTURE]: capture }))
        expect(event, "under the order's id alone, and with the sum that PayPal shows").toMatchObject({
          _tag: "VerifiedReport",
          key: "CUSTOMER.DISPUTE.RESOLVED PP-D-4012",
          attempt: { reference: null, providerPaymentId: ORDER, about: "payin" },
          report: {
            state: "returned",
            providerPaymentId: ORDER,
            movements: [{ amount: amount("96.00", "USD") }],
            providerCode: code
          }
        })
        const whole = { [DISPUTE]: forged, [CAPTURE]: capture }
        expect(yield* eventsOf(RESOLVED, reported, lookUpsIn(whole))).toMatchObject([
          { report: { movements: [{ amount: amount("100.00", "USD") }] } }
        ])
        const two = dispute(code, { disputed_transactions: [{ custom: reference }, { custom: "another" }] })
        expect(yield* eventsOf(RESOLVED, two, lookUpsIn({ [DISPUTE]: two }))).toMatchObject([
          { ...unseen, attempt: { reference, providerPaymentId: null, about: "payin" } },
          { ...unseen, attempt: { reference: "another" } }
        ])
        const nameless = dispute(code, { disputed_transactions: [{}] })
        expect(yield* eventsOf(RESOLVED, nameless, lookUpsIn({ [DISPUTE]: nameless }))).toEqual([])
        expect(yield* eventsOf(RESOLVED, { dispute_id: "PP-D-4012" })).toEqual([])
      })
  )

  const reported = dispute("ACCEPTED")

  const hidden: ReadonlyArray<readonly [string, LookUps]> = [
    ["is not there for the account", lookUpsIn({})],
    ["the app may not see", lookUpsIn({ [DISPUTE]: replyOf(403, { name: "NOT_AUTHORIZED" }) })],
    ["is shown without its capture", lookUpsIn({ [DISPUTE]: reported })],
    [
      "is of a capture without an order",
      lookUpsIn({ [DISPUTE]: reported, [CAPTURE]: { ...capture, supplementary_data: null } })
    ]
  ]

  it.effect.each(hidden)("leave a lost dispute to an operator, by its id, where it %s", ([, lookUps]) =>
    Effect.gen(function* () {
      expect(yield* eventsOf(RESOLVED, reported, lookUps)).toMatchObject([
        { ...unseen, attempt: { reference, providerPaymentId: null, about: "payin" } }
      ])
    })
  )

  it.effect("find the order of a capture whose dispute the app may not see, with or without our reference", () =>
    Effect.gen(function* () {
      const nameless = dispute("ACCEPTED", { disputed_transactions: [{ seller_transaction_id: capture.id }] })
      for (const said of [reported, nameless]) {
        expect(yield* eventsOf(RESOLVED, said, lookUpsIn({ [CAPTURE]: capture }))).toMatchObject([
          { ...unseen, attempt: { reference: null, providerPaymentId: ORDER, about: "payin" } }
        ])
      }
    })
  )

  it.effect("only hint at disputes of another's capture, and at those that cost nothing by what PayPal shows", () =>
    Effect.gen(function* () {
      const shown: ReadonlyArray<LookUps> = [
        lookUpsIn({ [CAPTURE]: capture }, false),
        lookUpsIn({ [DISPUTE]: reported, [CAPTURE]: capture }, false),
        lookUpsIn({ [DISPUTE]: dispute("RESOLVED_SELLER_FAVOUR"), [CAPTURE]: capture })
      ]
      for (const one of shown) {
        const [event, ...others] = yield* eventsOf(RESOLVED, reported, one)
        expect(event).toMatchObject({ _tag: "Hint", attempt: { reference } })
        expect(event).not.toHaveProperty("unseen")
        expect(others).toEqual([])
      }
    })
  )

  it.effect("read a dispute of many captures at most ten times", () =>
    Effect.gen(function* () {
      const many = Array.from({ length: 50 }, (_, n) => ({ seller_transaction_id: `CAPTURE${n}` }))
      const asked: Array<string> = []
      const lookUps = lookUpsIn({})
      yield* eventsOf(RESOLVED, dispute("ACCEPTED", { disputed_transactions: many }), {
        ...lookUps,
        lookedUp: (question, proof) =>
          Effect.zipRight(
            Effect.sync(() => asked.push(question.path)),
            lookUps.lookedUp(question, proof)
          )
      })
      expect(asked).toHaveLength(11)
    })
  )

  it.effect.each(["RESOLVED_SELLER_FAVOUR", "RESOLVED_WITH_PAYOUT", "CANCELED_BY_BUYER", "DENIED", "NONE"])(
    "say nothing of a dispute that cost nothing: %s",
    (code) =>
      Effect.gen(function* () {
        expect(yield* eventsOf(RESOLVED, dispute(code))).toEqual([])
      })
  )

  it.effect("name what went back by hand at PayPal, once for each refund, as the account sees it", () =>
    Effect.gen(function* () {
      const id = "1Y107995YT783435V"
      const REFUND = `/v2/payments/refunds/${id}`
      const refund = {
        id,
        status: "COMPLETED",
        custom_id: reference,
        amount: { currency_code: "EUR", value: "4.00" },
        links: [{ rel: "up", href: `https://api.paypal.com${CAPTURE}`, method: "GET" }]
      }
      const reported = {
        _tag: "VerifiedReport",
        key: `PAYMENT.CAPTURE.REFUNDED ${id}`,
        attempt: { reference: null, providerPaymentId: ORDER, about: "payin" },
        report: {
          state: "returned",
          providerPaymentId: ORDER,
          movements: [{ amount: { currency: "EUR", minor: 400n } }]
        }
      }
      const forged = { ...refund, amount: { currency_code: "EUR", value: "400.00" } }
      const event = (shown: Shown, isNotForeign = true) =>
        eventsOf("PAYMENT.CAPTURE.REFUNDED", forged, lookUpsIn(shown, isNotForeign))
      expect(yield* event({ [REFUND]: refund, [CAPTURE]: capture })).toMatchObject([reported])
      const linked = {
        ...capture,
        supplementary_data: null,
        links: [{ rel: "up", href: `x/v2/checkout/orders/${ORDER}` }]
      }
      expect(yield* event({ [REFUND]: refund, [CAPTURE]: linked })).toMatchObject([reported])
      const unread = { currency_code: "EUR", value: "some" }
      const byReference = { _tag: "Hint", attempt: { reference, about: "payin" } }
      const byOrder = { _tag: "Hint", attempt: { reference: null, providerPaymentId: ORDER, about: "payin" } }
      const left = {
        unverified: { key: `PAYMENT.CAPTURE.REFUNDED ${id}`, detail: expect.stringContaining(id) as string }
      }
      const unclear: ReadonlyArray<readonly [Shown, object]> = [
        [{}, byReference],
        [{ [REFUND]: replyOf(403, {}) }, byReference],
        [{ [REFUND]: replyOf(403, {}), [CAPTURE]: capture }, byOrder],
        [{ [REFUND]: refund }, byReference],
        [{ [REFUND]: { ...refund, links: [] }, [CAPTURE]: capture }, byReference],
        [{ [REFUND]: { ...refund, amount: unread }, [CAPTURE]: capture }, byOrder]
      ]
      for (const [shown, hint] of unclear) expect(yield* event(shown)).toMatchObject([{ ...hint, ...left }])
      const pending = yield* event({ [REFUND]: { ...refund, status: "PENDING" }, [CAPTURE]: capture })
      const foreign = yield* event({ [REFUND]: refund, [CAPTURE]: capture }, false)
      for (const [hint, ...others] of [pending, foreign]) {
        expect(hint).toMatchObject(byReference)
        expect(hint).not.toHaveProperty("unseen")
        expect(others).toEqual([])
      }
    })
  )

  it.effect.each([
    ["CHECKOUT.ORDER.APPROVED", { id: "5O", status: "APPROVED", purchase_units: [{ custom_id: reference }] }, "5O"],
    ["PAYMENT.CAPTURE.REFUNDED", { id: "R", status: "COMPLETED", custom_id: reference, amount: capture.amount }, null],
    ["PAYMENT.CAPTURE.REVERSED", { id: "R", status: "COMPLETED", custom_id: reference, amount: capture.amount }, null],
    [
      "PAYMENT.PAYOUTSBATCH.SUCCESS",
      { batch_header: { payout_batch_id: "5UXD", sender_batch_header: { sender_batch_id: reference } } },
      "5UXD"
    ]
  ] as const)("only hint at what the provider itself must be asked about: %s", ([event, resource, providerPaymentId]) =>
    Effect.gen(function* () {
      const events = yield* eventsOf(event, resource)
      expect(events).toMatchObject([{ _tag: "Hint", attempt: { reference, providerPaymentId } }])
    })
  )

  it.effect("find the order of a capture that was reversed, in PayPal's own sample without our reference", () =>
    Effect.gen(function* () {
      const money = { currency_code: "USD", value: "2.51" }
      const sample = {
        seller_payable_breakdown: { gross_amount: money, net_amount: money, total_refunded_amount: money },
        amount: money,
        links: [
          { href: "https://api.paypal.com/v2/payments/refunds/09E71677NS257044M", rel: "self", method: "GET" },
          { href: "https://api.paypal.com/v2/payments/captures/4L335234718889942", rel: "up", method: "GET" }
        ],
        id: "09E71677NS257044M",
        note_to_payer: "Payment reversed",
        status: "COMPLETED"
      }
      const event = (shown: Shown, isNotForeign = true) =>
        eventsOf("PAYMENT.CAPTURE.REVERSED", sample, lookUpsIn(shown, isNotForeign))
      const reversed = { "/v2/payments/captures/4L335234718889942": { ...capture, id: "4L335234718889942" } }
      const [hint, ...others] = yield* event(reversed)
      expect(hint).toMatchObject({
        _tag: "Hint",
        attempt: { about: "payin", reference: null, providerPaymentId: ORDER }
      })
      expect(hint).not.toHaveProperty("unverified")
      expect(others).toEqual([])
      expect(yield* event({}), "of a capture that is not shown").toEqual([])
      expect(yield* event(reversed, false), "of another's").toEqual([])
    })
  )

  it.effect("about anything else, or without a subject, say nothing", () =>
    Effect.gen(function* () {
      expect(yield* eventsOf("BILLING.PLAN.CREATED", { id: "P" })).toEqual([])
      expect(yield* eventsOf("PAYMENT.CAPTURE.COMPLETED", { status: "COMPLETED" })).toEqual([])
      expect((yield* readBody('{"hello": "world"}').callback).events).toEqual([])
      expect((yield* readBody("[1]").callback).events).toEqual([])
    })
  )

  it.effect("are given back to PayPal byte for byte", () =>
    Effect.gen(function* () {
      const body = `{ "id":"WH-1",\n "event_type" : "BILLING.PLAN.CREATED", "resource": {"rate": 1.50, "é": "\\u00e9", "n": 12345678901234567890} }`
      const { callback, questions } = readBody(body)
      yield* callback
      expect(questions).toHaveLength(1)
      const asked = questions[0]!.body!
      expect(asked.endsWith(`,"webhook_event":${body}}`)).toBe(true)
      expect(JSON.parse(asked)).toMatchObject({
        auth_algo: "SHA256withRSA",
        cert_url: headers["PAYPAL-CERT-URL"],
        transmission_id: headers["PAYPAL-TRANSMISSION-ID"],
        transmission_sig: "c2ln",
        transmission_time: headers["PAYPAL-TRANSMISSION-TIME"],
        webhook_id: "1JE4291016473214C"
      })
    })
  )

  const good = JSON.stringify({ id: "WH-1", event_type: "PAYMENT.CAPTURE.COMPLETED", resource: capture })

  it.effect.each([
    ["what PayPal says it did not send", readBody(good, Effect.succeed(false)), 1],
    [
      "a certificate of somebody else",
      readBody(good, undefined, { "PAYPAL-CERT-URL": "https://paypal.com.evil.example/c" }),
      0
    ],
    ["no signature", readBody(good, undefined, { "PAYPAL-TRANSMISSION-SIG": undefined }), 0],
    ["a body that ends the question early", readBody('{},"webhook_id":"mine","webhook_event":{}'), 0],
    ["a body that is no JSON", readBody("hello"), 0]
  ] as const)("prove nothing with %s", ([, { callback, questions }, asked]) =>
    Effect.gen(function* () {
      expect((yield* Effect.flip(callback))._tag).toBe("NoProof")
      expect(questions).toHaveLength(asked)
    })
  )

  it.effect("prove nothing with bytes that are no text", () =>
    Effect.gen(function* () {
      const request = { ...asCalledBack({ headers, body: "" }), body: Buffer.from([0x22, 0xff, 0x22]) }
      expect((yield* Effect.flip(readCallback(webhookId, BASE, lookUpsIn({}))(request)))._tag).toBe("NoProof")
    })
  )

  it.effect("prove nothing to an account that does not know its webhook", () =>
    Effect.gen(function* () {
      const request = asCalledBack({ headers, body: good })
      for (const id of [undefined, Redacted.make("")]) {
        const { message } = yield* Effect.flip(readCallback(id, BASE, lookUpsIn({}))(request))
        expect(message).toContain("PAYPAL_WEBHOOK_ID")
      }
    })
  )

  it.effect.each([
    [replyOf(200, { verification_status: "SUCCESS" }), "believed"],
    [replyOf(200, { verification_status: "FAILURE" }), "NoProof"],
    [replyOf(200, { verification_status: "SUCCESSFUL?" }), "NoProof"],
    [replyOf(400, { name: "VALIDATION_ERROR" }), "NoProof"],
    [replyOf(422, { name: "UNPROCESSABLE_ENTITY" }), "NoProof"],
    // Whether it is theirs is not known by any of these.
    [replyOf(200, "<html>"), "NotNow"],
    [replyOf(401, { name: "AUTHENTICATION_FAILURE" }), "NotNow"],
    [replyOf(403, { name: "NOT_AUTHORIZED" }), "NotNow"],
    [replyOf(404, ""), "NotNow"],
    [replyOf(429, ""), "NotNow"],
    [replyOf(500, ""), "NotNow"]
  ] as const)("are believed only where PayPal says so, and for later where it says nothing: %j", ([reply, end]) =>
    Effect.gen(function* () {
      const { provider } = answering(() => reply)
      const outcome = yield* Effect.either(provider.callback(asCalledBack({ headers, body: good })))
      expect(outcome._tag === "Right" ? "believed" : outcome.left._tag).toBe(end)
    })
  )

  it.effect("are for later where PayPal cannot be reached", () =>
    Effect.gen(function* () {
      const http: ProviderHttp = { call: () => new NeverSent({ reason: "no connection" }) }
      const credentials = { client_id: "c", client_secret: "s", webhook_id: Redacted.value(webhookId) }
      const { callback } = connectedTo({ http }, credentials)
      expect((yield* Effect.flip(callback(asCalledBack({ headers, body: good }))))._tag).toBe("NotNow")
    })
  )

  it.live("leave room for payments, however many are sent", () =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      const http: ProviderHttp = {
        call: ({ operation }) =>
          Effect.suspend(() => {
            asked.push(operation)
            const token = replyOf(200, { access_token: "A21", expires_in: 32_400 })
            return operation === "request token" ? Effect.succeed(token) : Effect.never
          })
      }
      const credentials = { client_id: "c", client_secret: "s", webhook_id: Redacted.value(webhookId) }
      const { callback } = connectedTo({ http }, credentials)
      const many = Array.from({ length: 100 }, () => callback(asCalledBack({ headers, body: good })))
      const under = yield* Effect.fork(Effect.forEach(many, Effect.either, { concurrency: "unbounded" }))
      yield* Effect.sleep("50 millis")
      expect(asked.filter((operation) => operation === "verify callback")).toHaveLength(callbackCheckConcurrency)
      yield* Fiber.interrupt(under)
    })
  )

  it.each([
    ["https://api.paypal.com/v1/notifications/certs/CERT-1", true],
    ["https://api.sandbox.paypal.com/v1/notifications/certs/CERT-1", true],
    ["http://api.paypal.com/c", false],
    ["https://api.paypal.com:8443/c", false],
    ["https://paypal.com.evil.example/c", false],
    ["https://evilpaypal.com/c", false],
    ["https://api.paypal.com@evil.example/c", false],
    ["https://evil@api.paypal.com/c", false],
    ["http://127.0.0.1:4000/c", false],
    ["not an address", false]
  ])("certificates of PayPal: %s", (url, allowed) => {
    expect(isCertificateOf(BASE, url)).toBe(allowed)
  })

  it("a stand-in for PayPal has certificates of its own", () => {
    expect(isCertificateOf("http://127.0.0.1:4000", "http://127.0.0.1:4000/c")).toBe(true)
    expect(isCertificateOf("http://127.0.0.1:4000", "http://127.0.0.1:4001/c")).toBe(false)
    expect(isCertificateOf("http://127.0.0.1:4000", "https://evil.example/c")).toBe(false)
  })
})
