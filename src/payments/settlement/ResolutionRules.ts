/** Rules for an operator's decision about a payment: open items, and the change that follows from the decision. Pure. */
import { type BigDecimal, Duration, Effect, Either } from "effect"
import { AttemptId } from "../../domain/Ids.ts"
import { Conflict } from "../../domain/Failure.ts"
import { Money } from "../../domain/Money.ts"
import { type MovementToWrite, OPERATOR_ID } from "../../domain/Movement.ts"
import { isFinal } from "../../domain/PaymentStatus.ts"
import { absenceGrace } from "../../domain/policies/PaymentPolicies.ts"
import { booksAfter, type Change } from "../store/Change.ts"
import {
  type Attempt,
  kindOfAttempt,
  organizationSide,
  type Payment,
  type Refund,
  type StoredOperatorItem
} from "../store/Payment.ts"
import { heldByRamp, organizationAccount } from "../store/PaymentPostings.ts"
import { reservePatch } from "../store/PaymentReserve.ts"
import type { PaymentHistory } from "../store/PaymentStore.ts"
import { absolute, describeSum, isUnderpaid, type UnallocatedSum } from "../store/UnallocatedMoney.ts"
import { allocateToOrganization, refundSettledAfterFailing } from "./Allocations.ts"
import { pendingMovement, refundedOf, settledTransfers } from "./SignalMovements.ts"
import { appendNote } from "./SignalContext.ts"
import { allocationEvents, eventsOf, refundEvent } from "./PaymentEvents.ts"
import { withoutEnquiries } from "./PaymentCommand.ts"
import { partsAfter, statusAfter } from "./RefundSignalRules.ts"

/** Patch of an underpaid payment that fails. */
export const underpaidPatch = (payment: Payment, { money }: UnallocatedSum) => ({
  next_action: null,
  failure: {
    code: "UNDERPAID" as const,
    message: `Only ${money.toString()} of ${payment.amount.toString()} arrived.`,
    provider: payment.provider
  }
})

/** An operator's decision about a payment. */
export interface ResolutionRequest {
  /** Of unallocated money, `completed`: the organisation gets or bears the amount; `failed`: the provider has it back. */
  readonly outcome: "completed" | "failed"
  /** Reason that the operator gives. */
  readonly reason: string
  /** Open item to resolve; required if one decision cannot resolve all of them. */
  readonly item?: string | undefined
  /** The provider's id of the transfer, so that a later report of it is the same movement. */
  readonly movementId?: string | undefined
  /** Part of the sum, without a sign; default: all. Of a transfer that was reported with two amounts: the right one. */
  readonly amount?: BigDecimal.BigDecimal | undefined
}

export const isUnknownOutcome = ({ closed_at, kind }: StoredOperatorItem): boolean =>
  kind === "unknown_outcome" && closed_at === null

/** Whether an item is about an attempt. An item without an attempt is about the accepted one. */
export const isAbout = (item: StoredOperatorItem, { attempt_id, leg, outcome }: Attempt): boolean =>
  item.attempt_id === null
    ? outcome === "accepted" && (leg === "payment" || leg === "collection")
    : item.attempt_id === attempt_id

/** Whether a provider call may still be under way; nothing is decided meanwhile. */
export const isUnderWay = ({ outcome, sends, sent_at }: Attempt, now: Date): boolean => {
  const unanswered = outcome === null || (outcome === "unknown" && sends > 1)
  return unanswered && (sends === 0 || now.getTime() - sent_at.getTime() < Duration.toMillis(absenceGrace))
}

export const itemsAbout = ({ items }: PaymentHistory, attempt: Attempt): ReadonlyArray<StoredOperatorItem> =>
  items.filter((item) => isUnknownOutcome(item) && isAbout(item, attempt))

export const hasItem = (history: PaymentHistory, attempt: Attempt): boolean => itemsAbout(history, attempt).length > 0

/** Attempts on the manual rail wait for an operator until they end. */
const isOnManualRail = ({ refunds }: Payment, { attempt_id, leg, outcome, provider }: Attempt): boolean =>
  provider === "manual" &&
  outcome === "accepted" &&
  leg !== "return" &&
  (leg !== "refund" || refunds.some(({ refund_id, state }) => refund_id === attempt_id && state === "open"))

/** Whether only an operator can resolve an attempt. */
export const needsOperator =
  (payment: Payment, history: PaymentHistory, now: Date) =>
  (attempt: Attempt): boolean =>
    !isUnderWay(attempt, now) &&
    (attempt.outcome === "unknown" ||
      attempt.outcome === null ||
      isOnManualRail(payment, attempt) ||
      hasItem(history, attempt))

/** Whether the payment's money moved through this attempt. */
export const hasMoved = (
  { payout_id, ramp, refunds, status, taken_by }: Payment,
  { attempt_id, leg }: Attempt
): boolean => {
  switch (leg) {
    case "collection":
      return (ramp?.collected ?? null) !== null && taken_by === attempt_id
    case "refund":
    case "return":
      return refunds.some(({ refund_id, state }) => refund_id === attempt_id && state === "completed")
    default:
      return (status === "completed" || status === "refunded") && (taken_by === attempt_id || payout_id === attempt_id)
  }
}

