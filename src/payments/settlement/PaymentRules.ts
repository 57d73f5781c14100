/** Decides, as a pure function, on one signal about an attempt to collect or pay: what it changes follows from the ruling. */
import { Money } from "../../domain/Money.ts"
import type { PaymentStatus } from "../../domain/PaymentStatus.ts"
import { position } from "../../domain/Position.ts"
import { type Decision, decide, type ProviderSignal } from "../../domain/Settlement.ts"
import type { PaymentPatch } from "../store/Change.ts"
import type { Attempt, Payment } from "../store/Payment.ts"
import { providersMoney } from "../store/PaymentPostings.ts"
import type { AttemptOfPayment } from "../store/PaymentStore.ts"
import { fundingThrough, holdAfter } from "../store/FundingAccounts.ts"
import { failureContradiction, type DecisionTime, ownId, type SignalContext } from "./Signals.ts"
import { endsNow, expiredFailure, failsPastEnd, planEnd, type SharedDecisionTime } from "./Expiry.ts"
import { amountContradiction, recordMovements, lacksFirstMovement, movedBy } from "./Movements.ts"
import { buildChange, type DecidedChange } from "./DecidedChange.ts"

const waitingStatuses: ReadonlyArray<PaymentStatus> = ["initiated", "confirmed", "processing", "pending"]

/** No signal about it is awaited any more. */
export const isOver = (status: PaymentStatus): boolean => !waitingStatuses.includes(status)

/** It was refused, and its provider is being asked about it nevertheless. */
export const isPursued = ({ next_enquiry_at, outcome }: Attempt): boolean =>
  outcome === "declined" && next_enquiry_at !== null

/** A word about waiting that came after the payment had gone on. */
const isOutdated = (state: string, { status }: Decision): boolean =>
  (state === "pending" || state === "processing") && state !== status

/** What the word says about the payment itself, its status aside. */
const paymentPatch = (
  { attempt, payment }: AttemptOfPayment,
  signal: ProviderSignal,
  decision: Decision,
  source: SignalContext
): PaymentPatch => {
  const taken = decision.outcome === "accepted" || decision.outcome === "unknown"
  return {
    ...(taken ? { provider: attempt.provider, account: attempt.account } : {}),
    // What pays a payout was settled when its attempt was committed.
    ...(taken && payment.direction === "inbound"
      ? { funding: fundingThrough(payment, attempt), taken_by: attempt.attempt_id }
      : {}),
    ...(taken && payment.direction === "outbound" ? { payout_id: attempt.attempt_id } : {}),
    ...(taken && (signal._tag === "Accepted" || signal._tag === "Report")
      ? {
          provider_payment_id: ownId(attempt, signal, source) ?? payment.provider_payment_id,
          provider_status: isOutdated(signal.state, decision)
            ? payment.provider_status
            : (signal.providerStatus ?? payment.provider_status)
        }
      : {}),
    ...nextStep(payment, attempt, signal),
    ...providerDataAfter(payment, attempt, signal),
    ...(isOver(decision.status) ? { next_action: null } : {})
  }
}

/** What the provider keeps for itself. */
const feeIn = ({ fee }: { readonly fee?: Money }) =>
  fee === undefined ? {} : { provider_fee: { amount: fee.toNumericText(), currency: fee.currency } }

/** The provider's ids, receipts and fee, beside those that it told before. One that refused the payment adds nothing. */
export const providerDataAfter = (payment: Payment, attempt: Attempt, signal: ProviderSignal): PaymentPatch => {
  if (attempt.outcome === "declined" || (signal._tag !== "Accepted" && signal._tag !== "Report")) return {}
  // The fee of a ramp is that of what it collected.
  const told = { ...signal.providerData, ...(attempt.leg === "settlement" ? {} : feeIn(signal)) }
  if (Object.keys(told).length === 0) return {}
  const isSame = payment.provider === attempt.provider || payment.direction === "external"
  return { provider_data: { ...(isSame ? payment.provider_data : {}), ...told } }
}

