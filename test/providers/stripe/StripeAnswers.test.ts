/** Every status and error that Stripe documents, and what comes of it. */
import { inspect } from "node:util"
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Either } from "effect"
import { CountryCode } from "../../../src/domain/Country.ts"
import { Absent, Declined, Unknown } from "../../../src/domain/Outcome.ts"
import { MaybeSent, NeverSent, type ProviderCall } from "../../../src/providers/client/ProviderHttp.ts"
import { stripe } from "../../../src/providers/stripe/StripeAdapter.ts"
import { connected } from "../support/ConnectedAdapter.ts"
import { attemptOf, cardNumbered, inMinor, refundAttemptOf, refundOf } from "../support/TestOrders.ts"
import { replyOf, scripted } from "../support/ScriptedReplies.ts"
import { newOrder, reference } from "./StripeTestOrders.ts"

const testKey = { secret_key: "sk_test_abc", webhook_secret: "whsec_abc" }

type Answer = Parameters<typeof scripted>[0]

const at = (answer: Answer, about: { readonly rawCards?: boolean; readonly key?: string } = {}) => {
  const { calls, http } = scripted(answer)
  const credentials = { ...testKey, secret_key: about.key ?? testKey.secret_key }
  return { calls, provider: connected(stripe, http, credentials, { rawCards: about.rawCards ?? true }) }
}

const intent = (about: object = {}) => ({
  id: "pi_1",
  object: "payment_intent",
  amount: 12300,
  amount_received: 0,
  currency: "eur",
  client_secret: "pi_1_secret_x",
  latest_charge: null,
  customer: null,
  metadata: { reference },
  next_action: null,
  last_payment_error: null,
  status: "requires_payment_method",
  ...about
})

const failure = (type: string, about: object = {}) => ({ error: { type, message: "no", ...about } })

const visa = newOrder({ card: cardNumbered("4242424242424242") })

const formOf = ({ body = "" }: ProviderCall): Record<string, string> => Object.fromEntries(new URLSearchParams(body))

