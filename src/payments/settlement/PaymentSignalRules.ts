/** Decides on a signal about an attempt to collect or pay. Pure. The change follows from the decision. */
import { Money } from "../../domain/Money.ts"
import type { PaymentStatus } from "../../domain/PaymentStatus.ts"
import { netByAttempt, netOf, type Recording } from "../../domain/Movement.ts"
import {
  type AttemptState,
  type StatusDecision,
  decide,
  hasState,
  type ProviderSignal
} from "../../domain/PaymentStatusRules.ts"
import type { PaymentPatch, NewAttempt } from "../store/Change.ts"
import { type Attempt, type Payment, type PaymentFailure, mergePayment, moneyAtProvider } from "../store/Payment.ts"
import { isReversed, fundingThrough, holdAfter } from "../store/PaymentPostings.ts"
import type { AttemptOfPayment } from "../store/PaymentStore.ts"
import {
  failureContradiction,
  amountContradiction,
  recordMovements,
  lacksFirstMovement,
  movedBy
} from "./SignalMovements.ts"
import { type DecisionTime, providerIdOf, type SignalContext } from "./SignalContext.ts"
import {
  endsNow,
  expiredFailure,
  failsPastEnd,
  planEnd,
  type SharedDecisionTime,
  isExpired,
  untilItsEnd
} from "./Expiry.ts"
import { buildChange, type DecidedChange } from "./BuildChange.ts"
import { decideRamp, type RampDecision, type RampLeg } from "../../domain/Ramp.ts"
import type { RampPayment } from "../route/RampPayout.ts"
import { extend, merge } from "../../domain/Merge.ts"

const waitingStatuses: ReadonlyArray<PaymentStatus> = ["initiated", "confirmed", "processing", "pending"]

/** Whether no more signals are expected for a payment. */
const isOver = (status: PaymentStatus): boolean => !waitingStatuses.includes(status)

/** Whether a declined attempt is still polled. */
export const isPolledAfterDecline = ({ next_enquiry_at, outcome }: Attempt): boolean =>
  outcome === "declined" && next_enquiry_at !== null

/** Whether a report of waiting came after the payment had moved on. */
const isOutdated = (state: string, { status }: StatusDecision): boolean =>
  (state === "pending" || state === "processing") && state !== status

/** Patch that a signal makes to the payment, besides its status. */
const paymentPatch = (
  { attempt, payment }: AttemptOfPayment,
  signal: ProviderSignal,
  decision: StatusDecision,
  source: SignalContext
): PaymentPatch => {
  const taken = decision.outcome === "accepted" || decision.outcome === "unknown"
  return merge<PaymentPatch>(
    taken ? { provider: attempt.provider, account: attempt.account } : {},
    // The funding of a payout was set when its attempt was committed.
    taken && payment.direction === "inbound"
      ? { funding: fundingThrough(payment, attempt), taken_by: attempt.attempt_id }
      : {},
    taken && payment.direction === "outbound" ? { payout_id: attempt.attempt_id } : {},
    taken && hasState(signal)
      ? {
          provider_payment_id: providerIdOf(attempt, signal, source) ?? payment.provider_payment_id,
          provider_status: isOutdated(signal.state, decision)
            ? payment.provider_status
            : (signal.providerStatus ?? payment.provider_status)
        }
      : {},
    nextActionPatch(payment, attempt, signal),
    providerDataAfter(payment, attempt, signal),
    isOver(decision.status) ? { next_action: null } : {}
  )
}

/** Fee of the provider. */
const feeIn = ({ fee }: { readonly fee?: Money }) =>
  fee === undefined ? {} : { provider_fee: { amount: fee.toNumericText(), currency: fee.currency } }

/** The provider's ids, receipts and fee, added to earlier ones. A provider that declined adds nothing. */
const providerDataAfter = (payment: Payment, attempt: Attempt, signal: ProviderSignal): PaymentPatch => {
  if (attempt.outcome === "declined" || !hasState(signal)) return {}
  // The fee of a ramp is that of what it collected.
  const own = signal.providerData ?? {}
  const added = attempt.leg === "settlement" ? own : extend(own, feeIn(signal))
  if (Object.keys(added).length === 0) return {}
  const isSame = payment.provider === attempt.provider || payment.direction === "external"
  return { provider_data: isSame ? extend(payment.provider_data, added) : added }
}

/** The customer's next action. A later report restores it if the provider's first answer was lost. */
const nextActionPatch = (payment: Payment, attempt: Attempt, signal: ProviderSignal): PaymentPatch => {
  // A provider that declined no longer sets the next action: the customer would pay twice.
  if (attempt.outcome === "declined") return {}
  switch (signal._tag) {
    case "Accepted":
      return { next_action: signal.nextAction, action_data: signal.actionData }
    case "Unknown":
      return attempt.outcome === null ? { next_action: "check_status" } : {}
    case "Report":
      return signal.waitsFor !== undefined && isNextActionUnknown(payment) && !isOver(payment.status)
        ? { next_action: signal.waitsFor.nextAction, action_data: signal.waitsFor.actionData }
        : {}
    default:
      return {}
  }
}