/** What the customer must do. A provider that can say it again does so for whoever lost its first answer. */
export const nextStep = (payment: Payment, attempt: Attempt, signal: ProviderSignal): PaymentPatch => {
  // Whoever refused it no longer speaks for the payment: its customer would pay twice.
  if (attempt.outcome === "declined") return {}
  switch (signal._tag) {
    case "Accepted":
      return { next_action: signal.nextAction, action_data: signal.actionData }
    case "Unknown":
      return attempt.outcome === null ? { next_action: "check_status" } : {}
    case "Report":
      return signal.waitsFor !== undefined && hasNoOutcome(payment) && !isOver(payment.status)
        ? { next_action: signal.waitsFor.nextAction, action_data: signal.waitsFor.actionData }
        : {}
    default:
      return {}
  }
}

/** Nobody can tell the customer what to do. */
export const hasNoOutcome = ({ next_action }: Pick<Payment, "next_action">): boolean =>
  next_action === null || next_action === "check_status"

/** The provider waits for a customer whom nobody can tell what to do, since its answer was lost. */
export const lacksNextAction = (
  signal: ProviderSignal,
  { direction, next_action, status }: Payment,
  { outcome }: Pick<Decision, "outcome">
): boolean =>
  signal._tag === "Report" &&
  signal.state === "pending" &&
  status === "pending" &&
  outcome === "accepted" &&
  direction !== "outbound" &&
  hasNoOutcome({ next_action })

export const changeOf = (
  known: AttemptOfPayment,
  signal: ProviderSignal,
  source: SignalContext,
  moment: DecisionTime | SharedDecisionTime
): DecidedChange => {
  const { attempt, payment } = known
  const recording = recordMovements(known, signal, source, moment.at)
  const moved = movedBy(known, recording.movements)
  const mine = recording.movements.filter(
    ({ attempt_id, state }) => attempt_id === attempt.attempt_id && state === "settled"
  )
  const isUnpaid = mine.length === 0
  const forth = mine.filter(({ kind }) => kind === "collection" || kind === "disbursement")
  const current = {
    status: payment.status,
    outcome: attempt.outcome,
    asked: providersMoney(payment),
    moved,
    brought: new Money({
      currency: moved.currency,
      minor: forth.reduce((sum, { amount }) => (amount.currency === moved.currency ? sum + amount.minor : sum), 0n)
    }),
    wasMoved:
      forth.length > 0 && position(mine).every(({ money }) => money.currency === moved.currency || !money.isPositive),
    isHalfHeard: !isUnpaid && forth.length === 0,
    pursued: isPursued(attempt)
  }
  const heard = decide(current, signal, source.next !== undefined)
  const standing = { ...heard, isUnpaid }
  const isEnding = endsNow(known, standing, source, moment) || failsPastEnd(known, standing, source, moment)
  const decision: Decision = isEnding ? { ...heard, status: "failed" } : heard
  const { outcome, resurfaced, status } = decision
  const refuses = outcome === "declined" && attempt.outcome !== "declined"
  const nextAttempt = refuses && !isOver(status) ? source.next : undefined
  const spoken = paymentPatch(known, signal, decision, source)
  const end = planEnd(known, signal, standing, spoken, source, moment)
  const patch = {
    ...spoken,
    ...end.patch,
    ...(payment.direction === "outbound" ? holdAfter(payment, status, nextAttempt) : {})
  }
  const after: Payment = { ...payment, ...patch, status }
  return buildChange(
    known,
    signal,
    {
      status,
      outcome,
      patch,
      recording,
      isAwaited:
        resurfaced ||
        end.isLate ||
        lacksFirstMovement(known, recording.movements) ||
        (outcome !== "declined" && !isOver(status)),
      // What waits for a customer is not an operator's to chase before its end.
      isUnderWay: resurfaced || end.isOverdue || (outcome === "accepted" && status === "processing"),
      lacksNextAction: lacksNextAction(signal, after, decision),
      contradiction:
        amountContradiction(known, recording) ??
        failureContradiction(known, signal, source, { moved: payment.status === "completed" }),
      ...(isEnding ? { failure: expiredFailure(payment) } : {}),
      nextAttempt,
      changes: status !== payment.status
    },
    end.source,
    end.moment
  )
}