/** Whether an operator can correct the amount of a transfer: not while the payment still waits for its money. */
export const isCorrectable = (payment: Payment, attempt: Attempt): boolean =>
  hasMoved(payment, attempt) || isFinal(payment.status)

/** Whether a failed ramp was paid out after all, while the collected money is still there for it. */
export const isPaidLate = (
  payment: Payment,
  history: PaymentHistory,
  mover: Attempt,
  { money }: UnallocatedSum
): boolean =>
  mover.leg === "settlement" &&
  payment.status === "failed" &&
  money.isNegative &&
  money.currency === payment.target.currency &&
  heldByRamp(payment, history).minor >= payment.amount.minor

/** Ramp payout that is not sent yet: an operator can still stop it. */
export const unsentPayout = ({ payout_id, status }: Payment, { attempts }: PaymentHistory): Attempt | undefined =>
  status === "processing"
    ? attempts.find(
        ({ attempt_id, leg, outcome, sends }) =>
          attempt_id === payout_id && leg === "settlement" && sends === 0 && outcome === null
      )
    : undefined

/** Target amount of an underpaid payin if it is accepted; undefined: not possible. */
export const acceptedTarget = (payment: Payment, sum: UnallocatedSum): Money | undefined => {
  if (!isUnderpaid(payment, sum) || sum.money.currency !== payment.amount.currency) return undefined
  const target = organizationSide(payment, sum.money, false)
  return target.isPositive ? target : undefined
}

/** Lists open items in an error message, so that the operator can name one. */
export const listItems = (
  payment: Payment,
  sums: ReadonlyArray<UnallocatedSum>,
  questions: ReadonlyArray<StoredOperatorItem> = []
): string =>
  [
    ...sums.map((sum) => `${sum.item_id} (suspense): ${describeSum(payment, sum)}`),
    ...questions.map(({ detail, item_id, kind }) => `${item_id} (${kind}): ${detail}`)
  ].join(" ")

/** Part of a change that an operator's decision about money sets. */
export type StatedChange = Pick<Change, "cause" | "patch" | "status"> &
  Partial<Pick<Change, "attempt" | "allocations" | "movements">> & { readonly refund?: Refund }

/** Change of a decision, with its note, events and the item that records it; and the payment after it. */
export const changeOfDecision = (
  payment: Payment,
  history: PaymentHistory,
  { refund, ...stated }: StatedChange,
  note: string,
  { at, by, newId }: Pick<OperatorStatement, "at" | "by" | "newId">
): { readonly change: Change; readonly after: Payment } => {
  const { org_id, payment_id } = payment
  const { status } = stated
  const decided: Payment = { ...payment, ...stated.patch, status }
  const patch = {
    ...stated.patch,
    comments: appendNote(payment.comments, note),
    ...reservePatch(decided, organizationAccount(decided), at)
  }
  const plain: Change = { ...stated, payment, patch, at, booksBefore: history, events: [] }
  const refunded = refundedOf({ ...payment, ...patch, status }, booksAfter(plain))
  const after: Payment = { ...payment, ...patch, refunded, status, updated_at: at }
  const context = { at, newId }
  const change: Change = {
    ...plain,
    patch: { ...patch, refunded },
    events: [
      ...refundEvent(context, after, refund, payment),
      ...eventsOf(context, after, payment.status),
      ...allocationEvents(context, after, stated.allocations ?? [])
    ],
    openItems: [
      {
        item_id: newId(),
        org_id,
        kind: "resolution",
        payment_id,
        attempt_id: stated.allocations?.[0]?.attempt_id ?? stated.attempt?.attempt_id ?? null,
        detail: note,
        opened_at: at,
        closed_by: by
      }
    ]
  }
  return { change, after }
}

export interface OperatorStatement {
  readonly payment: Payment
  readonly history: PaymentHistory
  readonly sum: UnallocatedSum
  readonly mover: Attempt
  readonly reason: string
  readonly movementId: string | undefined
  readonly by: string
  readonly at: Date
  readonly newId: () => string
}

/** Transfer that an operator found at the provider, without a report of it. */
const foundMovement = (
  { at, mover, movementId, newId, payment, history, sum }: OperatorStatement,
  refund_id: Refund["refund_id"] | null
): MovementToWrite => {
  const collects = kindOfAttempt(payment, mover) !== "payout"
  const kind = sum.money.isNegative ? "reinstatement" : collects ? "refund" : "disbursement"
  const alike = history.movements.filter(
    (one) => one.kind === kind && one.attempt_id === sum.attempt_id && one.refund_id === null
  )
  return {
    provider: mover.provider,
    account: mover.account,
    kind,
    movement_id: movementId ?? pendingMovement(alike, absolute(sum.money))?.movement_id ?? `${OPERATOR_ID}${newId()}`,
    attempt_id: sum.attempt_id,
    refund_id,
    amount: absolute(sum.money),
    state: "settled",
    is_total: false,
    source: "operator",
    heard_at: at
  }
}