describe("what Stripe answers to a payment", () => {
  const accepted: ReadonlyArray<readonly [string, object, object]> = [
    [
      "succeeded",
      { amount_received: 12300, latest_charge: "ch_1" },
      { state: "completed", nextAction: null, movements: [{ amount: inMinor("EUR", 12_300n) }] }
    ],
    [
      "succeeded",
      { amount_received: 12000, latest_charge: "ch_1" },
      { state: "completed", movements: [{ amount: inMinor("EUR", 12_000n) }] }
    ],
    ["processing", {}, { state: "processing", nextAction: null }],
    ["requires_capture", {}, { state: "processing", nextAction: null }],
    [
      "requires_action",
      { next_action: { type: "redirect_to_url", redirect_to_url: { url: "https://hooks.stripe.com/x" } } },
      { state: "pending", nextAction: "redirect", actionData: { redirect_url: "https://hooks.stripe.com/x" } }
    ],
    [
      "requires_action",
      { next_action: { type: "use_stripe_sdk", use_stripe_sdk: {} } },
      { state: "pending", nextAction: "check_status", actionData: {} }
    ],
    ["requires_confirmation", {}, { state: "pending", nextAction: "check_status" }],
    ["requires_payment_method", {}, { state: "pending", nextAction: "check_status", actionData: {} }],
    ["something_new", {}, { state: "processing", providerStatus: "something_new" }]
  ]
  for (const [status, about, expected] of accepted) {
    it.effect(`${status} ${JSON.stringify(about)}: accepted`, () =>
      Effect.gen(function* () {
        const { provider } = at(() => replyOf(200, intent({ status, ...about })))
        const outcome = yield* provider.initiate(visa)
        expect(outcome).toMatchObject({ _tag: "Accepted", providerPaymentId: "pi_1", ...expected })
        expect(inspect(outcome, { depth: null })).not.toContain("secret")
      })
    )
  }

  const refusals: ReadonlyArray<readonly [number, object, object]> = [
    [
      402,
      failure("card_error", { code: "card_declined", decline_code: "insufficient_funds" }),
      { code: "INSUFFICIENT_FUNDS", providerCode: "insufficient_funds", instrument: true }
    ],
    [
      402,
      failure("card_error", { code: "card_declined", decline_code: "generic_decline" }),
      { code: "CARD_DECLINED", providerCode: "generic_decline", instrument: true }
    ],
    [
      402,
      failure("card_error", { code: "card_declined", decline_code: "stolen_card" }),
      { code: "SUSPECTED_FRAUD", instrument: true }
    ],
    [
      402,
      failure("card_error", { code: "card_declined", decline_code: "card_velocity_exceeded" }),
      { code: "LIMIT_EXCEEDED", instrument: true }
    ],
    [
      402,
      failure("card_error", { code: "expired_card" }),
      { code: "CARD_EXPIRED", providerCode: "expired_card", instrument: true }
    ],
    [
      402,
      failure("card_error", { code: "incorrect_cvc", decline_code: "incorrect_cvc" }),
      { code: "CARD_INVALID", instrument: true }
    ],
    [402, failure("card_error", { code: "invalid_number" }), { code: "CARD_INVALID", instrument: true }],
    [
      402,
      failure("card_error", { code: "authentication_required", decline_code: "authentication_required" }),
      { code: "AUTHENTICATION_FAILED", instrument: true }
    ],
    [
      402,
      failure("card_error", { code: "processing_error" }),
      { code: "PROVIDER_UNAVAILABLE", providerCode: "processing_error" }
    ],
    [
      402,
      failure("card_error", { code: "card_declined", decline_code: "issuer_not_available" }),
      { code: "PROVIDER_UNAVAILABLE" }
    ],
    [
      400,
      failure("invalid_request_error", { code: "amount_too_small" }),
      { code: "LIMIT_EXCEEDED", providerCode: "amount_too_small" }
    ],
    [400, failure("invalid_request_error", { code: "parameter_unknown" }), { code: "INVALID_ORDER" }],
    [400, failure("invalid_request_error", { code: "payment_method_unactivated" }), { code: "NOT_SUPPORTED" }],
    [400, failure("invalid_request_error"), { code: "INVALID_ORDER", providerCode: "invalid_request_error" }],
    [404, failure("invalid_request_error", { code: "resource_missing" }), { code: "INVALID_ORDER" }],
    [401, failure("invalid_request_error"), { code: "CREDENTIALS_REFUSED", providerCode: "401" }],
    [403, failure("invalid_request_error"), { code: "CREDENTIALS_REFUSED" }],
    [429, failure("invalid_request_error", { code: "rate_limit" }), { code: "PROVIDER_BUSY" }],
    [200, intent({ status: "canceled" }), { providerCode: "canceled" }],
    [
      200,
      intent({ last_payment_error: { type: "card_error", code: "card_declined", decline_code: "do_not_honor" } }),
      { code: "CARD_DECLINED", providerCode: "do_not_honor", instrument: true }
    ],
    [
      200,
      intent({ last_payment_error: { type: "invalid_request_error", code: "payment_intent_authentication_failure" } }),
      { code: "AUTHENTICATION_FAILED", instrument: true }
    ]
  ]
  for (const [status, body, expected] of refusals) {
    it.effect(`HTTP ${status} ${JSON.stringify(body).slice(0, 120)}: declined`, () =>
      Effect.gen(function* () {
        const { provider } = at(() => replyOf(status, body))
        const outcome = yield* provider.initiate(visa)
        expect(outcome).toMatchObject({ _tag: "Declined", ...expected })
        expect("instrument" in outcome).toBe("instrument" in expected)
      })
    )
  }

  const unknowns: ReadonlyArray<readonly [string, Answer]> = [
    ["HTTP 500", () => replyOf(500, failure("api_error"))],
    ["HTTP 503 without a body", () => replyOf(503, "")],
    ["HTTP 409, the key in use", () => replyOf(409, failure("idempotency_error", { code: "idempotency_key_in_use" }))],
    ["the key sent before with something else", () => replyOf(400, failure("idempotency_error"))],
    ["an api_error with 400", () => replyOf(400, failure("api_error"))],
    ["HTTP 400 of somebody in between", () => replyOf(400, "<html>")],
    ["HTTP 200 of somebody in between", () => replyOf(200, "<html>")],
    [
      "an amount that cannot be read",
      () => replyOf(200, intent({ status: "succeeded", amount_received: 1, currency: "zzz" }))
    ],
    ["a connection that broke", () => new MaybeSent({ reason: "reset" })]
  ]
  for (const [name, answer] of unknowns) {
    it.effect(`${name}: unknown`, () =>
      Effect.gen(function* () {
        expect(yield* at(answer).provider.initiate(visa)).toBeInstanceOf(Unknown)
      })
    )
  }

  it.effect("declines what was never sent", () =>
    Effect.gen(function* () {
      const outcome = yield* at(() => new NeverSent({ reason: "no connection" })).provider.initiate(visa)
      expect(outcome).toEqual(
        new Declined({ reason: "no connection", code: "PROVIDER_UNAVAILABLE", unsent: "unreachable" })
      )
    })
  )

  it.effect("sends nothing that it cannot write down or does not serve", () =>
    Effect.gen(function* () {
      const { calls, provider } = at(() => replyOf(200, intent()))
      const tooFine = yield* provider.initiate({ ...visa, money: inMinor("KWD", 5_125n) })
      const outbound = yield* provider.initiate({ ...visa, flow: "outbound" })
      expect([tooFine, outbound]).toMatchObject([
        { _tag: "Declined", code: "NOT_SUPPORTED" },
        { _tag: "Declined", code: "NOT_SUPPORTED" }
      ])
      expect(calls).toEqual([])
    })
  )
})

