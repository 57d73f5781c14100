/** PayPal: cards and wallets by a redirect to its page and our capture; payouts to e-mail addresses. */
import { Duration, Effect, Option, Redacted } from "effect"
import type { Money } from "../../domain/Money.ts"
import type { Movement } from "../../domain/Movement.ts"
import { type Enquiry, type Outcome, Report, Unknown } from "../../domain/Outcome.ts"
import { callbackCheckConcurrency } from "../../domain/policies/ProviderPolicies.ts"
import { makeAccessTokens } from "../client/AccessTokens.ts"
import { makeConcurrencyLimit } from "../client/ConcurrencyLimit.ts"
import {
  outcomeOfDuplicate,
  firstReport,
  withMovements,
  outcomeOfOrder,
  makeStatusWarning
} from "../client/ProviderReplies.ts"
import { alsoTold } from "../port/AccountTest.ts"
import { get, type ProviderCall, type ProviderReply, withHeaders } from "../client/ProviderHttp.ts"
import { NotNow, type Proof } from "../port/Callback.ts"
import { type AttemptContext, attemptKind, type PaymentOrder } from "../port/Provider.ts"
import { type Account, type Connected, credentialText, serving, thirdParty } from "../port/ThirdParty.ts"
import { present } from "../client/WireValues.ts"
import { readCallback } from "./PaypalCallbacks.ts"
import { disputesListed, goneWithout, lossIn, type Payments, unexplained } from "./PaypalMovements.ts"
import {
  type Captured,
  captured,
  isExpectedOrderStatus,
  orderOutcome,
  orderStateOf,
  type Ours,
  payeeIn,
  type OrderState
} from "./PaypalOrders.ts"
import { existingBatch, isExpectedPayoutStatus, payoutOutcome, payoutReportOf } from "./PaypalPayouts.ts"
import * as requests from "./PaypalRequests.ts"
import {
  isSamePayee,
  type Payee,
  paypalCurrencies,
  paypalDigits,
  readBalances,
  readsBalances,
  tokenGranted,
  verification
} from "./PaypalSchemas.ts"
import { paypalRegistration, webhookEvents } from "./PaypalWebhooks.ts"

const fields = {
  client_id: {
    env: "PAYPAL_CLIENT_ID",
    about: "the client id of the app, under Apps & Credentials of the developer dashboard",
    lookUpOrder: true,
    identifies: true
  },
  client_secret: { env: "PAYPAL_CLIENT_SECRET", about: "the secret of the same app" },
  webhook_id: {
    env: "PAYPAL_WEBHOOK_ID",
    about: "the id of the app's webhook; without it no callback is taken",
    optional: true
  },
  merchant_id: {
    env: "PAYPAL_MERCHANT_ID",
    about: "the account's merchant id, under Account Settings; an order whose answer was lost is found only with it",
    optional: true,
    lookUpOrder: true
  }
} as const

const serves = [
  ...serving("inbound", "card", "everywhere", paypalCurrencies),
  ...serving("outbound", "wallet", "everywhere", paypalCurrencies)
]

/** PayPal forgets the keys of orders after six hours; a batch of payouts it knows for thirty days. */
const keysAreKept = Duration.hours(5)

const isOrderId = (text: string | undefined): text is string => text !== undefined && /^[A-Z0-9]{1,36}$/.test(text)

const warnOfStatus = makeStatusWarning(
  "PayPal",
  (status) => isExpectedOrderStatus(status) || isExpectedPayoutStatus(status)
)

/** Skips failed captures, whose status is the issue that PayPal named. */
const warnIfUnexpected = <A extends Outcome | Enquiry>(said: A): Effect.Effect<A> =>
  said._tag === "Report" && said.state === "failed" ? Effect.succeed(said) : warnOfStatus(said)

/** Refused to the account, or not there for it, is an answer too. */
const answerOf = (reply: ProviderReply): Option.Option<ProviderReply> =>
  reply.status === 200 || reply.status === 403 || reply.status === 404 ? Option.some(reply) : Option.none()

const unknown = (reason: string): Effect.Effect<Enquiry> => Effect.succeed(new Unknown({ reason }))

const notFound = unknown("PayPal finds nothing by our reference, and its own id is not known")

/** Captures, and disputes of one capture, that are looked up for one enquiry, at most. */
const MOST_LISTED = 10

/** Report of an order that was approved after the payment ended. Without a capture no money moves. */
const leftAlone = (id: string): Report =>
  new Report({ state: "pending", reason: null, providerPaymentId: id, providerStatus: "APPROVED" })

