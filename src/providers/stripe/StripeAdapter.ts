/** Stripe: cards in every country, on its own page or by their number, and bank transfers in by virtual accounts. */
import * as answers from "./StripeAnswers.ts"
import * as requests from "./StripeRequests.ts"
import * as pages from "./StripeSessions.ts"
import { Clock, Duration, Effect, Either, Option, Redacted } from "effect"
import type { Movement } from "../../domain/Movement.ts"
import { Absent, type Declined, type Enquiry, type Outcome, Report, Unknown } from "../../domain/Outcome.ts"
import { get, type ProviderCall, type ProviderReply, withHeaders } from "../client/ProviderHttp.ts"
import {
  enquiryResult,
  firstReport,
  notSupported,
  outcomeOfOrder,
  preparedOrDeclined
} from "../client/ProviderReplies.ts"
import {
  type Callback,
  type CallbackRequest,
  type NoProof,
  NotNow,
  type Proof,
  secretNotSet
} from "../port/Callback.ts"
import { type AttemptContext, attemptKind, type PaymentOrder, type RefundOrder } from "../port/Provider.ts"
import { type Account, type Connected, type Served, serving, thirdParty } from "../port/ThirdParty.ts"
import { customerAccounts, issuedCurrencies } from "./StripeAccounts.ts"
import {
  eventOf,
  proofOf,
  type Transferred,
  type ChargeReversal,
  verifiedReportsOfReversal
} from "./StripeCallbacks.ts"
import { listsOf, movementsOfDispute, movementsOfRefund } from "./StripeMovements.ts"
import { disputeIn, type Intent, intentIn, type Refund, refundIn, sessionIn } from "./StripeSchemas.ts"
import { stripeRegistration, webhookEvents, stripeTest } from "./StripeManagement.ts"

const { warnIfUnexpected } = pages

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

const serves: ReadonlyArray<Served> = [
  ...serving("inbound", "card", "everywhere", requests.cardCurrencies),
  ...serving("inbound", "bank_transfer", requests.euroCountries, "EUR"),
  ...serving("inbound", "bank_transfer", "GB", "GBP"),
  ...serving("inbound", "bank_transfer", "JP", "JPY"),
  ...serving("inbound", "bank_transfer", "MX", "MXN"),
  ...serving("inbound", "bank_transfer", "US", "USD")
]

/** Stripe forgets keys after a day at the earliest; an hour is left for clocks and queues. */
const remembersKeys = Duration.hours(23)

/** A page has a hundred, so that a search takes over where thousands were made around the same time. */
const PAGES = 10

const namedIntent = answers.namedIn(intentIn)
const namedSession = answers.namedIn(sessionIn)
const namedRefund = answers.namedIn(refundIn)
const refundsIn = answers.movementsIn(refundIn, movementsOfRefund)
const disputesIn = answers.movementsIn(disputeIn, movementsOfDispute)

const { post } = requests

