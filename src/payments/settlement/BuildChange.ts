/**
 * Builds the change that follows from a decision about a signal: status, attempt, movements, allocations, operator items,
 * callback and events. All signal rules end here.
 */
import { Duration, Option } from "effect"
import type { AttemptId } from "../../domain/Ids.ts"
import { Money } from "../../domain/Money.ts"
import { isSameTransfer, type Recording, signOf } from "../../domain/Movement.ts"
import { asSentence } from "../../domain/MailSafeText.ts"
import type { PaymentStatus } from "../../domain/PaymentStatus.ts"
import type { AttemptOutcome, ProviderSignal } from "../../domain/PaymentStatusRules.ts"
import type { AttemptPatch, Change, NewAttempt, PaymentPatch } from "../store/Change.ts"
import {
  type Attempt,
  kindOfAttempt,
  mergePayment,
  type OperatorItem,
  type Payment,
  type PaymentFailure,
  type Refund,
  type StoredCallback
} from "../store/Payment.ts"
import { minorSum, organizationAccount, unallocatedOf } from "../store/PaymentPostings.ts"
import { reservePatch } from "../store/PaymentReserve.ts"
import type { AttemptOfPayment } from "../store/PaymentStore.ts"
import { allocateReinstatements, reversePartialAllocations } from "./Allocations.ts"
import { isRefundOrReturn, refundedOf } from "./SignalMovements.ts"
import { type DecisionTime, appendNote, providerIdOf, reasonOf, type SignalContext } from "./SignalContext.ts"
import { allocationEvents, type ProviderReversal, disputeEvent, eventsOf, refundEvent } from "./PaymentEvents.ts"
import { merge } from "../../domain/Merge.ts"

interface SignalDecision {
  readonly status: PaymentStatus
  readonly outcome: AttemptOutcome | null
  readonly patch: PaymentPatch
  /** The attempt is polled until its provider answers. */
  readonly isAwaited: boolean
  /** Only the provider can finish the attempt: after the last poll an operator must look. */
  readonly isUnderWay: boolean
  /** The payment waits for its customer, and the customer's next action is unknown. */
  readonly lacksNextAction?: boolean
  /** Movements of the signal and those recorded before. */
  readonly recording: Recording
  /** Contradiction between this report and an earlier one, for an operator. */
  readonly contradiction?: string | undefined
  readonly failure?: PaymentFailure
  readonly nextAttempt?: NewAttempt | undefined
  /** Refund that completed or failed with this decision. */
  readonly finishedRefund?: Refund | undefined
  /** Whether anything changes besides the time of the next poll. */
  readonly changes: boolean
}

export interface DecidedChange {
  readonly change: Change
  readonly after: Payment
  readonly outcome: AttemptOutcome | null
}

const failureOf = (
  { attempt }: AttemptOfPayment,
  signal: ProviderSignal,
  { operator }: SignalContext
): PaymentFailure => {
  const { provider } = attempt
  if (operator !== undefined) return { code: "RESOLVED_AS_FAILED", message: operator.note, provider }
  switch (signal._tag) {
    case "Declined":
      return {
        code: signal.unsent === "late" ? "NOT_SENT" : (signal.code ?? "PROVIDER_DECLINED"),
        message: signal.reason,
        provider
      }
    case "Absent":
      return { code: "NEVER_RECEIVED", message: `${provider} never received it, so nothing was moved.`, provider }
    default:
      return {
        code: (signal._tag === "Report" ? signal.code : undefined) ?? "PROVIDER_FAILED",
        message: reasonOf(signal) ?? `${provider} reports that it failed.`,
        provider
      }
  }
}

const enquireIn = (
  { attempt }: AttemptOfPayment,
  { isAwaited }: SignalDecision,
  source: SignalContext,
  moment: DecisionTime
): AttemptPatch["enquire_in"] => {
  if (!isAwaited || source.exhausted === true) return null
  // A callback without a final state does not cancel the last poll.
  const isLast = Option.isNone(moment.enquireIn) && source.callback !== undefined && attempt.next_enquiry_at !== null
  if (source.hinted === true || isLast) return "as planned"
  return Option.getOrNull(Option.map(moment.enquireIn, Duration.toSeconds))
}

