/** What PayPal calls back with. PayPal itself is asked whether it said it; only captures and items of payouts are taken at their word. */
import { Effect, Either, Option, Redacted, Schema } from "effect"
import { Report } from "../../domain/Outcome.ts"
import type { ProviderCall } from "../client/ProviderHttp.ts"
import {
  type Callback,
  type CallbackEvent,
  type CallbackRequest,
  type Check,
  Hint,
  NoProof,
  type NotNow,
  Proof,
  Statement
} from "../port/Callback.ts"
import { readJson } from "../port/WireJson.ts"
import { captureReport, isStrangeOrder, readCapture } from "./PaypalOrders.ts"
import { isStrangePayout, itemReport, readItem } from "./PaypalPayouts.ts"
import { type Transmission, verifySignature } from "./PaypalRequests.ts"
import { moneyOf, text } from "./PaypalWire.ts"
import { urlOf } from "../../domain/UrlOf.ts"

const readEvent = Schema.decodeUnknownOption(
  Schema.Struct({ id: Schema.String, event_type: Schema.String, resource: Schema.Unknown })
)

const readNames = Schema.decodeUnknownOption(
  Schema.Struct({
    id: text,
    custom_id: text,
    purchase_units: Schema.optionalWith(Schema.Array(Schema.Struct({ custom_id: text })), { nullable: true }),
    supplementary_data: Schema.optionalWith(
      Schema.Struct({
        related_ids: Schema.optionalWith(Schema.Struct({ order_id: text }), { nullable: true })
      }),
      { nullable: true }
    ),
    batch_header: Schema.optionalWith(
      Schema.Struct({
        payout_batch_id: text,
        sender_batch_header: Schema.optionalWith(Schema.Struct({ sender_batch_id: text }), { nullable: true })
      }),
      { nullable: true }
    )
  })
)

const Amount = Schema.Struct({ currency_code: Schema.String, value: Schema.String })

const readDispute = Schema.decodeUnknownOption(
  Schema.Struct({
    dispute_id: Schema.String,
    disputed_transactions: Schema.Array(Schema.Struct({ custom: text })),
    dispute_amount: Schema.optionalWith(Amount, { nullable: true }),
    dispute_outcome: Schema.Struct({
      outcome_code: Schema.String,
      amount_refunded: Schema.optionalWith(Amount, { nullable: true })
    })
  })
)

/** Only a refund says how much went back in all. */
const readRefund = Schema.decodeUnknownOption(
  Schema.Struct({
    id: Schema.String,
    status: Schema.Literal("COMPLETED"),
    custom_id: Schema.String,
    amount: Amount,
    seller_payable_breakdown: Schema.Struct({ total_refunded_amount: Amount })
  })
)

const REFUNDED = "PAYMENT.CAPTURE.REFUNDED"

const DISPUTE_RESOLVED = "CUSTOMER.DISPUTE.RESOLVED"

/** Payers can make an order on a page of their own, with no more than the client id, and choose what it is called by. */
const payin = { about: "payin" } as const

/** While a dispute is open PayPal only holds the money. It takes it with one of these; what it pays itself costs us nothing. */
const lost: ReadonlySet<string> = new Set(["RESOLVED_BUYER_FAVOUR", "ACCEPTED"])

/**
 * Of several payments nobody knows whose money it is: each is asked about. Whoever gives in to a dispute refunds it,
 * and the event of that refund tells of the same money.
 */