const connect = ({ callbackUrl, credentials, http, rawCards }: Account<typeof fields>): Connected => {
  const key = Redacted.value(credentials.secret_key)
  const testKey = requests.isTestKey(key)
  const call = withHeaders(http, { authorization: `Bearer ${key}`, "stripe-version": API_VERSION })

  const accounts = customerAccounts(call)

  const customerFor = (order: PaymentOrder): Effect.Effect<string, Declined> => {
    const form = requests.customerForm(order)
    const request = post("create customer", "/v1/customers", form, requests.customerKey(order.reference))
    return preparedOrDeclined(call(request), answers.toCustomer)
  }

  const openPage = (order: PaymentOrder): Effect.Effect<Outcome, Declined> =>
    Effect.gen(function* () {
      const form = yield* requests.sessionForm(order, yield* Clock.currentTimeMillis)
      const request = post("create page", "/v1/checkout/sessions", form, order.reference)
      return yield* outcomeOfOrder(call(request), pages.toSession)
    })

  const createIntent = (order: PaymentOrder, by: requests.PaidBy): Effect.Effect<Outcome, Declined> =>
    Effect.flatMap(requests.intentForm(order, by), (form) =>
      outcomeOfOrder(call(post("create payment", "/v1/payment_intents", form, order.reference)), answers.toIntent)
    )

  const collect = (order: PaymentOrder): Effect.Effect<Outcome, Declined> => {
    const { card, flow, method } = order
    if (flow === "inbound" && method === "card") {
      return rawCards && card !== null ? createIntent(order, { card, testKey }) : openPage(order)
    }
    return flow === "inbound" && method === "bank_transfer"
      ? Effect.flatMap(customerFor(order), (customer) => createIntent(order, { customer }))
      : Effect.fail(notSupported(`Stripe does not serve ${method}, ${flow}`))
  }

  const initiate = (order: PaymentOrder): Effect.Effect<Outcome> =>
    Effect.flatMap(Effect.merge(collect(order)), warnIfUnexpected)

  /** The one of our reference on a page, or where the next page begins. */
  const page = <A>(
    question: ProviderCall,
    reference: string,
    read: (reply: ProviderReply, reference: string) => Either.Either<answers.Listed<A>, Unknown>
  ): Effect.Effect<answers.Listed<A>, Unknown> =>
    call(question).pipe(
      Effect.mapError(({ reason }) => new Unknown({ reason })),
      Effect.flatMap((reply) => read(reply, reference))
    )

  const foundIntent = (attempt: AttemptContext): Effect.Effect<Intent | undefined, Unknown> =>
    Effect.gen(function* () {
      const { reference } = attempt
      let after: string | undefined
      for (let pages = 0; pages < PAGES; pages += 1) {
        const list = get("list payments", requests.intentsAround(attempt, after))
        const listed: answers.Listed<Intent> = yield* page(list, reference, namedIntent)
        if (listed.named !== undefined) return listed.named
        if (listed.after === undefined) break
        after = listed.after
      }
      return (yield* page(get("search payments", requests.intentsNamed(reference)), reference, namedIntent)).named
    })

  const foundSession = (attempt: AttemptContext): Effect.Effect<string | undefined, Unknown> =>
    Effect.gen(function* () {
      let after: string | undefined
      for (let number = 0; number < PAGES; number += 1) {
        const listed = yield* page(get("list pages", requests.sessions(after)), attempt.reference, namedSession)
        if (listed.named !== undefined) return listed.named.id
        if (listed.after === undefined || requests.isBefore(listed.lastMade, attempt)) return undefined
        after = listed.after
      }
      return undefined
    })

  const foundRefund = (paymentIntent: string | null, reference: string): Effect.Effect<Refund | undefined, Unknown> =>
    paymentIntent === null
      ? Effect.fail(new Unknown({ reason: "Stripe's own id of the payment is not known" }))
      : Effect.map(
          page(get("list refunds", requests.listOf("refunds", paymentIntent)), reference, namedRefund),
          ({ named }) => named
        )

  /** A restricted key that may not read the list still gets the status of the payment. */
  const movementsListed = (
    objects: "refunds" | "disputes",
    { id }: Intent,
    read: (reply: ProviderReply) => Either.Either<ReadonlyArray<Movement>, Unknown>
  ): Effect.Effect<ReadonlyArray<Movement>> =>
    Effect.catchAll(
      Effect.flatMap(call(get(`list ${objects}`, requests.listOf(objects, id))), (reply) => read(reply)),
      ({ reason }) => Effect.as(Effect.logWarning(`Stripe did not list ${objects}: ${reason}`), [])
    )

  /** Adds the refunds and disputes of a payment, and costs no call where its charge has none. */
  const withHistory = (intent: Intent, report: Report): Effect.Effect<Report> =>
    Effect.gen(function* () {
      const { hasDisputes, hasRefunds } = listsOf(intent)
      if (!hasDisputes && !hasRefunds) return report
      const movements = [
        ...(report.movements ?? []),
        ...(hasRefunds ? yield* movementsListed("refunds", intent, refundsIn) : []),
        ...(hasDisputes ? yield* movementsListed("disputes", intent, disputesIn) : [])
      ]
      return new Report({ ...report, movements })
    })

  const reported = (intent: Intent): Effect.Effect<Enquiry> => {
    const report = answers.reportOfIntent(intent)
    return report._tag === "Report" ? withHistory(intent, report) : Effect.succeed(report)
  }

  const lookedUp = (id: string, read: (reply: ProviderReply) => Enquiry): Effect.Effect<Enquiry> =>
    Effect.gen(function* () {
      const reply = yield* Effect.either(call(get("get payment", requests.intentWithCharge(id))))
      const said = yield* enquiryResult(reply, read)
      const intent = Option.flatMap(Either.getRight(reply), ({ json }) => intentIn(json))
      return said._tag === "Report" && Option.isSome(intent) ? yield* withHistory(intent.value, said) : said
    })

  const reportFound = <A>(
    found: Effect.Effect<A | undefined, Unknown>,
    report: (one: A) => Effect.Effect<Enquiry>
  ): Effect.Effect<Enquiry> =>
    Effect.merge(Effect.flatMap(found, (one) => (one === undefined ? Effect.succeed(new Absent()) : report(one))))

  const lookedUpPage = (id: string, read: (reply: ProviderReply) => Enquiry): Effect.Effect<Enquiry> =>
    Effect.gen(function* () {
      const reply = yield* Effect.either(call(get("get page", requests.sessionWithIntent(id))))
      const said = yield* enquiryResult(reply, read)
      const session = Option.flatMap(Either.getRight(reply), ({ json }) => sessionIn(json))
      const intent = Option.isSome(session) ? pages.intentOf(session.value) : null
      return said._tag === "Report" && intent !== null ? yield* withHistory(intent, said) : said
    })

  const lookedUpAs = (id: string, attempt: AttemptContext): Effect.Effect<Enquiry> =>
    requests.isSessionId(id)
      ? lookedUpPage(id, pages.aboutSessionOf(attempt))
      : lookedUp(id, answers.aboutIntentOf(attempt))

  const byReference = (attempt: AttemptContext): Effect.Effect<Enquiry> => {
    const ofIntent = reportFound(foundIntent(attempt), reported)
    if (attempt.method !== "card") return ofIntent
    // A payment that is made on a page is found by either, and only the page tells where the payer goes.
    const ofPage = reportFound(foundSession(attempt), (id) => lookedUpAs(id, attempt))
    const [first, second] = rawCards ? [ofIntent, ofPage] : [ofPage, ofIntent]
    return Effect.flatMap(first, (said) =>
      said._tag === "Report"
        ? Effect.succeed(said)
        : Effect.map(second, (other) => (other._tag === "Absent" ? said : other))
    )
  }

  const enquirePayment = (attempt: AttemptContext): Effect.Effect<Enquiry> => {
    const id = attempt.providerPaymentId
    if (id === null) return firstReport(attempt.hintedIds, (one) => lookedUpAs(one, attempt), byReference(attempt))
    return requests.isSessionId(id) ? lookedUpPage(id, pages.aboutSession) : lookedUp(id, answers.aboutIntent)
  }

  const enquireRefund = (attempt: AttemptContext): Effect.Effect<Enquiry> =>
    attempt.providerPaymentId === null
      ? reportFound(
          foundRefund(attempt.broughtBy === null ? null : requests.intentIdOf(attempt.broughtBy), attempt.reference),
          (one) => Effect.succeed(answers.reportOfRefund(one))
        )
      : enquiryResult(call(get("get refund", requests.refundPath(attempt.providerPaymentId))), answers.aboutRefund)

  const enquire = (attempt: AttemptContext): Effect.Effect<Enquiry> =>
    Effect.flatMap(
      attemptKind(attempt) === "refund" ? enquireRefund(attempt) : enquirePayment(attempt),
      warnIfUnexpected
    )

  const refund = (order: RefundOrder): Effect.Effect<Outcome> =>
    Effect.gen(function* () {
      const request = post("create refund", "/v1/refunds", yield* requests.refundForm(order), order.reference)
      const outcome = yield* outcomeOfOrder(call(request), answers.toRefund)
      if (!answers.isAlreadyRefunded(outcome)) return outcome
      const found = yield* foundRefund(requests.intentIdOf(order.attempt), order.reference)
      return found === undefined ? outcome : answers.outcomeOfRefund(found)
    }).pipe(Effect.merge, Effect.flatMap(warnIfUnexpected))

  /** Closes a page. A closed page takes no card. One that could not be closed was paid, or was closed before. */
  const closePage = (id: string) =>
    Effect.gen(function* () {
      const closed = pages.closingAnswer(yield* call(post("close page", `${requests.sessionPath(id)}/expire`, {})))
      return closed ?? pages.closedAnswer(yield* call(get("get page", requests.sessionWithIntent(id))))
    })

  const ownIdOf = (attempt: AttemptContext): Effect.Effect<string | undefined, Unknown> =>
    Effect.gen(function* () {
      if (attempt.providerPaymentId !== null) return attempt.providerPaymentId
      const ofPage = attempt.method === "card" ? yield* foundSession(attempt) : undefined
      return ofPage ?? (yield* foundIntent(attempt))?.id
    })

  const cancel = (attempt: AttemptContext): Effect.Effect<"canceled" | "refused" | "unknown"> =>
    Effect.gen(function* () {
      const id = yield* ownIdOf(attempt)
      if (id === undefined) return "unknown"
      if (requests.isSessionId(id)) return yield* closePage(id)
      return answers.cancelAnswer(yield* call(post("cancel payment", `${requests.intentPath(id)}/cancel`, {})))
    }).pipe(
      Effect.catchAll((failed) =>
        Effect.as(Effect.logWarning(`Stripe did not answer a cancellation: ${failed.reason}`), "unknown" as const)
      )
    )

  /** Fails while Stripe cannot be asked; Stripe then sends the callback again. */
  const reversed = (reversal: ChargeReversal, proof: Proof<"account">): Effect.Effect<Callback, NotNow> =>
    call(get("get payment", requests.intentPath(reversal.paymentIntent))).pipe(
      Effect.flatMap((reply) => intentIn(reply.json)),
      Effect.mapError(() => new NotNow({ message: "the payment that it is about could not be looked up", proof })),
      Effect.map((intent) => verifiedReportsOfReversal(reversal, intent, proof)),
      Effect.tap((events) =>
        events.length > 0
          ? Effect.void
          : Effect.logWarning(
              `Stripe's ${reversal.event} of ${reversal.paymentIntent} is of no payment or no amount that is known here`
            )
      ),
      Effect.map((events) => ({ events }))
    )

  /** The list is read soon as well: it moves the money on. */
  const transferred = ({ transaction }: Transferred, proof: Proof<"account">): Effect.Effect<Callback, NotNow> =>
    Effect.mapBoth(accounts.transferFrom(transaction), {
      onFailure: () => new NotNow({ message: "the customer of a transfer could not be looked up", proof }),
      onSuccess: (transfer) =>
        transfer === undefined
          ? { events: [] }
          : { events: [], transfers: [{ ...transfer, proof }], listTransfers: true as const }
    })

  const callback = (request: CallbackRequest): Effect.Effect<Callback, NoProof | NotNow> =>
    Effect.gen(function* () {
      const secret = credentials.webhook_secret
      if (secret === undefined) return yield* secretNotSet(fields.webhook_secret.env)
      const proof = yield* proofOf(request, Redacted.value(secret), yield* Clock.currentTimeMillis)
      const event = Option.getOrUndefined(eventOf(request.body, proof))
      if (event === undefined) return { events: [] }
      if (event._tag === "Transfer") return yield* transferred(event, proof)
      if (event._tag === "ChargeReversal") return yield* reversed(event, proof)
      if (event._tag === "VerifiedReport") yield* warnIfUnexpected(event.report)
      return { events: [event] }
    })

  return {
    honoursReference: remembersKeys,
    provesAbsence: false,
    digits: ({ currency }) => requests.stripeDigits(currency),
    takesCardNumbers: rawCards,
    // The payment that its payer makes has an id of its own.
    givesUpId: requests.isSessionId,
    initiate,
    enquire,
    callback,
    cancel,
    refund,
    accounts: accounts.issuer,
    register: stripeRegistration({ call, post, callbackUrl, apiVersion: API_VERSION }),
    // A returning customer has paid, was refused, or has left the page.
    resume: enquire,
    test: stripeTest(call)
  }
}

export const stripe = thirdParty({
  name: "stripe",
  baseUrls: { sandbox: "https://api.stripe.com", live: "https://api.stripe.com" },
  modes: { said: { livemode: { sandbox: /^false$/, live: /^true$/ } } },
  fields,
  serves,
  refunds: true,
  setup: {
    keys: [
      "Developers, API keys: a secret key, or a restricted key. A restricted key writes PaymentIntents, Checkout Sessions, Refunds, Customers and Webhook Endpoints. It reads Charges, Disputes, Balance and Account."
    ],
    registers: "the webhook endpoint, with its events and signing secret",
    callbacks: { at: "Developers, Webhooks, Add endpoint", events: webhookEvents, secret: "webhook_secret" }
  },
  issues: issuedCurrencies,
  connect
})