/** Time of the answer: at most the start of the next attempt, so that the two never overlap. */
const answeredAt = ({ nextAttempt }: SignalDecision, { at }: DecisionTime): Date =>
  nextAttempt !== undefined && nextAttempt.started_at < at ? nextAttempt.started_at : at

/** Reason of an attempt's outcome, and who decided it if not the provider. */
const attemptReason = (
  attempt: Attempt,
  signal: ProviderSignal,
  { outcome }: SignalDecision,
  source: SignalContext
): string | null => {
  if (outcome === attempt.outcome) return attempt.reason
  if (source.operator !== undefined)
    return attempt.reason === null ? source.cause : `${attempt.reason}; ${source.cause}`
  return outcome === "accepted" ? null : reasonOf(signal)
}

const attemptPatch = (
  subject: AttemptOfPayment,
  signal: ProviderSignal,
  decision: SignalDecision,
  source: SignalContext,
  moment: DecisionTime
): AttemptPatch => {
  const { attempt } = subject
  const { outcome } = decision
  return {
    attempt_id: attempt.attempt_id,
    outcome,
    reason: attemptReason(attempt, signal, decision, source),
    provider_payment_id: providerIdOf(attempt, signal, source),
    ...(source.renamed === true ? { renamed: true } : {}),
    // An operator's decision is no answer of the provider.
    answered_at: attempt.answered_at ?? (source.operator === undefined ? answeredAt(decision, moment) : null),
    enquire_in: enquireIn(subject, decision, source, moment)
  }
}

/** Whether a poll of the attempt is still due. */
const isAskedAbout = ({ attempt }: AttemptOfPayment, { enquire_in }: AttemptPatch): boolean =>
  enquire_in === "as planned" ? attempt.next_enquiry_at !== null : enquire_in !== null

/** Question for an operator about the attempt; undefined: none. */
const openQuestion = (
  subject: AttemptOfPayment,
  decision: SignalDecision,
  patch: AttemptPatch,
  { atEnd, hintUnanswered }: SignalContext
): string | undefined => {
  const { provider } = subject.attempt
  const isAsked = isAskedAbout(subject, patch)
  if (atEnd?.page === "unknown" && decision.isUnderWay && !isAsked) {
    return `The customer's time to pay is over, and ${provider} has not said whether its page is closed: close it there.`
  }
  if (decision.isAwaited && !isAsked && (decision.outcome === "unknown" || decision.isUnderWay)) {
    const silence =
      patch.reason ??
      (decision.outcome === "unknown" ? "no answer" : "it accepted the payment and has been silent since")
    return `${provider} has not said what became of it: ${asSentence(silence)}`
  }
  if (decision.contradiction !== undefined) return decision.contradiction
  if (decision.lacksNextAction === true) {
    return `${provider} waits for the customer, and the customer's next action is not known any more.`
  }
  return hintUnanswered === true && !isAsked
    ? `There was a hint that something became of it, and ${provider} has not said what: an operator must find out there.`
    : undefined
}

const openItems = (
  subject: AttemptOfPayment,
  decision: SignalDecision,
  patch: AttemptPatch,
  source: SignalContext,
  moment: DecisionTime
) => {
  const { attempt, payment } = subject
  const item = (
    kind: OperatorItem["kind"],
    detail: string,
    about: AttemptId | null = attempt.attempt_id
  ): OperatorItem => ({
    item_id: moment.newId(),
    org_id: payment.org_id,
    kind,
    payment_id: payment.payment_id,
    attempt_id: about,
    detail,
    opened_at: moment.at
  })
  const question = openQuestion(subject, decision, patch, source)
  const { operator } = source
  return [
    ...(question === undefined ? [] : [item("unknown_outcome", question)]),
    // Of no attempt, so that no report about one closes it.
    ...(source.unverified === undefined ? [] : [item("unknown_outcome", source.unverified, null)]),
    ...(operator === undefined ? [] : [{ ...item("resolution", operator.note), closed_by: operator.id }])
  ]
}

/** Whether an older report says that a completed payment is under way. */
const isLate = ({ status }: Payment, signal: ProviderSignal): boolean =>
  status === "completed" && "state" in signal && (signal.state === "pending" || signal.state === "processing")

