/** The end of a payment that its customer has not paid: when it comes, and when its provider is asked about it. Pure. */
import { Duration, Option } from "effect"
import { endRetryDelay, endRetryLimit, lateEnquiries, pageEndLead } from "../../domain/policies/PaymentPolicies.ts"
import { isFinal } from "../../domain/PaymentStatus.ts"
import {
  type AttemptOutcome,
  type StatusDecision,
  hasState,
  type ProviderSignal
} from "../../domain/PaymentStatusRules.ts"
import type { PaymentPatch } from "../store/Change.ts"
import type { Payment, PaymentFailure } from "../store/Payment.ts"
import type { AttemptOfPayment } from "../store/PaymentStore.ts"
import type { DecisionTime, SignalContext } from "./SignalContext.ts"

/** With the time by the clock that all instances share. */
export interface SharedDecisionTime extends DecisionTime {
  readonly shared: Date
  /** How long a payin without an end of its own waits for its customer. */
  readonly payinExpiry: Duration.Duration
}

const MILLIS_PER_SECOND = 1000

export const isExpired = ({ expires_at }: Payment, { shared }: SharedDecisionTime): boolean =>
  expires_at !== null && expires_at <= shared

/**
 * An unpaid payin is polled at its expiry, however often it was polled before. Otherwise a payin that the provider
 * accepted and the customer never pays would never end.
 */
const atExpiry = (
  { expires_at }: Payment,
  outcome: AttemptOutcome | null,
  moment: SharedDecisionTime
): SharedDecisionTime => {
  const { enquireIn, shared } = moment
  // Negative after the expiry, which a Duration cannot be.
  const left = expires_at === null ? 0 : (expires_at.getTime() - shared.getTime()) / MILLIS_PER_SECOND + 1
  if (left < 1 || (Option.isNone(enquireIn) && outcome !== "accepted")) return moment
  const end = Duration.seconds(left)
  const next = Option.getOrElse(enquireIn, () => end)
  return { ...moment, enquireIn: Option.some(Duration.min(next, end)) }
}

/** A signal about a collection, with the time of the next poll. */
export const untilItsEnd = (
  { attempt, payment }: AttemptOfPayment,
  outcome: AttemptOutcome | null,
  source: SignalContext,
  moment: SharedDecisionTime
): { readonly source: SignalContext; readonly moment: SharedDecisionTime } => {
  // For a hint it is asked as planned: where nothing is planned any more, its end is.
  const unplanned = !isExpired(payment, moment) && outcome === "accepted" && attempt.next_enquiry_at === null
  return { source: unplanned ? { ...source, hinted: false } : source, moment: atExpiry(payment, outcome, moment) }
}

const isPayin = ({ attempt, payment }: AttemptOfPayment): boolean =>
  attempt.leg === "payment" && payment.direction === "inbound" && payment.ramp === null

/** The provider waits for the customer, and has no money. */
const saysPending = (signal: ProviderSignal): boolean => hasState(signal) && signal.state === "pending"

const saysOver = (signal: ProviderSignal): boolean =>
  "state" in signal && (signal.state === "completed" || signal.state === "failed" || signal.state === "returned")

/** Failed because its customer did not pay in time. */
const hasExpired = ({ failure, status }: Payment): boolean => status === "failed" && failure?.code === "EXPIRED"

/** Whether the end of a payin depends on the time by the clock that all instances share. */
export const needsSharedTime = (subject: AttemptOfPayment, signal: ProviderSignal): boolean => {
  const { expires_at, status } = subject.payment
  if (!isPayin(subject) || ("state" in signal && signal.state === "completed")) return false
  if (hasExpired(subject.payment)) return true
  return !isFinal(status) && (saysPending(signal) || status === "pending" || expires_at !== null)
}

/** A decision, and whether no money was reported. */
interface Unpaid extends StatusDecision {
  readonly isUnpaid: boolean
}

const waitsForCustomer = (
  { payment }: AttemptOfPayment,
  signal: ProviderSignal,
  { outcome, status }: StatusDecision
): boolean => {
  if (outcome !== "accepted") return false
  if (status === "pending") return true
  return status === "processing" && (saysPending(signal) || (signal._tag === "Unknown" && payment.expires_at !== null))
}

/** Whether the payin ends now: its provider was asked at its end, and its customer has not paid. */
export const endsNow = (
  subject: AttemptOfPayment,
  decision: Unpaid,
  { atEnd }: SignalContext,
  moment: DecisionTime | SharedDecisionTime
): boolean =>
  atEnd !== undefined &&
  "shared" in moment &&
  isPayin(subject) &&
  isExpired(subject.payment, moment) &&
  !isFinal(decision.status) &&
  decision.outcome === "accepted" &&
  decision.isUnpaid &&
  atEnd.page !== "unknown" &&
  (atEnd.page === "closed" || subject.payment.status === atEnd.from)

