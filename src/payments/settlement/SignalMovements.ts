/** Movements that a signal reports, and sums over them. Pure. */
import type { AttemptId } from "../../domain/Ids.ts"
import { Money } from "../../domain/Money.ts"
import {
  signedAmount,
  type Movement,
  type MovementKind,
  OPERATOR_ID,
  record,
  type Recording,
  type RecordedMovement,
  netOf,
  netByAttempt
} from "../../domain/Movement.ts"
import { hasState, type ProviderSignal } from "../../domain/PaymentStatusRules.ts"
import {
  type Attempt,
  type Books,
  kindOfAttempt,
  type Payment,
  type Refund,
  moneyAtProvider
} from "../store/Payment.ts"
import type { AttemptOfPayment } from "../store/PaymentStore.ts"
import type { SignalContext } from "./SignalContext.ts"

/** Whether the provider reports that the attempt failed. */
const saysFailed = (signal: ProviderSignal): boolean =>
  signal._tag === "Declined" || (signal._tag === "Report" && signal.state === "failed")

/** Whether the provider reports that money went back, without a transfer that took it. */
const lacksTransferBack = (signal: ProviderSignal): boolean =>
  signal._tag === "Report" &&
  signal.state === "returned" &&
  !(signal.movements ?? []).some(({ kind }) => kind !== "collection" && kind !== "disbursement")

/** Contradiction of a provider that reports a failure, or a return without a transfer, after money moved. */
export const failureContradiction = (
  { attempt: { outcome, provider } }: AttemptOfPayment,
  signal: ProviderSignal,
  { operator, unverified }: SignalContext,
  { moved }: { readonly moved: boolean }
): string | undefined => {
  if (outcome === "declined" || !moved || operator !== undefined) return undefined
  if (saysFailed(signal)) {
    return `${provider} says that it failed, after it had been completed: an operator must find out whether the money is there.`
  }
  // Transfers of another payment have an item of their own.
  return lacksTransferBack(signal) && unverified === undefined
    ? `${provider} says that the money went back, and not by which transfer: an operator must find out how much is there.`
    : undefined
}

/** Attempt whose money moves: for a refund or a return, the one that collected it. */
const attemptWhoseMoney = ({ taken_by }: Payment, { attempt_id, leg, of_attempt }: Attempt): AttemptId => {
  if (leg === "return") return of_attempt ?? attempt_id
  return leg === "refund" ? (of_attempt ?? taken_by ?? attempt_id) : attempt_id
}

export const isRefundOrReturn = ({ leg }: Pick<Attempt, "leg">): boolean => leg === "refund" || leg === "return"

/** Refund or return of an attempt. Both are written in one statement: one without the other is a defect. */
export const partOf = ({ refunds }: Payment, { attempt_id }: Attempt): Refund => {
  const part = refunds.find(({ refund_id }) => refund_id === attempt_id)
  if (part === undefined) throw new Error(`attempt ${attempt_id} gives back nothing of its payment`)
  return part
}

/** Amount that an attempt was ordered to move. */
const orderedBy = ({ attempt, payment }: Pick<AttemptOfPayment, "attempt" | "payment">): Money => {
  if (isRefundOrReturn(attempt)) return partOf(payment, attempt).amount
  return attempt.leg === "settlement" ? payment.target : moneyAtProvider(payment)
}

/** Kind of the movement that fulfils an attempt's order. */
const kindOf = ({ attempt, payment }: Pick<AttemptOfPayment, "attempt" | "payment">): MovementKind => {
  switch (kindOfAttempt(payment, attempt)) {
    case "payin":
      return "collection"
    case "payout":
      return "disbursement"
    case "refund":
      return "refund"
  }
}

type OfAttempt = Pick<AttemptOfPayment, "attempt" | "movements" | "payment">

const movementsOf = ({ attempt, movements, payment }: OfAttempt, kind: MovementKind) => {
  const [source, refund] = [attemptWhoseMoney(payment, attempt), isRefundOrReturn(attempt) ? attempt.attempt_id : null]
  return movements.filter((one) => one.kind === kind && one.attempt_id === source && one.refund_id === refund)
}

/** Settled transfers of an attempt, whose amount an operator may correct. */
export const settledTransfers = ({ attempt, movements, payment }: OfAttempt): ReadonlyArray<RecordedMovement> => {
  const source = attemptWhoseMoney(payment, attempt)
  return movements.filter(
    ({ attempt_id, refund_id, state }) =>
      state === "settled" && attempt_id === source && (!isRefundOrReturn(attempt) || refund_id === attempt.attempt_id)
  )
}

/** Pending movement of this amount: an operator's statement settles it under its own id. */
export const pendingMovement = (
  movements: ReadonlyArray<RecordedMovement>,
  { minor, currency }: Money
): RecordedMovement | undefined =>
  movements.find(({ amount, state }) => state === "pending" && amount.currency === currency && amount.minor === minor)

/** Movements that complete an attempt's order by an operator's statement: the part without a report. */
export const operatorStatedOrder = (subject: OfAttempt, movementId: string | undefined): ReadonlyArray<Movement> => {
  const [kind, ordered] = [kindOf(subject), orderedBy(subject)]
  const mine = movementsOf(subject, kind).filter(({ amount }) => amount.currency === ordered.currency)
  const minor = mine.reduce(
    (left, { amount, state }) => (state === "settled" ? left - amount.minor : left),
    ordered.minor
  )
  if (minor <= 0n) return []
  const amount = new Money({ currency: ordered.currency, minor })
  const id = movementId ?? pendingMovement(mine, amount)?.movement_id ?? `${OPERATOR_ID}${subject.attempt.attempt_id}`
  return [{ kind, id, amount, state: "settled" }]
}