describe("cards", () => {
  it.effect("that are Stripe's own test cards are paid with what stands for them, by a test key only", () =>
    Effect.gen(function* () {
      const test = at(() => replyOf(200, intent()))
      yield* test.provider.initiate(visa)
      expect(formOf(test.calls[0]!)).toMatchObject({
        payment_method: "pm_card_visa",
        confirm: "true",
        return_url: visa.returnUrl,
        "payment_method_types[]": "card",
        "metadata[reference]": reference
      })
      expect(test.calls[0]!.headers).toMatchObject({
        "idempotency-key": reference,
        "stripe-version": "2023-08-16",
        authorization: "Bearer sk_test_abc"
      })
      const live = at(() => replyOf(200, intent()), { key: "sk_live_abc" })
      yield* live.provider.initiate(visa)
      expect(formOf(live.calls[0]!)).toMatchObject({ "payment_method_data[card][number]": "4242424242424242" })
    })
  )

  it.effect("go with their number where that is allowed", () =>
    Effect.gen(function* () {
      const { calls, provider } = at(() => replyOf(200, intent({ status: "processing" })))
      yield* provider.initiate(newOrder({ card: cardNumbered("4111111111111111") }))
      expect(formOf(calls[0]!)).toMatchObject({
        "payment_method_data[type]": "card",
        "payment_method_data[card][number]": "4111111111111111",
        "payment_method_data[card][exp_month]": "03",
        "payment_method_data[card][exp_year]": "2030",
        "payment_method_data[card][cvc]": "737",
        confirm: "true"
      })
    })
  )

  it.effect("refused on a page leave the payment waiting for another one", () =>
    Effect.gen(function* () {
      const error = { type: "card_error", code: "card_declined" }
      const onPage = intent({ metadata: { reference, paid_on: "page" }, last_payment_error: error })
      const { provider } = at(() => replyOf(200, onPage))
      const waiting = yield* provider.enquire(attemptOf(visa, { providerPaymentId: "pi_1" }))
      expect(waiting).toMatchObject({ _tag: "Report", state: "pending", providerPaymentId: null })
      expect(waiting).not.toHaveProperty("waitsFor")
    })
  )
})