/**
 * A failure at the end of a payin that waited for its customer, such as the report of a page that was closed. A page that
 * closes by itself does so a little earlier, since its end was set before the provider's answer.
 */
export const failsPastEnd = (
  subject: AttemptOfPayment,
  decision: StatusDecision,
  { operator }: SignalContext,
  moment: DecisionTime | SharedDecisionTime
): boolean =>
  operator === undefined &&
  "shared" in moment &&
  isPayin(subject) &&
  subject.attempt.outcome === "accepted" &&
  subject.payment.status === "pending" &&
  isExpired(subject.payment, {
    ...moment,
    shared: new Date(moment.shared.getTime() + Duration.toMillis(pageEndLead))
  }) &&
  (decision.status === "failed" || decision.status === "canceled")

export const expiredFailure = ({ expires_at, provider }: Payment): PaymentFailure => ({
  code: "EXPIRED",
  message: `The customer did not pay before ${expires_at?.toISOString() ?? "its end"}.`,
  provider
})

const secondsAfter = (time: Date, { shared }: SharedDecisionTime): number =>
  (shared.getTime() - time.getTime()) / MILLIS_PER_SECOND

/** After its end: without an answer, or with a page that may be open, the provider is asked again after as long again. */
const retryAtEnd = (end: Date, moment: SharedDecisionTime): Option.Option<Duration.Duration> => {
  const silent = Duration.seconds(Math.max(0, secondsAfter(end, moment)))
  return Duration.lessThan(silent, endRetryLimit) ? Option.some(Duration.max(endRetryDelay, silent)) : Option.none()
}

const nextLateEnquiry = (end: Date, moment: SharedDecisionTime): Option.Option<Duration.Duration> => {
  const since = secondsAfter(end, moment)
  const next = lateEnquiries.map((delay) => Duration.toSeconds(delay)).find((seconds) => seconds > since + 1)
  return next === undefined ? Option.none() : Option.some(Duration.seconds(next - since))
}

/** The earlier of our own end and the one that the provider named with its instructions. */
const endOf = ({ expires_at }: Payment, patch: PaymentPatch, { payinExpiry, shared }: SharedDecisionTime): Date => {
  const ours = expires_at ?? new Date(shared.getTime() + Duration.toMillis(payinExpiry))
  const named = new Date(patch.action_data?.["expires_at"] ?? Number.NaN)
  return named > shared && named < ours ? named : ours
}

/** Instructions name the end that holds. */
const endPatch = (end: Date, { action_data, next_action }: PaymentPatch): PaymentPatch => ({
  expires_at: end,
  ...(next_action === "bank_transfer" && action_data !== undefined
    ? { action_data: { ...action_data, expires_at: end.toISOString() } }
    : {})
})

/** Consequences of the expiry for a decision about a payin. */
interface EndPlan {
  readonly patch: PaymentPatch
  readonly source: SignalContext
  readonly moment: DecisionTime
  /** The provider is asked for money that comes late. */
  readonly isLate: boolean
  /** Past its end, and not over: an operator has to look when nothing more is asked. */
  readonly isOverdue: boolean
}

export const planEnd = (
  subject: AttemptOfPayment,
  signal: ProviderSignal,
  decision: Unpaid,
  patch: PaymentPatch,
  source: SignalContext,
  moment: DecisionTime | SharedDecisionTime
): EndPlan => {
  const plan = { patch: {}, source, moment, isLate: false, isOverdue: false }
  const { attempt, payment } = subject
  if (!("shared" in moment) || !isPayin(subject)) return plan
  const isEnding = endsNow(subject, decision, source, moment)
  if (isEnding || hasExpired(payment)) {
    const isPlanned = isEnding ? source.atEnd?.page === "open" : attempt.next_enquiry_at !== null
    const isOpen = isPlanned && payment.expires_at !== null && decision.isUnpaid && !saysOver(signal)
    if (!isOpen || payment.expires_at === null) return plan
    const enquireIn = nextLateEnquiry(payment.expires_at, moment)
    return { ...plan, moment: { ...moment, enquireIn }, isLate: Option.isSome(enquireIn) }
  }
  if (!waitsForCustomer(subject, signal, decision)) return plan
  const end = endOf(payment, patch, moment)
  const ended = { ...payment, expires_at: end }
  const isOverdue = isExpired(ended, moment)
  const planned = attempt.next_enquiry_at
  const scheduled = !isOverdue && (planned === null || planned > end) ? { ...source, hinted: false } : source
  return {
    patch: endPatch(end, patch),
    source: scheduled,
    moment: isOverdue ? { ...moment, enquireIn: retryAtEnd(end, moment) } : atExpiry(ended, decision.outcome, moment),
    isLate: false,
    isOverdue
  }
}