/** Change if the provider moved the money: returned a received amount, or gave back a missing one. */
export const changeIfProviderMoved = (statement: OperatorStatement): StatedChange => {
  const { at, by, newId, payment, sum } = statement
  const { status } = payment
  if (sum.from === "ramp") {
    const part: Refund = {
      refund_id: AttemptId.make(newId()),
      amount: sum.money,
      target: sum.money,
      state: "completed",
      reason: statement.reason,
      created_at: at,
      settled_at: at,
      of: { attempt_id: sum.attempt_id, from: "ramp" }
    }
    const movements = [foundMovement(statement, part.refund_id)]
    return { status, patch: { refunds: [...payment.refunds, part] }, cause: "returned by hand", movements }
  }
  const movements = [foundMovement(statement, null)]
  if (!isUnderpaid(payment, sum)) return { status, patch: {}, cause: "settled by hand", movements }
  return {
    status: "failed",
    patch: underpaidPatch(payment, sum),
    cause: `given up by ${by}`,
    attempt: withoutEnquiries(statement.mover),
    movements
  }
}

/** Allocates money from clearing to the organisation: a received amount as a credit, a missing one as a charge. */
export const allocatedToOrganization = ({
  at,
  by,
  mover,
  newId,
  payment,
  reason,
  history,
  sum
}: OperatorStatement): StatedChange => {
  const decided = { allocation_id: newId(), note: reason, by, at }
  const { from, money } = sum
  const allocations = [allocateToOrganization(payment, mover, { money, from, movements: history.movements }, decided)]
  return { status: payment.status, patch: {}, cause: "settled by hand", allocations }
}

/** Change if the organisation gets a received amount or bears a missing one. */
export const changeIfOrganizationBears = (statement: OperatorStatement): StatedChange => {
  const { at, by, mover, payment, history, sum } = statement
  // Only while the collected money is still there; else the organisation bears the late payout.
  if (isPaidLate(payment, history, mover, sum)) {
    const patch = { payout_id: mover.attempt_id, failure: null, next_action: null }
    return { status: "completed", patch, cause: `settled after all, by ${by}` }
  }
  const lateRefund = refundSettledAfterFailing(payment, history, sum)
  if (lateRefund !== undefined) {
    const refund: Refund = { ...lateRefund, state: "completed", settled_at: at }
    const refunds = partsAfter(payment, [refund])
    return {
      status: statusAfter(payment, refunds, history.movements),
      patch: { refunds },
      cause: "refund settled by hand",
      refund
    }
  }
  return allocatedToOrganization(statement)
}

export const conflict = (message: string) => new Conflict({ message })

/** Transfer of an attempt that a decision corrects, with the right amount. */
export const correctedTransfer = (
  subject: Parameters<typeof settledTransfers>[0],
  amount: BigDecimal.BigDecimal,
  movementId: string | undefined
) =>
  Effect.gen(function* () {
    const all = settledTransfers(subject)
    const named = movementId === undefined ? all : all.filter(({ movement_id }) => movement_id === movementId)
    const [one] = named
    if (one === undefined || named.length > 1) {
      const names = all.map(({ amount: of, kind, movement_id }) => `${movement_id} (${kind} of ${of.toString()})`)
      return yield* conflict(
        `amount: name the transfer whose amount it is (--movement, or movement_id): ${names.join(", ")}`
      )
    }
    const { currency } = one.amount
    const right = yield* Either.mapLeft(Money.fromDecimal(amount, currency), (why) => conflict(`amount: ${why}.`))
    if (!right.isPositive || right.minor === one.amount.minor) {
      return yield* conflict(`amount: is not above zero, or is the ${one.amount.toString()} that are recorded already.`)
    }
    return { kind: one.kind, id: one.movement_id, amount: right, state: "settled" } as const
  })

/** Part of a sum to decide on. A decision that completes or fails the payment takes the whole sum. */
export const partOfSum = (
  payment: Payment,
  history: PaymentHistory,
  mover: Attempt,
  sum: UnallocatedSum,
  amount: ResolutionRequest["amount"]
) =>
  Effect.gen(function* () {
    if (amount === undefined) return sum
    if (sum.from === "ramp" || isUnderpaid(payment, sum) || isPaidLate(payment, history, mover, sum)) {
      return yield* conflict("amount: this is decided on as a whole; leave it out.")
    }
    const all = absolute(sum.money)
    const part = yield* Either.mapLeft(Money.fromDecimal(amount, all.currency), (why) => conflict(`amount: ${why}.`))
    if (!part.isPositive || part.minor > all.minor) {
      return yield* conflict(`amount: is not above zero, or is more than the ${all.toString()} that wait.`)
    }
    return { ...sum, money: sum.money.isNegative ? part.negate() : part }
  })