/** Items to close. A signal about another attempt closes none. */
const closeItems = (
  { attempt, payment }: AttemptOfPayment,
  signal: ProviderSignal,
  decision: SignalDecision,
  source: SignalContext,
  stuck: boolean
) => {
  const by = source.operator?.id ?? source.cause
  // A first answer closes nothing: no item was opened before it.
  const wasAskedAbout = attempt.outcome !== null || attempt.enquiries > 0 || source.operator !== undefined
  const { attempt_id } = attempt
  return [
    // An unknown answer or an outdated report closes nothing.
    ...(wasAskedAbout &&
    signal._tag !== "Unknown" &&
    decision.outcome !== "unknown" &&
    !stuck &&
    !isLate(payment, signal)
      ? [{ kind: "unknown_outcome" as const, attempt_id, by }]
      : []),
    ...(source.operator?.unverified === true ? [{ kind: "unknown_outcome" as const, attempt_id: null, by }] : [])
  ]
}

const callbackRow = (
  { attempt, payment }: AttemptOfPayment,
  signal: ProviderSignal,
  effect: StoredCallback["effect"],
  { key, provider, unmatchedId }: NonNullable<SignalContext["callback"]>,
  moment: DecisionTime
): NonNullable<Change["callback"]> => ({
  callback_id: unmatchedId ?? moment.newId(),
  provider,
  event_key: key,
  payment_id: payment.payment_id,
  attempt_id: attempt.attempt_id,
  org_id: payment.org_id,
  report: signal._tag === "Report" ? signal.state : signal._tag.toLowerCase(),
  effect,
  received_at: moment.at,
  ...(unmatchedId === undefined ? {} : { adopted: true })
})

/** Effect of a callback, as it is stored. `suspense`: it left unallocated money. */
const callbackEffect = ({ changes, recording }: SignalDecision, hasRest: boolean): StoredCallback["effect"] => {
  if (recording.toWrite.length > 0 && hasRest) return "suspense"
  return changes || recording.toWrite.length > 0 ? "applied" : "nothing to change"
}

const callbackPatch = ({ callback }: SignalContext, { at }: DecisionTime): PaymentPatch =>
  callback === undefined ? {} : { webhook_metadata: { event_id: callback.key, received_at: at.toISOString() } }

const commentsPatch = (
  payment: Payment,
  patch: PaymentPatch,
  decision: SignalDecision,
  source: SignalContext
): PaymentPatch => {
  const notes = [decision.contradiction, source.unverified, source.note, source.operator?.note].filter(
    (one) => one !== undefined
  )
  const before = patch.comments ?? payment.comments
  return notes.length === 0 ? {} : { comments: notes.reduce<string | null>(appendNote, before) }
}

/**
 * New reversals and reinstatements by the provider, for the event's `dispute`. Of a running total, its growth. None for
 * refunds of ours, nor for a transfer that an operator recorded before.
 */
const providerReversalsIn = (
  { attempt, movements, payment }: AttemptOfPayment,
  { recording, finishedRefund }: SignalDecision
): ReadonlyArray<ProviderReversal> => {
  // A payout is returned by money that comes in, a payin by money that goes out.
  const undoes = kindOfAttempt(payment, attempt) === "payout" ? 1n : -1n
  return recording.toWrite.flatMap((reported): ReadonlyArray<ProviderReversal> => {
    const { amount, kind, refund_id, replaces, state } = reported
    const isBack = kind === "refund" || kind === "reversal" || kind === "reinstatement"
    if (
      state !== "settled" ||
      refund_id !== null ||
      !isBack ||
      replaces !== undefined ||
      finishedRefund !== undefined
    ) {
      return []
    }
    const before = movements.find((one) => one.state === "settled" && isSameTransfer(one, reported))
    const minor = amount.minor - (before?.amount.minor ?? 0n)
    return minor <= 0n
      ? []
      : [
          {
            kind: signOf(kind) === undoes ? "returned" : "regained",
            amount: new Money({ currency: amount.currency, minor })
          }
        ]
  })
}