describe("bank transfers", () => {
  const transfer = (country: string, currency: string) =>
    newOrder({ method: "bank_transfer", country, money: inMinor(currency, 12_300n) })

  const instructions = (address: object) =>
    intent({
      status: "requires_action",
      next_action: {
        type: "display_bank_transfer_instructions",
        display_bank_transfer_instructions: {
          reference: "ABC123",
          hosted_instructions_url: "https://payments.stripe.com/x",
          type: "eu_bank_transfer",
          financial_addresses: [address]
        }
      }
    })

  const accounts: ReadonlyArray<readonly [string, string, object, object]> = [
    [
      "DE",
      "EUR",
      { type: "iban", iban: { account_holder_name: "C", bic: "BIC", iban: "DE00" } },
      { account_name: "C", account_number: "DE00", bank_name: null, bank_code: "BIC" }
    ],
    [
      "GB",
      "GBP",
      { type: "sort_code", sort_code: { account_holder_name: "C", account_number: "12345678", sort_code: "108800" } },
      { account_name: "C", account_number: "12345678", bank_name: null, bank_code: "108800" }
    ],
    [
      "MX",
      "MXN",
      { type: "spei", spei: { bank_code: "002", bank_name: "B", clabe: "002180" } },
      { account_name: null, account_number: "002180", bank_name: "B", bank_code: "002" }
    ],
    [
      "JP",
      "JPY",
      {
        type: "zengin",
        zengin: {
          account_holder_name: "C",
          account_number: "1234567",
          bank_code: "0009",
          bank_name: "B",
          branch_code: "950"
        }
      },
      { account_name: "C", account_number: "1234567", bank_name: "B", bank_code: "0009-950" }
    ],
    [
      "US",
      "USD",
      { type: "aba", aba: { account_number: "12345", bank_name: "B", routing_number: "110000000" } },
      { account_name: null, account_number: "12345", bank_name: "B", bank_code: "110000000" }
    ]
  ]
  for (const [country, currency, address, account] of accounts) {
    it.effect(`${currency}: the payer is given an account of Stripe's`, () =>
      Effect.gen(function* () {
        const { calls, provider } = at(({ path }) =>
          path === "/v1/customers" ? replyOf(200, { id: "cus_1" }) : replyOf(200, instructions(address))
        )
        const outcome = yield* provider.initiate(transfer(country, currency))
        expect(outcome).toMatchObject({
          _tag: "Accepted",
          state: "pending",
          nextAction: "bank_transfer",
          actionData: { ...account, reference: "ABC123", expires_at: null }
        })
        expect(calls.map(({ headers }) => headers?.["idempotency-key"])).toEqual([`${reference}-customer`, reference])
        expect(formOf(calls[1]!)["customer"]).toBe("cus_1")
      })
    )
  }

  it.effect("name a link where the account is of a kind that is not known", () =>
    Effect.gen(function* () {
      const { provider } = at(({ path }) =>
        path === "/v1/customers" ? replyOf(200, { id: "cus_1" }) : replyOf(200, instructions({ type: "new_kind" }))
      )
      expect(yield* provider.initiate(transfer("DE", "EUR"))).toMatchObject({
        nextAction: "pay_by_link",
        actionData: { payment_link: "https://payments.stripe.com/x" }
      })
    })
  )

  const before: ReadonlyArray<readonly [string, Answer, string]> = [
    ["is refused", () => replyOf(400, failure("invalid_request_error", { code: "email_invalid" })), "INVALID_ORDER"],
    ["breaks off", () => new MaybeSent({ reason: "reset" }), "PROVIDER_UNAVAILABLE"],
    ["has no verdict", () => replyOf(500, failure("api_error")), "PROVIDER_UNAVAILABLE"],
    ["cannot be read", () => replyOf(200, "<html>"), "PROVIDER_UNAVAILABLE"],
    ["is asked too often", () => replyOf(429, {}), "PROVIDER_BUSY"]
  ]
  for (const [name, answer, code] of before) {
    it.effect(`move nothing where the customer before it ${name}`, () =>
      Effect.gen(function* () {
        const { calls, provider } = at(answer)
        expect(yield* provider.initiate(transfer("DE", "EUR"))).toMatchObject({ _tag: "Declined", code })
        expect(calls).toHaveLength(1)
      })
    )
  }
})