/** Whether the customer's next action is not known. */
const isNextActionUnknown = ({ next_action }: Pick<Payment, "next_action">): boolean =>
  next_action === null || next_action === "check_status"

/** Whether the provider waits for the customer, and its answer with the next action was lost. */
const lacksNextAction = (
  signal: ProviderSignal,
  { direction, next_action, status }: Payment,
  { outcome }: Pick<StatusDecision, "outcome">
): boolean =>
  signal._tag === "Report" &&
  signal.state === "pending" &&
  status === "pending" &&
  outcome === "accepted" &&
  direction !== "outbound" &&
  isNextActionUnknown({ next_action })

export const decidePaymentChange = (
  subject: AttemptOfPayment,
  signal: ProviderSignal,
  source: SignalContext,
  moment: DecisionTime | SharedDecisionTime
): DecidedChange => {
  const { attempt, payment } = subject
  const recording = recordMovements(subject, signal, source, moment.at)
  const moved = movedBy(subject, recording.movements)
  const mine = recording.movements.filter(
    ({ attempt_id, state }) => attempt_id === attempt.attempt_id && state === "settled"
  )
  const isUnpaid = mine.length === 0
  const forth = mine.filter(({ kind }) => kind === "collection" || kind === "disbursement")
  const current: AttemptState = {
    status: payment.status,
    outcome: attempt.outcome,
    ordered: moneyAtProvider(payment),
    moved,
    gross: new Money({
      currency: moved.currency,
      minor: forth.reduce((sum, { amount }) => (amount.currency === moved.currency ? sum + amount.minor : sum), 0n)
    }),
    isOtherCurrencyCleared:
      forth.length > 0 &&
      netByAttempt(mine).every(({ money }) => money.currency === moved.currency || !money.isPositive),
    lacksFirstMovement: !isUnpaid && forth.length === 0,
    isPolledAfterDecline: isPolledAfterDecline(attempt)
  }
  const decided = decide(current, signal, source.next !== undefined)
  const standing = { isUnpaid, ...decided }
  const isEnding = endsNow(subject, standing, source, moment) || failsPastEnd(subject, standing, source, moment)
  const decision: StatusDecision = isEnding ? { ...decided, status: "failed" } : decided
  const { outcome, resurfaced, status } = decision
  const refuses = outcome === "declined" && attempt.outcome !== "declined"
  const nextAttempt = refuses && !isOver(status) ? source.next : undefined
  const signalPatch = paymentPatch(subject, signal, decision, source)
  const end = planEnd(subject, signal, standing, signalPatch, source, moment)
  const hold = payment.direction === "outbound" ? holdAfter(payment, status, nextAttempt) : {}
  const patch = merge(signalPatch, end.patch, hold)
  const after = mergePayment(payment, patch, { status })
  return buildChange(
    subject,
    signal,
    {
      status,
      outcome,
      patch,
      recording,
      isAwaited:
        resurfaced ||
        end.isLate ||
        lacksFirstMovement(subject, recording.movements) ||
        (outcome !== "declined" && !isOver(status)),
      // While the payment waits for its customer, no operator is asked before its expiry.
      isUnderWay: resurfaced || end.isOverdue || (outcome === "accepted" && status === "processing"),
      lacksNextAction: lacksNextAction(signal, after, decision),
      contradiction:
        amountContradiction(subject, recording) ??
        failureContradiction(subject, signal, source, { moved: payment.status === "completed" }),
      ...(isEnding ? { failure: expiredFailure(payment) } : {}),
      nextAttempt,
      changes: status !== payment.status
    },
    end.source,
    end.moment
  )
}

/** Attempt of a ramp, with its payment. */
interface AttemptOfRamp extends AttemptOfPayment {
  readonly payment: RampPayment
}

const legOf = ({ leg }: Attempt): RampLeg => (leg === "settlement" ? "settlement" : "collection")

const patchOf = (
  subject: AttemptOfRamp,
  signal: ProviderSignal,
  decision: RampDecision,
  source: SignalContext
): PaymentPatch => {
  const { attempt, payment } = subject
  const taken = decision.outcome === "accepted" || decision.outcome === "unknown"
  const collects = legOf(attempt) === "collection"
  const arrived = decision.effect === "collected" || decision.effect === "underpaid"
  return {
    ...(taken && collects
      ? { provider: attempt.provider, account: attempt.account, taken_by: attempt.attempt_id }
      : {}),
    ...(taken && !collects ? { payout_id: attempt.attempt_id } : {}),
    ...(taken && collects && hasState(signal)
      ? {
          provider_payment_id: providerIdOf(attempt, signal, source) ?? payment.provider_payment_id,
          provider_status: signal.providerStatus ?? payment.provider_status
        }
      : {}),
    ...(collects && payment.ramp.collected === null ? nextActionPatch(payment, attempt, signal) : {}),
    ...providerDataAfter(payment, attempt, signal),
    ...(arrived || isOver(decision.status) ? { next_action: null } : {}),
    ...(decision.effect === "collected" ? { ramp: { ...payment.ramp, collected: payment.amount.toNumericText() } } : {})
  }
}