/** One event tells of all transfers of a report, by their sum in the currency of the first. */
const sumOfReturned = (reversals: ReadonlyArray<ProviderReversal>): ProviderReversal | undefined => {
  const amounts = reversals.filter(({ kind }) => kind === "returned").map(({ amount }) => amount)
  if (amounts[0] === undefined) return undefined
  const { currency } = amounts[0]
  const minor = minorSum(amounts.filter((one) => one.currency === currency))
  return { kind: "returned", amount: new Money({ currency, minor }) }
}

/** Amount that the organisation gets back: a paid payout or a completed refund was returned in full. */
const fullReturnOf = (
  { amount, direction, refunds, status: before }: Payment,
  { finishedRefund, status }: SignalDecision
): Money | undefined => {
  if (finishedRefund !== undefined) {
    const hadGone = refunds.some(
      ({ refund_id, state }) => refund_id === finishedRefund.refund_id && state === "completed"
    )
    return hadGone && finishedRefund.state === "failed" ? finishedRefund.target : undefined
  }
  if (direction === "inbound" || status !== "refunded" || before !== "completed") return undefined
  // A ramp keeps the amount for its customer.
  return direction === "outbound" ? amount : Money.zero(amount.currency)
}

export const buildChange = (
  subject: AttemptOfPayment,
  signal: ProviderSignal,
  decision: SignalDecision,
  source: SignalContext,
  moment: DecisionTime
): DecidedChange => {
  const { attempt, payment } = subject
  const { nextAttempt, outcome, recording, finishedRefund, status } = decision
  const fails = status === "failed" && payment.status !== "failed"
  const decided = mergePayment(payment, decision.patch, { status })
  const booksAfterSignal = { allocations: subject.allocations, movements: recording.movements }
  const returnedInFull = fullReturnOf(payment, decision)
  const allocations = [
    ...allocateReinstatements(decided, booksAfterSignal, attempt, moment),
    ...(returnedInFull === undefined
      ? []
      : reversePartialAllocations(decided, booksAfterSignal, unallocatedOf(payment, subject), attempt, {
          ...moment,
          returnedInFull
        }))
  ]
  const books = { allocations: [...subject.allocations, ...allocations], movements: recording.movements }
  const patch = merge(
    decision.patch,
    callbackPatch(source, moment),
    commentsPatch(payment, decision.patch, decision, source),
    fails ? { failure: decision.failure ?? failureOf(subject, signal, source) } : {},
    recording.toWrite.length === 0 && status === payment.status ? {} : { refunded: refundedOf(decided, books) },
    reservePatch(decided, organizationAccount(decided), moment.at)
  )
  const after = mergePayment(payment, patch, { status, version: payment.version + 1, updated_at: moment.at })
  const answered = attemptPatch(subject, signal, decision, source, moment)
  const opened = openItems(subject, decision, answered, source, moment)
  const stuck = opened.some(({ attempt_id, kind }) => kind === "unknown_outcome" && attempt_id === attempt.attempt_id)
  const dispatched = !isRefundOrReturn(attempt) && payment.provider === null && after.provider !== null
  const effect = callbackEffect(decision, unallocatedOf(after, books).length > 0)
  const reversals = providerReversalsIn(subject, decision)
  const isFullyReversed = status === "refunded" && payment.status !== "refunded"
  const fullReversal = isFullyReversed ? sumOfReturned(reversals) : undefined
  const change: Change = {
    payment,
    status,
    patch,
    cause: source.cause,
    at: moment.at,
    attempt: answered,
    booksBefore: subject,
    movements: recording.toWrite,
    allocations,
    events: [
      ...refundEvent(moment, after, finishedRefund, payment, fullReversal),
      ...eventsOf(moment, after, payment.status, dispatched, fullReversal),
      ...reversals.flatMap((one) => disputeEvent(moment, after, one, payment.status)),
      ...allocationEvents(moment, after, allocations)
    ],
    openItems: opened,
    closeItems: closeItems(subject, signal, decision, source, stuck),
    ...(nextAttempt === undefined ? {} : { nextAttempt }),
    ...(source.callback === undefined
      ? {}
      : { callback: callbackRow(subject, signal, effect, source.callback, moment) })
  }
  return { change, after, outcome }
}