describe("what Stripe says when it is asked", () => {
  const states: ReadonlyArray<readonly [object, object]> = [
    [
      { status: "succeeded", amount_received: 12300, latest_charge: "ch_1" },
      { state: "completed", movements: [{ amount: inMinor("EUR", 12_300n) }] }
    ],
    [{ status: "processing" }, { state: "processing" }],
    [{ status: "requires_capture" }, { state: "processing" }],
    [{ status: "requires_payment_method" }, { state: "pending" }],
    [{ status: "canceled" }, { state: "failed", providerStatus: "canceled" }],
    [
      { status: "requires_action", next_action: { type: "redirect_to_url", redirect_to_url: { url: "https://x" } } },
      { state: "pending", waitsFor: { nextAction: "redirect", actionData: { redirect_url: "https://x" } } }
    ],
    [
      { status: "requires_payment_method", last_payment_error: { type: "card_error", code: "expired_card" } },
      { state: "failed", code: "CARD_EXPIRED", providerCode: "expired_card" }
    ],
    [{ status: "something_new" }, { state: "processing", providerStatus: "something_new" }]
  ]
  for (const [about, expected] of states) {
    it.effect(`${JSON.stringify(about)}`, () =>
      Effect.gen(function* () {
        const { calls, provider } = at(() => replyOf(200, intent(about)))
        const said = yield* provider.enquire(attemptOf(visa, { providerPaymentId: "pi_1" }))
        expect(said).toMatchObject({ _tag: "Report", providerPaymentId: "pi_1", ...expected })
        expect(calls[0]!.path).toBe("/v1/payment_intents/pi_1?expand%5B%5D=latest_charge")
        expect(yield* provider.resume!(attemptOf(visa, { providerPaymentId: "pi_1" }), {})).toEqual(said)
      })
    )
  }

  it.effect("no trace of an id is an absence, and an error is not", () =>
    Effect.gen(function* () {
      const context = attemptOf(visa, { providerPaymentId: "pi_1" })
      const missing = replyOf(404, failure("invalid_request_error", { code: "resource_missing" }))
      expect(yield* at(() => missing).provider.enquire(context)).toBeInstanceOf(Absent)
      for (const status of [401, 429, 500, 503]) {
        expect(yield* at(() => replyOf(status, {})).provider.enquire(context)).toBeInstanceOf(Unknown)
      }
    })
  )

  it.effect("without an id it is looked for page by page around its time, then searched for", () =>
    Effect.gen(function* () {
      const other = (id: string) => intent({ id, metadata: { reference: "another" } })
      const pages = [
        { data: [other("pi_9"), { id: "pi_8", unreadable: true }], has_more: true },
        { data: [other("pi_7"), intent({ status: "processing" })], has_more: true }
      ]
      const { calls, provider } = at(() => replyOf(200, pages.shift()))
      expect(yield* provider.enquire(attemptOf(visa))).toMatchObject({ state: "processing", providerPaymentId: "pi_1" })
      const [first, second] = calls.map(({ path }) => new URLSearchParams(path.split("?")[1]))
      const sent = attemptOf(visa).sentAt.getTime() / 1000
      expect(Number(first!.get("created[gte]"))).toBeLessThan(sent)
      expect(Number(first!.get("created[lte]"))).toBeGreaterThan(sent)
      expect(second!.get("starting_after")).toBe("pi_8")

      const searched = at(({ path }) =>
        replyOf(200, { data: path.includes("/search?") ? [intent({ status: "processing" })] : [], has_more: false })
      )
      expect(yield* searched.provider.enquire(attemptOf(visa))).toMatchObject({ state: "processing" })
      const nowhere = at(() => replyOf(200, { data: [], has_more: false }))
      expect(yield* nowhere.provider.enquire(attemptOf(visa))).toBeInstanceOf(Absent)
      const broken = at(() => replyOf(500, {}))
      expect(yield* broken.provider.enquire(attemptOf(visa))).toBeInstanceOf(Unknown)
    })
  )

  it("promises only what it keeps", () => {
    const { provider } = at(() => replyOf(200, {}))
    expect(provider.provesAbsence).toBe(false)
    expect(provider.honoursReference).toEqual(Duration.hours(23))
  })
})

