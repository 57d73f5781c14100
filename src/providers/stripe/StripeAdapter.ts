/** Stripe: cards in every country, and bank transfers in by virtual accounts. No payouts. */
import { Clock, Duration, Effect, Either, Option, Redacted } from "effect"
import type { Movement } from "../../domain/Movement.ts"
import { Absent, type Declined, type Enquiry, type Outcome, Report, Unknown } from "../../domain/Outcome.ts"
import { triedBy, firstReport, looked, prepared, sent } from "../client/ProviderReplies.ts"
import type { ProviderReply } from "../client/ProviderHttp.ts"
import {
  type Callback,
  type CallbackRequest,
  type NoProof,
  NotNow,
  type Proof,
  secretNotSet
} from "../port/Callback.ts"
import {
  type AttemptContext,
  attemptKind,
  type PaymentOrder,
  type Provider,
  type RefundOrder
} from "../port/Provider.ts"
import { type Account, type Served, servedBy, thirdParty } from "../port/ThirdParty.ts"
import {
  cardCurrencies,
  customerForm,
  customerKey,
  disputesOf,
  euroCountries,
  type Form,
  formText,
  intentForm,
  intentPath,
  intentsAround,
  intentsNamed,
  intentWithCharge,
  refundForm,
  refundPath,
  refundsOf,
  isTestKey
} from "./StripeRequests.ts"
import {
  aboutIntent,
  aboutIntentOf,
  aboutRefund,
  cancelAnswer,
  isAlreadyRefunded,
  type Listed,
  movementsIn,
  namedIn,
  outcomeOfRefund,
  reportOfIntent,
  reportOfRefund,
  toCustomer,
  toIntent,
  toRefund,
  warned
} from "./StripeAnswers.ts"
import { historyOf, movementsOfDispute, movementsOfRefund } from "./StripeMovements.ts"
import { disputeIn, type Intent, intentIn, type Refund, refundIn } from "./StripeSchemas.ts"
import { eventOf, proofOf, type Withdrawal, withdrawnMoney } from "./StripeCallbacks.ts"

const title = "Stripe"

/** Pinned, whatever version the account is set to. */
const API_VERSION = "2023-08-16"

const fields = {
  secret_key: {
    env: "STRIPE_SECRET_KEY",
    about: "the secret key (sk_test_… or sk_live_…), from Developers, API keys in the dashboard",
    identifies: true,
    marks: { sandbox: /^[sr]k_test_/, live: /^[sr]k_live_/ }
  },
  webhook_secret: {
    env: "STRIPE_WEBHOOK_SECRET",
    about: "the signing secret (whsec_…) of the webhook endpoint, from Developers, Webhooks",
    optional: true
  }
} as const

const transfers = (currency: string, ...countries: ReadonlyArray<string>): Served => ({
  method: "bank_transfer",
  flow: "inbound",
  countries,
  currencies: [currency]
})

const serves: ReadonlyArray<Served> = [
  { method: "card", flow: "inbound", countries: "everywhere", currencies: cardCurrencies },
  transfers("EUR", ...euroCountries),
  transfers("GBP", "GB"),
  transfers("JPY", "JP"),
  transfers("MXN", "MX"),
  transfers("USD", "US")
]

/** Stripe forgets keys after a day at the earliest; an hour is left for clocks and queues. */
const remembersKeys = Duration.hours(23)

/** A page has a hundred, so that a search takes over where thousands were made around the same time. */
const PAGES = 10

const namedIntent = namedIn(intentIn)
const namedRefund = namedIn(refundIn)
const refundsIn = movementsIn(refundIn, movementsOfRefund)
const disputesIn = movementsIn(disputeIn, movementsOfDispute)

