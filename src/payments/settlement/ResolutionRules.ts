/** Rules for what an operator states about a payment: what is open, and the change that a statement makes. Pure. */
import { type BigDecimal, Duration, Effect, Either } from "effect"
import { AttemptId } from "../../domain/Ids.ts"
import { Conflict } from "../../domain/Failure.ts"
import { Money } from "../../domain/Money.ts"
import { type HeardMovement, OPERATOR_ID } from "../../domain/Movement.ts"
import { absenceGrace } from "../../domain/policies/PaymentPolicies.ts"
import type { Change } from "../store/Change.ts"
import { type Attempt, kindOfAttempt, type Payment, type Refund, type StoredOperatorItem } from "../store/Payment.ts"
import type { PaymentHistory } from "../store/PaymentStore.ts"
import { absolute, describeSum, isUnderpaid, type SuspenseSum } from "../store/SuspenseSums.ts"
import { isAbout, isPaidLate, isQuestion } from "./Decisions.ts"
import { allocateToOrganization, pendingMovement, refundSettledAfterFailing } from "./Movements.ts"
import { withoutEnquiries } from "./PaymentCommand.ts"
import { partsAfter, statusAfter } from "./RefundRules.ts"

/** The payment waits no longer for the rest of its money. */
export const underpaidPatch = (payment: Payment, { money }: SuspenseSum) => ({
  next_action: null,
  failure: {
    code: "UNDERPAID" as const,
    message: `Only ${money.toString()} of ${payment.amount.toString()} arrived.`,
    provider: payment.provider
  }
})

/** What an operator says about a payment. */
export interface ResolutionRequest {
  /** Of money that waits: the organisation gets what came, or bears what is gone; failed: the provider has it back. */
  readonly outcome: "completed" | "failed"
  /** How the operator knows. */
  readonly reason: string
  /** Which open item of the payment it is about; needed where several wait that one verdict cannot settle. */
  readonly item?: string | undefined
  /** The provider's id of the transfer that is stated: what the provider tells of it is then known as the same. */
  readonly movementId?: string | undefined
  /** How much of a sum it is about, without a sign; all of it where nothing is said. */
  readonly amount?: BigDecimal.BigDecimal | undefined
}

/** A call that may still be under way is nobody's to decide. */
export const isUnderWay = ({ outcome, sends, sent_at }: Attempt, now: Date): boolean => {
  const unanswered = outcome === null || (outcome === "unknown" && sends > 1)
  return unanswered && (sends === 0 || now.getTime() - sent_at.getTime() < Duration.toMillis(absenceGrace))
}

export const itemsAbout = ({ items }: PaymentHistory, attempt: Attempt): ReadonlyArray<StoredOperatorItem> =>
  items.filter((item) => isQuestion(item) && isAbout(item, attempt))

export const hasItem = (story: PaymentHistory, attempt: Attempt): boolean => itemsAbout(story, attempt).length > 0

/** What is on the manual rail waits for a person, until it has ended. */
const isOnManualRail = ({ refunds }: Payment, { attempt_id, leg, outcome, provider }: Attempt): boolean =>
  provider === "manual" &&
  outcome === "accepted" &&
  leg !== "return" &&
  (leg !== "refund" || refunds.some(({ refund_id, state }) => refund_id === attempt_id && state === "open"))

/** What no machine settles any more, or never did. */
export const onlyByHand =
  (payment: Payment, story: PaymentHistory, now: Date) =>
  (attempt: Attempt): boolean =>
    !isUnderWay(attempt, now) &&
    (attempt.outcome === "unknown" ||
      attempt.outcome === null ||
      isOnManualRail(payment, attempt) ||
      hasItem(story, attempt))

/** What waits, one after the other, for whoever has to name one of it. */
export const listed = (
  payment: Payment,
  sums: ReadonlyArray<SuspenseSum>,
  questions: ReadonlyArray<StoredOperatorItem>
): string =>
  [
    ...sums.map((sum) => `${sum.item_id} (suspense): ${describeSum(payment, sum)}`),
    ...questions.map(({ detail, item_id, kind }) => `${item_id} (${kind}): ${detail}`)
  ].join(" ")