const eventsOfDispute = (resource: unknown, proof: Proof): Option.Option<ReadonlyArray<CallbackEvent>> =>
  Option.map(readDispute(resource), (dispute) => {
    const { dispute_amount: disputed, dispute_id: id, dispute_outcome: outcome, disputed_transactions: all } = dispute
    if (!lost.has(outcome.outcome_code)) return []
    const attempts = all.map(({ custom }) => ({ ...payin, reference: custom ?? null, providerPaymentId: null }))
    const [attempt, ...others] = attempts
    const amount = outcome.amount_refunded ?? disputed
    const taken = moneyOf(amount, amount?.currency_code)
    if (attempt === undefined || others.length > 0 || taken === undefined) {
      return attempts.map((one) => new Hint({ attempt: one }))
    }
    const report = new Report({
      state: "returned",
      reason: "the payer disputed it, and PayPal took the money back",
      providerPaymentId: null,
      providerStatus: null,
      providerCode: outcome.outcome_code,
      taken,
      takenInAll: taken
    })
    return [new Statement({ key: `${DISPUTE_RESOLVED} ${id}`, attempt, report, proof })]
  })

/** Nobody refunds here but by hand at PayPal, and what an order says of it names no sum. */
const statementOfRefund = ({ event_type: type, resource }: Event, proof: Proof): Option.Option<Statement> =>
  Option.gen(function* () {
    if (type !== REFUNDED) return yield* Option.none()
    const { amount, custom_id: reference, id, seller_payable_breakdown: sums } = yield* readRefund(resource)
    const taken = yield* Option.fromNullable(moneyOf(amount, amount.currency_code))
    const all = sums.total_refunded_amount
    const takenInAll = yield* Option.fromNullable(moneyOf(all, all.currency_code))
    const attempt = { ...payin, reference, providerPaymentId: null }
    const report = new Report({
      state: "returned",
      reason: "it was refunded at PayPal",
      providerPaymentId: null,
      providerStatus: null,
      taken,
      takenInAll
    })
    return new Statement({ key: `${REFUNDED} ${id}`, attempt, report, proof })
  })

const isPaypal = (host: string): boolean => host === "paypal.com" || host.endsWith(".paypal.com")

/** PayPal's own certificates alone; those of whoever stands in for PayPal, where the account says so. */
export const isCertificateOf = (baseUrl: string, certUrl: string): boolean => {
  const given = urlOf(certUrl)
  if (given === undefined || given.username !== "" || given.password !== "") return false
  if (given.protocol === "https:" && given.port === "" && isPaypal(given.hostname)) return true
  return given.origin === urlOf(baseUrl)?.origin
}

/** JSON by itself, so that nothing in it can end the text that it is put into. */
const eventTextIn = (body: Buffer): Either.Either<string, NoProof> => {
  const said = body.toString("utf8")
  return Buffer.from(said).equals(body) && Either.isRight(readJson(said))
    ? Either.right(said)
    : Either.left(new NoProof({ message: "the callback is not JSON" }))
}

const transmissionIn = (
  { headers }: CallbackRequest,
  webhookId: Redacted.Redacted | undefined,
  baseUrl: string
): Either.Either<Transmission, NoProof> => {
  const id = webhookId === undefined ? "" : Redacted.value(webhookId)
  if (id === "")
    return Either.left(new NoProof({ message: "PAYPAL_WEBHOOK_ID is not set: no callback can be verified" }))
  const header = (name: string) =>
    Either.fromNullable(
      headers[`paypal-${name}`],
      () => new NoProof({ message: `PAYPAL-${name.toUpperCase()} is missing` })
    )
  return Either.gen(function* () {
    const certUrl = yield* header("cert-url")
    if (!isCertificateOf(baseUrl, certUrl)) {
      return yield* Either.left(new NoProof({ message: "PAYPAL-CERT-URL is not an address of PayPal" }))
    }
    return {
      auth_algo: yield* header("auth-algo"),
      cert_url: certUrl,
      transmission_id: yield* header("transmission-id"),
      transmission_sig: yield* header("transmission-sig"),
      transmission_time: yield* header("transmission-time"),
      webhook_id: id
    }
  })
}

const captures = ["COMPLETED", "DECLINED", "DENIED", "PENDING"].map((end) => `PAYMENT.CAPTURE.${end}`)