const connect = (account: Account<typeof fields>): Provider => {
  const { credentials, http, rawCards } = account
  const key = Redacted.value(credentials.secret_key)
  const rules = { rawCards, testKey: isTestKey(key) }
  const always = { authorization: `Bearer ${key}`, "stripe-version": API_VERSION }

  const get = (operation: string, path: string) => http.call({ operation, method: "GET", path, headers: always })

  const post = (operation: string, path: string, form: Form, idempotencyKey?: string) =>
    http.call({
      operation,
      method: "POST",
      path,
      headers: {
        ...always,
        "content-type": "application/x-www-form-urlencoded",
        ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey })
      },
      body: formText(form)
    })

  const customerFor = (order: PaymentOrder): Effect.Effect<string | null, Declined> =>
    order.method === "bank_transfer"
      ? prepared(
          post("create customer", "/v1/customers", customerForm(order), customerKey(order.reference)),
          toCustomer
        )
      : Effect.succeed(null)

  const initiate = (order: PaymentOrder): Effect.Effect<Outcome> =>
    Effect.gen(function* () {
      const form = yield* intentForm(order, rules, yield* customerFor(order))
      return yield* sent(post("create payment", "/v1/payment_intents", form, order.reference), toIntent)
    }).pipe(Effect.merge, Effect.flatMap(warned))

  /** The one of our reference on a page, or where the next page begins. */
  const page = <A>(
    operation: string,
    path: string,
    reference: string,
    read: (reply: ProviderReply, reference: string) => Either.Either<Listed<A>, Unknown>
  ): Effect.Effect<Listed<A>, Unknown> =>
    get(operation, path).pipe(
      Effect.mapError(({ reason }) => new Unknown({ reason })),
      Effect.flatMap((reply) => read(reply, reference))
    )

  const listedIntent = (
    attempt: AttemptContext,
    after = Option.none<string>(),
    left = PAGES
  ): Effect.Effect<Intent | undefined, Unknown> =>
    Effect.flatMap(
      page("list payments", intentsAround(attempt, after), attempt.reference, namedIntent),
      ({ after: next, named }) =>
        named !== undefined || Option.isNone(next) || left === 1
          ? Effect.succeed(named)
          : listedIntent(attempt, next, left - 1)
    )

  const foundIntent = (attempt: AttemptContext): Effect.Effect<Intent | undefined, Unknown> =>
    Effect.flatMap(listedIntent(attempt), (listed) =>
      listed === undefined
        ? Effect.map(
            page("search payments", intentsNamed(attempt.reference), attempt.reference, namedIntent),
            ({ named }) => named
          )
        : Effect.succeed(listed)
    )

  const foundRefund = (paymentIntent: string | null, reference: string): Effect.Effect<Refund | undefined, Unknown> =>
    paymentIntent === null
      ? Effect.fail(new Unknown({ reason: "Stripe's own id of the payment is not known" }))
      : Effect.map(page("list refunds", refundsOf(paymentIntent), reference, namedRefund), ({ named }) => named)

  /** A restricted key that may not read the list still gets the status of the payment. */
  const movementsListed = (
    operation: string,
    path: string,
    read: (reply: ProviderReply) => Either.Either<ReadonlyArray<Movement>, Unknown>
  ): Effect.Effect<ReadonlyArray<Movement>> =>
    Effect.catchAll(
      Effect.flatMap(get(operation, path), (reply) => read(reply)),
      ({ reason }) => Effect.as(Effect.logWarning(`Stripe did not ${operation}: ${reason}`), [])
    )

  /** Adds the refunds and disputes of a payment, and costs no call where its charge has none. */
  const withHistory = (intent: Intent, report: Report): Effect.Effect<Report> =>
    Effect.gen(function* () {
      const { disputes, refunds } = historyOf(intent)
      if (!disputes && !refunds) return report
      const movements = [
        ...(report.movements ?? []),
        ...(refunds ? yield* movementsListed("list refunds", refundsOf(intent.id), refundsIn) : []),
        ...(disputes ? yield* movementsListed("list disputes", disputesOf(intent.id), disputesIn) : [])
      ]
      return new Report({ ...report, movements })
    })

  const reported = (intent: Intent): Effect.Effect<Enquiry> => {
    const report = reportOfIntent(intent)
    return report._tag === "Report" ? withHistory(intent, report) : Effect.succeed(report)
  }

  const lookedUp = (id: string, read: (reply: ProviderReply) => Enquiry): Effect.Effect<Enquiry> =>
    Effect.gen(function* () {
      const reply = yield* Effect.either(get("get payment", intentWithCharge(id)))
      const said = yield* looked(reply, read)
      const intent = Option.flatMap(Either.getRight(reply), ({ json }) => intentIn(json))
      return said._tag === "Report" && Option.isSome(intent) ? yield* withHistory(intent.value, said) : said
    })

  const reportFound = <A>(
    found: Effect.Effect<A | undefined, Unknown>,
    report: (one: A) => Effect.Effect<Enquiry>
  ): Effect.Effect<Enquiry> =>
    Effect.merge(Effect.flatMap(found, (one) => (one === undefined ? Effect.succeed(new Absent()) : report(one))))

  const enquirePayment = (attempt: AttemptContext): Effect.Effect<Enquiry> =>
    attempt.providerPaymentId === null
      ? firstReport(
          attempt.hintedIds,
          (id) => lookedUp(id, aboutIntentOf(attempt)),
          reportFound(foundIntent(attempt), reported)
        )
      : lookedUp(attempt.providerPaymentId, aboutIntent)

  const enquireRefund = (attempt: AttemptContext): Effect.Effect<Enquiry> =>
    attempt.providerPaymentId === null
      ? reportFound(foundRefund(attempt.broughtBy?.providerPaymentId ?? null, attempt.reference), (one) =>
          Effect.succeed(reportOfRefund(one))
        )
      : looked(get("get refund", refundPath(attempt.providerPaymentId)), aboutRefund)

  const enquire = (attempt: AttemptContext): Effect.Effect<Enquiry> =>
    Effect.flatMap(attemptKind(attempt) === "refund" ? enquireRefund(attempt) : enquirePayment(attempt), warned)

  const refund = (order: RefundOrder): Effect.Effect<Outcome> =>
    Effect.gen(function* () {
      const form = yield* refundForm(order)
      const outcome = yield* sent(post("create refund", "/v1/refunds", form, order.reference), toRefund)
      if (!isAlreadyRefunded(outcome)) return outcome
      const found = yield* foundRefund(order.attempt.providerPaymentId, order.reference)
      return found === undefined ? outcome : outcomeOfRefund(found)
    }).pipe(Effect.merge, Effect.flatMap(warned))

  const cancel = (attempt: AttemptContext): Effect.Effect<"canceled" | "refused" | "unknown"> =>
    Effect.gen(function* () {
      const id = attempt.providerPaymentId ?? (yield* foundIntent(attempt))?.id
      if (id === undefined) return "unknown"
      return cancelAnswer(yield* post("cancel payment", `${intentPath(id)}/cancel`, {}))
    }).pipe(
      Effect.catchAll((failed) =>
        Effect.as(Effect.logWarning(`Stripe did not answer a cancellation: ${failed.reason}`), "unknown" as const)
      )
    )

  /** Fails while Stripe cannot be asked; Stripe then sends the callback again. */
  const withdrawn = (withdrawal: Withdrawal, proof: Proof<"account">): Effect.Effect<Callback, NotNow> =>
    get("get payment", intentPath(withdrawal.paymentIntent)).pipe(
      Effect.flatMap((reply) => intentIn(reply.json)),
      Effect.mapError(() => new NotNow({ message: "the payment that it is about could not be looked up", proof })),
      Effect.map((intent) => withdrawnMoney(withdrawal, intent, proof)),
      Effect.tap((events) =>
        events.length > 0
          ? Effect.void
          : Effect.logWarning(
              `Stripe's ${withdrawal.event} of ${withdrawal.paymentIntent} is of no payment or no amount that is known here`
            )
      ),
      Effect.map((events) => ({ events }))
    )

  const callback = (request: CallbackRequest): Effect.Effect<Callback, NoProof | NotNow> =>
    Effect.gen(function* () {
      const secret = credentials.webhook_secret
      if (secret === undefined) {
        return yield* secretNotSet(fields.webhook_secret.env)
      }
      const proof = yield* proofOf(request, Redacted.value(secret), yield* Clock.currentTimeMillis)
      const event = Option.getOrUndefined(eventOf(request.body, proof))
      if (event === undefined) return { events: [] }
      if (event._tag === "Withdrawal") return yield* withdrawn(event, proof)
      if (event._tag === "Statement") yield* warned(event.report)
      return { events: [event] }
    })

  const test: NonNullable<Provider["test"]> = triedBy(get("test", "/v1/payment_intents?limit=1"), ({ status }) =>
    status === 200
      ? Either.right(`It took the ${rules.testKey ? "test" : "live"} key.`)
      : Either.left(`HTTP ${status}: it did not take the key.`)
  )

  return {
    name: "stripe",
    honoursReference: remembersKeys,
    provesAbsence: false,
    supports: servedBy(title, serves),
    initiate,
    enquire,
    callback,
    cancel,
    refund,
    // A returning customer's intent is already confirmed or refused.
    resume: enquire,
    test
  }
}

export const stripe = thirdParty({
  name: "stripe",
  title,
  baseUrls: { sandbox: "https://api.stripe.com", live: "https://api.stripe.com" },
  modes: { said: { livemode: { sandbox: /^false$/, live: /^true$/ } } },
  fields,
  serves,
  refunds: true,
  connect
})