/** What follows from a statement about money: a part of the change that records it. */
export type Settled = Pick<Change, "cause" | "patch" | "status"> &
  Partial<Pick<Change, "attempt" | "allocations" | "movements">> & { readonly refund?: Refund }

export interface Statement {
  readonly payment: Payment
  readonly story: PaymentHistory
  readonly sum: SuspenseSum
  readonly mover: Attempt
  readonly reason: string
  readonly movementId: string | undefined
  readonly by: string
  readonly at: Date
  readonly newId: () => string
}

/** A transfer that an operator has found at the provider, and that the provider has not told of. */
const found = (
  { at, mover, movementId, newId, payment, story, sum }: Statement,
  refund_id: Refund["refund_id"] | null
): HeardMovement => {
  const collects = kindOfAttempt(payment, mover) !== "payout"
  const kind = sum.money.isNegative ? "reinstatement" : collects ? "refund" : "disbursement"
  const alike = story.movements.filter(
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

/** The provider has what came, or has given back what was gone. */
export const atProvider = (statement: Statement): Settled => {
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
    const movements = [found(statement, part.refund_id)]
    return { status, patch: { refunds: [...payment.refunds, part] }, cause: "given back by hand", movements }
  }
  const movements = [found(statement, null)]
  if (!isUnderpaid(payment, sum)) return { status, patch: {}, cause: "settled by hand", movements }
  return {
    status: "failed",
    patch: underpaidPatch(payment, sum),
    cause: `given up by ${by}`,
    attempt: withoutEnquiries(statement.mover),
    movements
  }
}

/** Money leaves clearing for the organisation, or the organisation bears it. */
export const allocated = ({ at, by, mover, newId, payment, reason, story, sum }: Statement): Settled => {
  const decided = { allocation_id: newId(), note: reason, by, at }
  const { from, money } = sum
  const allocations = [allocateToOrganization(payment, mover, { money, from, movements: story.movements }, decided)]
  return { status: payment.status, patch: {}, cause: "settled by hand", allocations }
}

/** The organisation gets what came, or bears what is gone. */
export const atOrganization = (statement: Statement): Settled => {
  const { at, by, mover, payment, story, sum } = statement
  // What was collected may have gone elsewhere since: then the organisation bears what was paid.
  if (isPaidLate(payment, story, mover, sum)) {
    const patch = { payout_id: mover.attempt_id, failure: null, next_action: null }
    return { status: "completed", patch, cause: `settled after all, by ${by}` }
  }
  const strayed = refundSettledAfterFailing(payment, story, sum)
  if (strayed !== undefined) {
    const refund: Refund = { ...strayed, state: "completed", settled_at: at }
    const refunds = partsAfter(payment, [refund])
    return {
      status: statusAfter(payment, refunds, story.movements),
      patch: { refunds },
      cause: "refund settled by hand",
      refund
    }
  }
  return allocated(statement)
}

export const conflict = (message: string) => new Conflict({ message })

/** What of a sum is decided on. What completes or fails the payment is decided on as a whole. */
export const partOfSum = (
  payment: Payment,
  story: PaymentHistory,
  mover: Attempt,
  sum: SuspenseSum,
  amount: ResolutionRequest["amount"]
) =>
  Effect.gen(function* () {
    if (amount === undefined) return sum
    if (sum.from === "ramp" || isUnderpaid(payment, sum) || isPaidLate(payment, story, mover, sum)) {
      return yield* conflict("amount: this is decided on as a whole; leave it out.")
    }
    const all = absolute(sum.money)
    const part = yield* Either.mapLeft(Money.fromDecimal(amount, all.currency), (why) => conflict(`amount: ${why}.`))
    if (!part.isPositive || part.minor > all.minor) {
      return yield* conflict(`amount: is not above zero, or is more than the ${all.toString()} that wait.`)
    }
    return { ...sum, money: sum.money.isNegative ? part.negate() : part }
  })