/** Of these the order or the payout itself tells more: an approved one waits for its capture. */
const hints = /^(CHECKOUT\.ORDER\.|CHECKOUT\.PAYMENT-APPROVAL\.|PAYMENT\.CAPTURE\.|PAYMENT\.PAYOUTSBATCH\.)/

type Event = Option.Option.Value<ReturnType<typeof readEvent>>

const statementOf = (event: Event, proof: Proof): Option.Option<Statement> => {
  const { event_type: type, id: key, resource } = event
  if (captures.includes(type)) {
    return Option.zipWith(readCapture(resource), readNames(resource), (capture, names) => {
      const orderId = names.supplementary_data?.related_ids?.order_id ?? null
      const attempt = { ...payin, reference: names.custom_id ?? null, providerPaymentId: orderId }
      return new Statement({ key, attempt, report: captureReport(orderId, capture), proof })
    })
  }
  if (!type.startsWith("PAYMENT.PAYOUTS-ITEM.")) return Option.none()
  return Option.map(readItem(resource), (item) => {
    const batchId = item.payout_batch_id ?? null
    const reference = item.payout_item?.sender_item_id ?? null
    const attempt = { reference, providerPaymentId: batchId, about: "payout" as const }
    return new Statement({ key, attempt, report: itemReport(batchId, item), proof })
  })
}

const hintOf = ({ event_type: type, resource }: Event): Option.Option<Hint> => {
  if (!hints.test(type)) return Option.none()
  return Option.map(readNames(resource), (names) => {
    const isOrder = type.startsWith("CHECKOUT.ORDER.")
    return new Hint({
      attempt: {
        reference:
          names.custom_id ??
          names.purchase_units?.[0]?.custom_id ??
          names.batch_header?.sender_batch_header?.sender_batch_id ??
          null,
        providerPaymentId: (isOrder ? names.id : names.batch_header?.payout_batch_id) ?? null
      }
    })
  })
}

const isNamed = ({ attempt }: CallbackEvent): boolean =>
  attempt.reference !== null || attempt.providerPaymentId !== null

const eventsIn = (said: string, proof: Proof): Effect.Effect<ReadonlyArray<CallbackEvent>> => {
  const read = Option.flatMap(Either.getRight(readJson(said)), readEvent)
  if (Option.isNone(read)) return Effect.as(Effect.logWarning("PayPal called back with what cannot be read"), [])
  if (read.value.event_type === DISPUTE_RESOLVED) {
    return Option.match(eventsOfDispute(read.value.resource, proof), {
      onNone: () => Effect.as(Effect.logWarning(`PayPal's ${DISPUTE_RESOLVED} cannot be read`), []),
      onSome: (all) => Effect.succeed(all.filter(isNamed))
    })
  }
  const statement = Option.orElse(statementOf(read.value, proof), () => statementOfRefund(read.value, proof))
  const events = [...Option.toArray(statement), ...(Option.isSome(statement) ? [] : Option.toArray(hintOf(read.value)))]
  const status = Option.getOrNull(Option.map(statement, ({ report }) => report.providerStatus))
  return isStrangeOrder(status) && isStrangePayout(status)
    ? Effect.as(Effect.logWarning(`PayPal's ${read.value.event_type} has the status ${status}`), events.filter(isNamed))
    : Effect.succeed(events.filter(isNamed))
}

/** `verified`: whether PayPal, asked like this, says that it sent it; it fails where PayPal cannot be asked. */
export const readCallback =
  (
    webhookId: Redacted.Redacted | undefined,
    baseUrl: string,
    verified: (question: ProviderCall) => Effect.Effect<Check, NotNow>
  ) =>
  (request: CallbackRequest): Effect.Effect<Callback, NoProof | NotNow> =>
    Effect.gen(function* () {
      const transmission = yield* transmissionIn(request, webhookId, baseUrl)
      const said = yield* eventTextIn(request.body)
      const check = yield* verified(verifySignature(transmission, said))
      const proof = yield* Proof.from(check, "PayPal says that it did not send this")
      return { events: yield* eventsIn(said, proof) }
    })