describe("refunds", () => {
  const paid = attemptOf(visa, { providerPaymentId: "pi_1" })
  const order = refundOf(paid)
  const refund = (about: object = {}) => ({
    id: "re_1",
    object: "refund",
    status: "succeeded",
    payment_intent: "pi_1",
    metadata: { reference: order.reference },
    ...about
  })

  const answers: ReadonlyArray<readonly [object, object, object]> = [
    [{ status: "succeeded" }, { _tag: "Accepted", state: "completed" }, { state: "completed" }],
    [{ status: "pending" }, { _tag: "Accepted", state: "processing" }, { state: "processing" }],
    [{ status: "requires_action" }, { _tag: "Accepted", state: "processing" }, { state: "processing" }],
    [{ status: null }, { _tag: "Accepted", state: "processing" }, { state: "processing" }],
    [
      { status: "failed", failure_reason: "expired_or_canceled_card" },
      { _tag: "Declined", providerCode: "expired_or_canceled_card" },
      // Days after it succeeded the payer's bank may turn it down: then Stripe has the money again.
      { state: "returned", providerCode: "expired_or_canceled_card" }
    ],
    [{ status: "canceled" }, { _tag: "Declined", providerCode: "canceled" }, { state: "returned" }],
    [{ status: "new" }, { _tag: "Accepted", state: "processing" }, { state: "processing", providerStatus: "new" }]
  ]
  for (const [about, outcome, report] of answers) {
    it.effect(`${JSON.stringify(about)}`, () =>
      Effect.gen(function* () {
        const { calls, provider } = at(() => replyOf(200, refund(about)))
        expect(yield* provider.refund!(order)).toMatchObject(outcome)
        expect(calls[0]).toMatchObject({ path: "/v1/refunds", headers: { "idempotency-key": order.reference } })
        const said = yield* provider.enquire(refundAttemptOf(order, { providerPaymentId: "re_1" }))
        expect(said).toMatchObject({ _tag: "Report", providerPaymentId: "re_1", ...report })
        expect(calls[1]!.path).toBe("/v1/refunds/re_1")
      })
    )
  }

  it.effect("whose answer was lost are looked for among those of the payment", () =>
    Effect.gen(function* () {
      const data = [refund({ id: "re_0", metadata: {} }), refund({ status: "pending" })]
      const { calls, provider } = at(() => replyOf(200, { data, has_more: false }))
      expect(yield* provider.enquire(refundAttemptOf(order))).toMatchObject({
        state: "processing",
        providerPaymentId: "re_1"
      })
      expect(calls[0]!.path).toBe("/v1/refunds?payment_intent=pi_1&limit=100")
      const none = at(() => replyOf(200, { data: [], has_more: false }))
      expect(yield* none.provider.enquire(refundAttemptOf(order))).toBeInstanceOf(Absent)
      const unknown = refundAttemptOf({ ...order, attempt: attemptOf(visa) })
      expect(yield* provider.enquire(unknown)).toBeInstanceOf(Unknown)
    })
  )

  it.effect("of one reference are sent in the same words, whatever reason is given the second time", () =>
    Effect.gen(function* () {
      const { calls, provider } = at(() => replyOf(200, refund()))
      for (const reason of ["paid twice", "PAID TWICE, see ticket 7", null]) {
        yield* provider.refund!({ ...order, reason })
      }
      expect(new Set(calls.map(({ body }) => body)).size).toBe(1)
    })
  )

  it.effect("of what is refunded already are those that were made before, or refused", () =>
    Effect.gen(function* () {
      const already = replyOf(400, failure("invalid_request_error", { code: "charge_already_refunded" }))
      const ours = at(({ method }) => (method === "POST" ? already : replyOf(200, { data: [refund()] })))
      expect(yield* ours.provider.refund!(order)).toMatchObject({ _tag: "Accepted", state: "completed" })
      const others = at(({ method }) => (method === "POST" ? already : replyOf(200, { data: [] })))
      expect(yield* others.provider.refund!(order)).toMatchObject({ _tag: "Declined", code: "INVALID_ORDER" })
      const silent = at(({ method }) => (method === "POST" ? already : replyOf(500, {})))
      expect(yield* silent.provider.refund!(order)).toBeInstanceOf(Unknown)
    })
  )

  it.effect("for which our balance there is too low are refused", () =>
    Effect.gen(function* () {
      const low = replyOf(400, failure("invalid_request_error", { code: "balance_insufficient" }))
      expect(yield* at(() => low).provider.refund!(order)).toMatchObject({ code: "PROVIDER_BALANCE_LOW" })
      const { calls, provider } = at(() => low)
      expect(yield* provider.refund!(refundOf(attemptOf(visa)))).toMatchObject({ code: "INVALID_ORDER" })
      expect(calls).toEqual([])
    })
  )
})