const failureOf = (
  subject: AttemptOfRamp,
  { effect }: RampDecision,
  came: string
): { readonly failure?: PaymentFailure; readonly note?: string } => {
  const { attempt, payment } = subject
  const { provider } = attempt
  const amount = payment.amount.toString()
  switch (effect) {
    case "underpaid": {
      const message = `Only ${came} of ${amount} arrived: it is held until an operator returns it.`
      return { failure: { code: "UNDERPAID", message, provider }, note: message }
    }
    case "stranded": {
      const message = `${amount} were collected and could not be settled: they are held until an operator returns them.`
      return { failure: { code: "NOT_SETTLED", message, provider }, note: message }
    }
    case "returned":
      return {
        note: `${provider} sent ${payment.target.toString()} back: ${amount} are held until an operator settles it.`
      }
    default:
      return {}
  }
}

/** The next payout attempt waits to be sent while reversed money is missing. */
const unlessTakenBack = (
  payment: Payment,
  { movements }: Recording,
  { allocations }: AttemptOfPayment,
  next: NewAttempt | undefined
): NewAttempt | undefined =>
  next?.leg === "settlement" && isReversed(payment, { movements, allocations }) ? { ...next, enquire_in: null } : next

/** `payoutAttempt`: attempt to pay out the ramp, if this signal may report the collected money. */
export const decideRampChange = (
  subject: AttemptOfRamp,
  signal: ProviderSignal,
  source: SignalContext,
  moment: SharedDecisionTime,
  payoutAttempt: NewAttempt | undefined
): DecidedChange => {
  const { attempt, payment } = subject
  const leg = legOf(attempt)
  const expired = isExpired(payment, moment)
  const recording = recordMovements(subject, signal, source, moment.at)
  const decided = decideRamp(
    {
      status: payment.status,
      leg,
      outcome: attempt.outcome,
      collected: payment.ramp.collected !== null,
      expired,
      expected: leg === "collection" ? payment.amount : payment.target,
      moved: movedBy(subject, recording.movements),
      isPolledAfterDecline: isPolledAfterDecline(attempt)
    },
    signal,
    source.next !== undefined
  )
  const stuck = decided.effect === "collected" && payoutAttempt === undefined
  const decision: RampDecision = stuck ? { ...decided, status: "failed" } : decided
  const { outcome, resurfaced, status } = decision
  const nextAttempt =
    decision.effect === "collected" && !stuck
      ? payoutAttempt
      : outcome === "declined" && attempt.outcome !== "declined" && !isOver(status)
        ? unlessTakenBack({ ...payment, status }, recording, subject, source.next)
        : undefined
  const patch = {
    ...patchOf(subject, signal, decision, source),
    ...(nextAttempt?.leg === "settlement" ? { payout_id: nextAttempt.attempt_id } : {})
  }
  const after: Payment = { ...payment, ...patch, status }
  const collecting = leg === "collection"
  const paid = after.ramp?.collected !== null
  const planned = collecting ? untilItsEnd(subject, outcome, source, moment) : { source, moment }
  const came = netOf(netByAttempt(recording.movements), attempt.attempt_id, payment.amount.currency).toString()
  const { failure, note } = failureOf(subject, stuck ? { ...decision, effect: "stranded" } : decision, came)
  return buildChange(
    subject,
    signal,
    {
      status,
      outcome,
      patch,
      recording,
      isAwaited:
        resurfaced ||
        lacksFirstMovement(subject, recording.movements) ||
        (outcome !== "declined" && (collecting ? !paid && !isOver(status) : status === "processing")),
      // After expiry a ramp without its money is cancelled: the rest is under way at its provider.
      isUnderWay: resurfaced || (outcome === "accepted" && (collecting ? expired : status === "processing")),
      lacksNextAction: collecting && lacksNextAction(signal, after, decision),
      contradiction:
        amountContradiction(subject, recording) ??
        failureContradiction(subject, signal, source, {
          moved: collecting ? payment.ramp.collected !== null : payment.status === "completed"
        }),
      nextAttempt,
      changes: status !== payment.status,
      ...(failure === undefined ? {} : { failure })
    },
    note === undefined ? planned.source : { ...planned.source, note },
    planned.moment
  )
}
