/** Decides, as a pure function, on one signal about a leg of a ramp. */
import type { Recording } from "../../domain/Movement.ts"
import { netOf, position } from "../../domain/Position.ts"
import { decideRamp, type RampDecision, type RampLeg } from "../../domain/RampLeg.ts"
import type { ProviderSignal } from "../../domain/Settlement.ts"
import type { NewAttempt, PaymentPatch } from "../store/Change.ts"
import type { Attempt, Payment, PaymentFailure } from "../store/Payment.ts"
import { isTakenBack } from "../store/PaymentPostings.ts"
import type { AttemptOfPayment } from "../store/PaymentStore.ts"
import type { RampPayment } from "../route/LegOrder.ts"
import { failureContradiction, ownId, type SignalContext } from "./Signals.ts"
import { isExpired, type SharedDecisionTime, untilItsEnd } from "./Expiry.ts"
import { amountContradiction, recordMovements, lacksFirstMovement, movedBy } from "./Movements.ts"
import { lacksNextAction, isOver, isPursued, nextStep, providerDataAfter } from "./PaymentRules.ts"
import { buildChange, type DecidedChange } from "./DecidedChange.ts"

export interface AttemptOfRamp extends AttemptOfPayment {
  readonly payment: RampPayment
}

const legOf = ({ leg }: Attempt): RampLeg => (leg === "settlement" ? "settlement" : "collection")

const patchOf = (
  known: AttemptOfRamp,
  signal: ProviderSignal,
  decision: RampDecision,
  source: SignalContext
): PaymentPatch => {
  const { attempt, payment } = known
  const taken = decision.outcome === "accepted" || decision.outcome === "unknown"
  const collects = legOf(attempt) === "collection"
  const spoken = signal._tag === "Accepted" || signal._tag === "Report" ? signal : undefined
  const arrived = decision.effect === "collected" || decision.effect === "underpaid"
  return {
    ...(taken && collects
      ? { provider: attempt.provider, account: attempt.account, taken_by: attempt.attempt_id }
      : {}),
    ...(taken && !collects ? { payout_id: attempt.attempt_id } : {}),
    ...(taken && collects && spoken !== undefined
      ? {
          provider_payment_id: ownId(attempt, spoken, source) ?? payment.provider_payment_id,
          provider_status: spoken.providerStatus ?? payment.provider_status
        }
      : {}),
    ...(collects && payment.ramp.collected === null ? nextStep(payment, attempt, signal) : {}),
    ...providerDataAfter(payment, attempt, signal),
    ...(arrived || isOver(decision.status) ? { next_action: null } : {}),
    ...(decision.effect === "collected" ? { ramp: { ...payment.ramp, collected: payment.amount.toNumericText() } } : {})
  }
}

const failureOf = (
  known: AttemptOfRamp,
  { effect }: RampDecision,
  came: string
): { readonly failure?: PaymentFailure; readonly note?: string } => {
  const { attempt, payment } = known
  const { provider } = attempt
  const amount = payment.amount.toString()
  switch (effect) {
    case "underpaid": {
      const message = `Only ${came} of ${amount} arrived: it is held until an operator gives it back.`
      return { failure: { code: "UNDERPAID", message, provider }, note: message }
    }
    case "stranded": {
      const message = `${amount} were collected and could not be settled: they are held until an operator gives them back.`
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

/** Who settles instead waits to be sent for as long as money is lacking that was taken back. */
const unlessTakenBack = (
  payment: Payment,
  { movements }: Recording,
  { allocations }: AttemptOfPayment,
  next: NewAttempt | undefined
): NewAttempt | undefined =>
  next?.leg === "settlement" && isTakenBack(payment, { movements, allocations }) ? { ...next, enquire_in: null } : next

/** `second`: whom to ask to settle, where this signal may be that the money has arrived. */
export const rampChangeOf = (
  known: AttemptOfRamp,
  signal: ProviderSignal,
  source: SignalContext,
  moment: SharedDecisionTime,
  second: NewAttempt | undefined
): DecidedChange => {
  const { attempt, payment } = known
  const leg = legOf(attempt)
  const expired = isExpired(payment, moment)
  const recording = recordMovements(known, signal, source, moment.at)
  const decided = decideRamp(
    {
      status: payment.status,
      leg,
      outcome: attempt.outcome,
      collected: payment.ramp.collected !== null,
      expired,
      expected: leg === "collection" ? payment.amount : payment.target,
      moved: movedBy(known, recording.movements),
      pursued: isPursued(attempt)
    },
    signal,
    source.next !== undefined
  )
  const stuck = decided.effect === "collected" && second === undefined
  const decision: RampDecision = stuck ? { ...decided, status: "failed" } : decided
  const { outcome, resurfaced, status } = decision
  const nextAttempt =
    decision.effect === "collected" && !stuck
      ? second
      : outcome === "declined" && attempt.outcome !== "declined" && !isOver(status)
        ? unlessTakenBack({ ...payment, status }, recording, known, source.next)
        : undefined
  const patch = {
    ...patchOf(known, signal, decision, source),
    ...(nextAttempt?.leg === "settlement" ? { payout_id: nextAttempt.attempt_id } : {})
  }
  const after: Payment = { ...payment, ...patch, status }
  const collecting = leg === "collection"
  const paid = after.ramp?.collected !== null
  const planned = collecting ? untilItsEnd(known, outcome, source, moment) : { source, moment }
  const came = netOf(position(recording.movements), attempt.attempt_id, payment.amount.currency).toString()
  const { failure, note } = failureOf(known, stuck ? { ...decision, effect: "stranded" } : decision, came)
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
        lacksFirstMovement(known, recording.movements) ||
        (outcome !== "declined" && (collecting ? !paid && !isOver(status) : status === "processing")),
      // Whatever still waits for its customer then is called off: what is left is under way at its provider.
      isUnderWay: resurfaced || (outcome === "accepted" && (collecting ? expired : status === "processing")),
      lacksNextAction: collecting && lacksNextAction(signal, after, decision),
      contradiction:
        amountContradiction(known, recording) ??
        failureContradiction(known, signal, source, {
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