describe("a cancellation", () => {
  const paid = attemptOf(visa, { providerPaymentId: "pi_1" })
  const stands = (status: string) =>
    replyOf(
      400,
      failure("invalid_request_error", { code: "payment_intent_unexpected_state", payment_intent: { status } })
    )
  const cases: ReadonlyArray<readonly [string, Answer, string]> = [
    ["is certain once Stripe says so", () => replyOf(200, intent({ status: "canceled" })), "canceled"],
    ["was made before", () => stands("canceled"), "canceled"],
    ["comes too late", () => stands("succeeded"), "refused"],
    ["has no verdict", () => replyOf(500, {}), "unknown"],
    ["breaks off", () => new MaybeSent({ reason: "reset" }), "unknown"],
    ["is refused for other reasons", () => replyOf(400, failure("invalid_request_error")), "unknown"]
  ]
  for (const [name, answer, expected] of cases) {
    it.effect(name, () =>
      Effect.gen(function* () {
        expect(yield* at(answer).provider.cancel!(paid)).toBe(expected)
      })
    )
  }

  it.effect("of what has no id yet is of what is found, or of nothing", () =>
    Effect.gen(function* () {
      const found = at(({ method }) =>
        replyOf(200, method === "GET" ? { data: [intent()] } : intent({ status: "canceled" }))
      )
      expect(yield* found.provider.cancel!(attemptOf(visa))).toBe("canceled")
      const none = at(() => replyOf(200, { data: [] }))
      expect(yield* none.provider.cancel!(attemptOf(visa))).toBe("unknown")
    })
  )
})

describe("a test of the account", () => {
  it.effect("says whether the key is taken", () =>
    Effect.gen(function* () {
      expect(yield* at(() => replyOf(200, { data: [] })).provider.test!).toEqual(Either.right({}))
      expect(Either.isLeft(yield* at(() => replyOf(401, {})).provider.test!)).toBe(true)
      expect(yield* at(() => new NeverSent({ reason: "no way" })).provider.test!).toEqual(Either.left("no way"))
    })
  )
})

describe("what is served", () => {
  const asked = (
    method: "card" | "bank_transfer",
    country: string,
    currency: string,
    flow: "inbound" | "outbound" = "inbound"
  ) =>
    Either.isRight(
      at(() => replyOf(200, {})).provider.supports({
        method,
        flow,
        country: CountryCode.make(country),
        currency: inMinor(currency, 1n).currency,
        network: null
      })
    )

  it("cards everywhere, transfers where Stripe keeps accounts, and nothing out", () => {
    expect(asked("card", "KE", "KES")).toBe(true)
    expect(asked("card", "KE", "CUP")).toBe(false)
    expect(asked("bank_transfer", "AT", "EUR")).toBe(true)
    expect(asked("bank_transfer", "KE", "KES")).toBe(false)
    expect(asked("bank_transfer", "US", "USD", "outbound")).toBe(false)
  })
})