const connect = ({ baseUrl, callbackUrl, credentials, http }: Account<typeof fields>): Connected => {
  const token = Effect.suspend(() =>
    http.call(requests.requestToken(Redacted.value(credentials.client_id), Redacted.value(credentials.client_secret)))
  ).pipe(Effect.flatMap(tokenGranted))
  const tokens = makeAccessTokens(token)

  /** Declined without a token: nothing is sent then. */
  const call = (about: ProviderCall) =>
    tokens.use((one) => http.call({ ...about, headers: { ...about.headers, authorization: `Bearer ${one}` } }))

  const lookedAt = <A>(
    question: ProviderCall,
    read: (reply: ProviderReply) => A,
    unsure: (reason: string) => A
  ): Effect.Effect<A> =>
    Effect.match(call(question), {
      onSuccess: (one) => (one.status === 429 ? unsure("asked too often") : read(one)),
      onFailure: ({ reason }) => unsure(reason)
    })

  const merchantId = credentialText(credentials.merchant_id)
  let learnt: Payee | undefined
  /** From the settings, or from the first order that PayPal answered. */
  const ownPayee = (): Payee | undefined => (merchantId === undefined ? learnt : { merchant_id: merchantId })

  const isNotForeign = (other: Payee | undefined): boolean => isSamePayee(ownPayee(), other) !== false
  const isOwn = (other: Payee | undefined): boolean => isSamePayee(ownPayee(), other) === true

  const lookUpOrder = (id: string, ours: Ours): Effect.Effect<OrderState> =>
    lookedAt<OrderState>(requests.showOrder(id), orderStateOf(ours), (reason) => ({ said: new Unknown({ reason }) }))

  /** Disputes of a capture; none where PayPal does not show them to the app. */
  const disputesOf = (captureId: string) =>
    lookedAt(requests.disputesOf(captureId), disputesListed, () => Option.none<ReadonlyArray<string>>())

  const lossBy = (disputeId: string, captureId: string, payments: Payments) =>
    lookedAt(
      requests.showDispute(disputeId),
      ({ json, status }) => (status === 200 ? lossIn(json, captureId, payments) : []),
      () => []
    )

  /** Adds reversals by disputes, where money went back without a refund or the payment is already final. */
  const withDisputes = Effect.fnUntraced(function* (said: Enquiry, payments: Payments, { isWanted }: AttemptContext) {
    if (said._tag !== "Report" || said.movements === undefined) return said
    const asked = isWanted ? unexplained(payments) : payments.captures
    const more: Array<Movement> = []
    for (const capture of asked.slice(0, MOST_LISTED)) {
      if (capture.id === undefined) continue
      const listed = yield* disputesOf(capture.id)
      if (Option.isNone(listed)) continue
      const losses: Array<Movement> = []
      for (const id of listed.value.slice(0, MOST_LISTED)) losses.push(...(yield* lossBy(id, capture.id, payments)))
      more.push(...(losses.length === 0 ? goneWithout(capture, payments) : losses))
    }
    return new Report({ ...said, ...withMovements([...said.movements, ...more]) })
  })

  const capture = (id: string, ours: Ours): Effect.Effect<Enquiry> =>
    Effect.flatMap(
      lookedAt<Captured>(requests.captureOrder(id, ours.reference), captured(id), (reason) => new Unknown({ reason })),
      (said) =>
        said === "captured before"
          ? Effect.map(lookUpOrder(id, ours), (one) =>
              "said" in one ? one.said : new Unknown({ reason: "it says that it was captured, and that it was not" })
            )
          : Effect.succeed(said)
    )

  /** Captures an approved order. The idempotency key makes concurrent captures one. */
  const settled = (id: string, attempt: AttemptContext, ours: Ours): Effect.Effect<Enquiry> =>
    Effect.flatMap(lookUpOrder(id, ours), (one) => {
      if ("said" in one) {
        return one.payments === undefined ? Effect.succeed(one.said) : withDisputes(one.said, one.payments, attempt)
      }
      return attempt.isWanted ? capture(one.approved, ours) : Effect.succeed(leftAlone(one.approved))
    })

  const payoutAt = (id: string, reference: string, money?: Money): Effect.Effect<Enquiry> =>
    lookedAt<Enquiry>(requests.showPayout(id), payoutReportOf(reference, money), (reason) => new Unknown({ reason }))

  /** Looks up the existing batch that a duplicate refusal links to. */
  const payoutMade =
    ({ reference }: PaymentOrder) =>
    (reply: ProviderReply): Outcome | Effect.Effect<Outcome> =>
      Option.match(existingBatch(reply), {
        onSome: (id) => Effect.map(payoutAt(id, reference), outcomeOfDuplicate),
        onNone: () => payoutOutcome(reply)
      })

  const orderMade = (reply: ProviderReply): Outcome => {
    learnt ??= payeeIn(reply)
    return orderOutcome(reply)
  }

  const initiate = (order: PaymentOrder): Effect.Effect<Outcome> => {
    const isOut = order.flow === "outbound"
    const request = isOut ? requests.createPayout(order) : requests.createOrder(order)
    return Effect.flatMap(request, (one) => outcomeOfOrder(call(one), isOut ? payoutMade(order) : orderMade)).pipe(
      Effect.flatMap(warnIfUnexpected),
      Effect.merge
    )
  }

  const enquire = (attempt: AttemptContext): Effect.Effect<Enquiry> => {
    const { hintedIds, money, providerPaymentId: id, reference } = attempt
    if (attempt.leg === "refund" || attempt.leg === "return") return unknown("PayPal is never asked for refunds")
    const said =
      attemptKind(attempt) === "payout"
        ? id === null
          ? firstReport(hintedIds, (one) => payoutAt(one, reference, money), notFound)
          : payoutAt(id, reference)
        : id === null
          ? firstReport(hintedIds, (one) => settled(one, attempt, { reference, isPayee: isOwn, money }), notFound)
          : settled(id, attempt, { reference, isPayee: isNotForeign })
    return Effect.flatMap(said, warnIfUnexpected)
  }

  /** Limits verification calls, so that forged callbacks do not use up the calls of payments. */
  const checks = makeConcurrencyLimit({ concurrency: callbackCheckConcurrency, reserved: 0, share: 0 })

  /** `read`: none where the answer says nothing about what was asked. */
  const askedFor =
    <A>(read: (reply: ProviderReply) => Option.Option<A>) =>
    (question: ProviderCall, proof?: Proof): Effect.Effect<A, NotNow> => {
      const notAsked = (reason: string) =>
        Effect.fail(new NotNow({ message: `PayPal could not be asked: ${reason}`, ...present({ proof }) }))
      return checks
        .within(
          Effect.flatten(
            lookedAt<Effect.Effect<A, NotNow>>(
              question,
              (reply) =>
                Option.match(read(reply), { onNone: () => notAsked(`HTTP ${reply.status}`), onSome: Effect.succeed }),
              notAsked
            )
          )
        )
        .pipe(Effect.catchTag("NeverSent", ({ reason }) => notAsked(reason)))
    }

  return {
    honoursReference: keysAreKept,
    provesAbsence: false,
    digits: ({ currency }) => paypalDigits(currency),
    initiate,
    enquire,
    callback: readCallback(credentials.webhook_id, baseUrl, {
      verified: askedFor(verification),
      lookedUp: askedFor(answerOf),
      isNotForeign
    }),
    register: paypalRegistration({ call, callbackUrl, webhookId: credentialText(credentials.webhook_id) }),
    // The id in the address is one to ask about, such as a hint brings.
    resume: (attempt, { token: id }) =>
      enquire(isOrderId(id) ? { ...attempt, hintedIds: [id, ...attempt.hintedIds] } : attempt),
    test: Effect.either(
      Effect.gen(function* () {
        const { scope, token: granted } = yield* Effect.mapError(token, ({ reason }) => reason)
        if (scope === undefined) return {}
        const scopes = scope.split(" ")
        const told = scopes.includes(readsBalances)
          ? yield* alsoTold(
              withHeaders(http, { authorization: `Bearer ${granted}` })(get("read balances", "/v1/reporting/balances")),
              readBalances
            )
          : undefined
        const rights = scopes.map((one) => one.replace(/^https:\/\/uri\.paypal\.com\//, ""))
        if (told === undefined) return { rights, note: "PayPal shows balances only to apps with Transaction search" }
        return {
          ...present({ name: told.account_id }),
          rights,
          balances: told.balances.map(({ available_balance: { currency_code, value } }) => `${value} ${currency_code}`)
        }
      })
    )
  }
}

export const paypal = thirdParty({
  name: "paypal",
  baseUrls: { sandbox: "https://api-m.sandbox.paypal.com", live: "https://api-m.paypal.com" },
  modes: { hosts: { sandbox: /(^|\.)sandbox\.paypal\.com$/, live: /^api(-m)?\.paypal\.com$/ } },
  fields,
  serves,
  refunds: false,
  setup: {
    keys: [
      "Apps & Credentials: a REST API app with the features Accept payments and Payouts. Its client id and secret. With Transaction search, the test shows balances."
    ],
    registers: "the webhook of the app, with its events and id",
    callbacks: { at: "the same app, Webhooks, Add Webhook", events: webhookEvents, secret: "webhook_id" }
  },
  connect
})
