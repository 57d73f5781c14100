/** Callbacks of Stripe: the signature over the raw bytes, and the events of our payments. */
import { createHmac } from "node:crypto"
import { Either, Option, Schema } from "effect"
import type { Movement } from "../../domain/Movement.ts"
import { Report } from "../../domain/Outcome.ts"
import { withMovements } from "../client/ProviderReplies.ts"
import { type CallbackRequest, Check, Hint, jsonOfBody, NoProof, Proof, VerifiedReport } from "../port/Callback.ts"
import { optional, objectReader } from "../client/WireValues.ts"
import { type CashTransaction, cashTransactionIn } from "./StripeAccounts.ts"
import { moneyIn } from "./StripeRequests.ts"
import { reportOfIntent, reportOfRefund } from "./StripeAnswers.ts"
import { movementsOfDispute, movementsOfRefund } from "./StripeMovements.ts"
import {
  disputeIn,
  type Intent,
  intentIn,
  ofChargeIn,
  referenceIn,
  type Refund,
  refundIn,
  sessionIn
} from "./StripeSchemas.ts"
import { reportOfPage } from "./StripeSessions.ts"

const TOLERANCE_SECONDS = 300

const Event = Schema.Struct({
  id: Schema.String,
  type: Schema.String,
  /** Names the connected account whose event it is. */
  account: optional(Schema.String),
  data: Schema.Struct({ object: Schema.Unknown })
})
type Event = typeof Event.Type

const eventIn = Schema.decodeUnknownOption(Event)

const kindIn = objectReader({ object: Schema.String })

interface Signature {
  readonly time: string
  readonly all: ReadonlyArray<string>
}

/** `t=…,v1=…`: while a secret is being changed, several signatures. */
const signatureIn = (header: string): Signature => {
  const parts = header.split(",").map((part) => part.split("=", 2) as [string, string?])
  const named = (name: string) => parts.flatMap(([is, value]) => (is === name && value !== undefined ? [value] : []))
  return { time: named("t")[0] ?? "", all: named("v1") }
}

export const signatureOf = (secret: string, time: string, body: string | Buffer): string =>
  createHmac("sha256", secret).update(`${time}.`).update(body).digest("hex")

export const proofOf = (
  { body, headers }: CallbackRequest,
  secret: string,
  nowMillis: number
): Either.Either<Proof<"account">, NoProof> => {
  const { all, time } = signatureIn(headers["stripe-signature"] ?? "")
  const expected = signatureOf(secret, time, body)
  const check = Check.any(all.map((given) => Check.same(expected, given))).where(/^\d{1,12}$/.test(time))
  const age = nowMillis / 1000 - Number(time)
  const tooOld = `The Stripe-Signature is older than ${TOLERANCE_SECONDS} seconds`
  return Either.filterOrLeft(
    Proof.from(check, "The Stripe-Signature is missing or wrong"),
    () => age <= TOLERANCE_SECONDS,
    () => new NoProof({ message: tooOld })
  )
}

/** Money of a charge that a dispute or a refund made by hand took back, or returned. Our reference has to be looked up. */
export interface ChargeReversal {
  readonly _tag: "ChargeReversal"
  readonly event: string
  readonly reports: ReadonlyArray<{ readonly key: string; readonly state: "returned" | "completed" }>
  readonly movements: ReadonlyArray<Movement>
  readonly reason: string
  readonly paymentIntent: string
  readonly amount: string
  readonly currency: string
}

/** Money that moved on the cash balance of a customer. */
export interface Transferred {
  readonly _tag: "Transfer"
  readonly transaction: typeof CashTransaction.Type
}

/** Event; none for other objects, and for events of connected accounts, whose money is not ours. */
export const eventOf = (
  body: Buffer,
  proof: Proof<"account">
): Option.Option<VerifiedReport | Hint | ChargeReversal | Transferred> =>
  jsonOfBody({ body }).pipe(
    Option.flatMap(eventIn),
    Option.filter(({ account }) => account === undefined),
    Option.flatMap((event): Option.Option<VerifiedReport | Hint | ChargeReversal | Transferred> => {
      const { object } = event.data
      const kind = Option.getOrUndefined(Option.map(kindIn(object), (one) => one.object))
      switch (kind) {
        case "payment_intent":
          return verifiedReportOfIntent(event, proof)
        case "checkout.session":
          return eventOfSession(event, proof)
        case "charge":
          return hintOfCharge(event)
        case "refund":
          return verifiedReportOfRefund(event, proof)
        case "dispute":
          return reversalOfDispute(event)
        case "customer_cash_balance_transaction":
          return Option.map(cashTransactionIn(object), (transaction) => ({ _tag: "Transfer", transaction }))
        default:
          return Option.none()
      }
    })
  )