/** Ordered amount of an attempt that its provider has not taken back or returned. */
export const stillMoved = (subject: OfAttempt): Money => {
  const [ordered, moved] = [orderedBy(subject), movedBy(subject, subject.movements)]
  return moved.minor < ordered.minor ? moved : ordered
}

/** Movement of an attempt whose money came back, as an operator states it, under the provider's id if known. */
export const operatorStatedReversal = (
  subject: OfAttempt,
  id = `${OPERATOR_ID}${subject.attempt.attempt_id} returned`
): ReadonlyArray<Movement> => {
  const amount = stillMoved(subject)
  const kind = kindOfAttempt(subject.payment, subject.attempt) === "payin" ? "reversal" : "reinstatement"
  return amount.isPositive ? [{ kind, id, amount, state: "settled" }] : []
}

const sourceOf = (signal: ProviderSignal, { callback, operator }: SignalContext): RecordedMovement["source"] => {
  if (operator !== undefined) return "operator"
  if (callback !== undefined) return "callback"
  return signal._tag === "Accepted" ? "answer" : "enquiry"
}

const movementsIn = (subject: AttemptOfPayment, signal: ProviderSignal, source: SignalContext, heard_at: Date) => {
  const { movements = [] } = hasState(signal) ? signal : {}
  const { attempt, payment } = subject
  const isOfRefund = isRefundOrReturn(attempt)
  const partIn = ({ refund }: Movement) =>
    payment.refunds.find(({ refund_id }) => refund_id === (isOfRefund ? attempt.attempt_id : refund))
  // Ignores amounts of zero or less, and transfers of an open refund, which its own attempt reports.
  const real = movements.filter(
    (one) => (one.amount === null || one.amount.isPositive) && (isOfRefund || partIn(one)?.state !== "open")
  )
  return real.map((one): RecordedMovement => ({
    provider: attempt.provider,
    account: attempt.account,
    kind: one.kind,
    movement_id: one.id,
    attempt_id: attemptWhoseMoney(payment, attempt),
    refund_id: partIn(one)?.refund_id ?? null,
    amount: one.amount ?? orderedBy(subject),
    state: one.state,
    is_total: one.isTotal === true,
    source: sourceOf(signal, source),
    heard_at
  }))
}

export const recordMovements = (
  subject: AttemptOfPayment,
  signal: ProviderSignal,
  source: SignalContext,
  at: Date
): Recording => record(subject.movements, movementsIn(subject, signal, source, at), source.operator?.corrects === true)

/** Amount that an attempt collected or paid by its movements, less returns, in the order's currency. */
export const movedBy = (
  subject: Pick<AttemptOfPayment, "attempt" | "payment">,
  movements: Books["movements"]
): Money => {
  const { attempt, payment } = subject
  const { currency } = orderedBy(subject)
  if (isRefundOrReturn(attempt)) return refundedBy(movements, attempt.attempt_id, currency)
  const net = netOf(netByAttempt(movements), attempt.attempt_id, currency)
  return kindOfAttempt(payment, attempt) === "payin" ? net : net.negate()
}

/** Whether money was reported as returned that was never reported as collected or paid; the provider is polled. */
export const lacksFirstMovement = (
  { attempt }: Pick<AttemptOfPayment, "attempt">,
  movements: Books["movements"]
): boolean => {
  const mine = movements.filter(
    ({ attempt_id, refund_id, state }) => state === "settled" && refund_id === null && attempt_id === attempt.attempt_id
  )
  return mine.length > 0 && !mine.some(({ kind }) => kind === "collection" || kind === "disbursement")
}

/** Amount that a refund or return gave back, less what came back of it. */
export const refundedBy = (movements: Books["movements"], refund: AttemptId, currency: Money["currency"]): Money => {
  const mine = movements.filter(
    ({ amount, refund_id, state }) => refund_id === refund && state === "settled" && amount.currency === currency
  )
  return new Money({ currency, minor: -mine.reduce((sum, movement) => sum + signedAmount(movement).minor, 0n) })
}

/** Amount that completed refunds gave back, without returns of unallocated money. */
export const refundedByUs = (refunds: ReadonlyArray<Refund>): bigint =>
  refunds.reduce(
    (sum, { amount, of, state }) => (of === undefined && state === "completed" ? sum + amount.minor : sum),
    0n
  )

/**
 * Amount that the payer has back: the amount missing at the provider, at least the completed refunds, at most the
 * payment. For a ramp whose payout came back, nothing until the collected money is returned.
 */
export const refundedOf = (payment: Payment, { movements }: Pick<Books, "movements">): Money => {
  const { amount, direction, refunds, status, taken_by } = payment
  const nothing = Money.zero(amount.currency)
  if (direction === "outbound") return status === "refunded" ? amount : nothing
  if (taken_by === null || (status !== "completed" && status !== "refunded")) return nothing
  const { minor: there } = netOf(netByAttempt(movements), taken_by, amount.currency)
  const lacking = there <= 0n ? amount.minor : amount.minor - there
  const given = refundedByUs(refunds)
  const minor = lacking > given ? lacking : given
  return new Money({ currency: amount.currency, minor: minor > amount.minor ? amount.minor : minor })
}

/** Describes two reports of one transfer with different amounts; an operator must find out which is right. */
export const amountContradiction = (
  { attempt: { provider } }: AttemptOfPayment,
  { contradicted }: Recording
): string | undefined => {
  const [first] = contradicted
  if (first === undefined) return undefined
  const { amount, kind, movement_id } = first.recorded
  return `${provider} says that ${kind} ${movement_id} was ${first.reported.toString()}, and said ${amount.toString()} before: an operator must find out which is so.`
}