const verifiedReportOfIntent = (
  { data, id: key }: Event,
  proof: Proof<"account">
): Option.Option<VerifiedReport | Hint> =>
  Option.flatMap(intentIn(data.object), (intent) => {
    const [reference, report] = [referenceIn(intent), reportOfIntent(intent)]
    const attempt = { reference, providerPaymentId: intent.id }
    if (reference === null) return Option.none()
    return Option.some(
      report._tag === "Unknown" ? new Hint({ attempt }) : new VerifiedReport({ key, attempt, report, proof })
    )
  })

/** A page that expired was not paid. Of one that is complete the payment has to be looked up, for the id of its charge. */
const eventOfSession = ({ data, id: key }: Event, proof: Proof<"account">): Option.Option<VerifiedReport | Hint> =>
  Option.flatMap(sessionIn(data.object), (session) => {
    const reference = referenceIn(session)
    const attempt = { reference, providerPaymentId: session.id }
    if (reference === null) return Option.none()
    if (session.status !== "expired") return Option.some(new Hint({ attempt }))
    const report = new Report({ ...reportOfPage(session), providerPaymentId: null })
    return Option.some(new VerifiedReport({ key, attempt, report, proof }))
  })

/** A charge has the reference of its payment, and does not say what became of that. */
const hintOfCharge = ({ data }: Event): Option.Option<Hint> =>
  Option.flatMap(ofChargeIn(data.object), (charge) => {
    const reference = referenceIn(charge)
    const attempt = { reference, providerPaymentId: charge.payment_intent }
    return reference === null ? Option.none() : Option.some(new Hint({ attempt }))
  })

const verifiedReportOfRefund = (
  event: Event,
  proof: Proof<"account">
): Option.Option<VerifiedReport | ChargeReversal> =>
  Option.flatMap(refundIn(event.data.object), (refund): Option.Option<VerifiedReport | ChargeReversal> => {
    const reference = referenceIn(refund)
    const attempt = { reference, providerPaymentId: refund.id }
    return reference === null
      ? reversalOfManualRefund(event, refund)
      : Option.some(new VerifiedReport({ key: event.id, attempt, report: reportOfRefund(refund), proof }))
  })

/** Movements of a refund in the dashboard: out of our balance when it is made, back when it fails. */
const reversalOfManualRefund = ({ type: event }: Event, refund: Refund): Option.Option<ChargeReversal> => {
  const { amount, currency, id, payment_intent: paymentIntent, status } = refund
  if (amount === null || currency === null || paymentIntent === null) return Option.none()
  const isBack = status === "failed" || status === "canceled"
  return Option.some({
    _tag: "ChargeReversal",
    event,
    reports: [
      // Names the refund with every event, under one key: the first event may have been lost.
      { key: `refund ${id} taken`, state: "returned" },
      ...(isBack ? [{ key: `refund ${id} regained`, state: "completed" as const }] : [])
    ],
    movements: movementsOfRefund(refund),
    reason: "it was refunded by hand at Stripe",
    paymentIntent,
    amount,
    currency
  })
}

const WITHDRAWN = "charge.dispute.funds_withdrawn"
const REINSTATED = "charge.dispute.funds_reinstated"

const reversalOfDispute = ({ data, id: key, type }: Event): Option.Option<ChargeReversal> =>
  type === WITHDRAWN || type === REINSTATED
    ? Option.map(disputeIn(data.object), (dispute) => ({
        _tag: "ChargeReversal",
        event: type,
        reports: [{ key, state: type === WITHDRAWN ? "returned" : "completed" }],
        movements: movementsOfDispute(dispute, { isWithdrawn: true, isReinstated: type === REINSTATED }),
        reason: "the payer disputed it, and Stripe took the money back",
        paymentIntent: dispute.payment_intent,
        amount: dispute.amount,
        currency: dispute.currency
      }))
    : Option.none()

/** A fee that Stripe keeps for a dispute is no part of the payment, and not in its amount. */
export const verifiedReportsOfReversal = (
  { amount, currency, event, movements, reason, reports }: ChargeReversal,
  intent: Intent,
  proof: Proof<"account">
): ReadonlyArray<VerifiedReport> => {
  const reference = referenceIn(intent)
  if (reference === null || Option.isNone(moneyIn(amount, currency))) return []
  if (event === REINSTATED && !movements.some(({ kind }) => kind === "reinstatement")) return []
  const about = { providerPaymentId: intent.id, providerStatus: intent.status, providerCode: event }
  const attempt = { reference, providerPaymentId: intent.id }
  return reports.map(({ key, state }) => {
    const said = { state, reason: state === "returned" ? reason : null }
    return new VerifiedReport({
      key,
      attempt,
      report: new Report({ ...said, ...about, ...withMovements(movements) }),
      proof
    })
  })
}
