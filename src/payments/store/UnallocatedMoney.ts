/**
 * Unallocated money of a payment: its clearing balance, and what an ended ramp still holds. Each sum is a queue item of kind
 * `suspense`. Sums are computed from the movements and never stored. Pure.
 */
import { createHash } from "node:crypto"
import { LedgerAccount } from "../../domain/Ledger.ts"
import { Money } from "../../domain/Money.ts"
import type { RecordedMovement, Sum } from "../../domain/Movement.ts"
import type { Allocation, Attempt, Books, OpenItem, Payment } from "./Payment.ts"
import { heldByRamp, unallocatedOf } from "./PaymentPostings.ts"

export interface UnallocatedSum extends Sum {
  readonly from: Allocation["from"]
  readonly item_id: string
}

/**
 * Id of a sum's queue item: depends on the ledger account and the sign only. So the item keeps its id while the amount
 * changes, and a decision about received money never applies to missing money.
 */
export const queueItemId = (account: LedgerAccount, isGone = false): string => {
  const hex = createHash("md5")
    .update(isGone ? `${account} gone` : account)
    .digest("hex")
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

/** Ledger account of a sum. */
export const accountOfSum = (
  { payment_id }: Payment,
  { attempt_id, from, money }: Omit<UnallocatedSum, "item_id">
): LedgerAccount =>
  from === "ramp"
    ? LedgerAccount.ramp(payment_id, money.currency)
    : LedgerAccount.clearing(payment_id, attempt_id, money.currency)

export const unallocatedSums = (payment: Payment, books: Books): ReadonlyArray<UnallocatedSum> => {
  const { taken_by } = payment
  const held = heldByRamp(payment, books)
  const sums: ReadonlyArray<Omit<UnallocatedSum, "item_id">> = [
    ...unallocatedOf(payment, books).map((rest) => ({ ...rest, from: "clearing" as const })),
    ...(held.isPositive && taken_by !== null ? [{ attempt_id: taken_by, money: held, from: "ramp" as const }] : [])
  ]
  return sums.map((sum) => ({ ...sum, item_id: queueItemId(accountOfSum(payment, sum), sum.money.isNegative) }))
}

/** Fields of a payment that the description uses. */
type DescribedPayment = Pick<Payment, "amount" | "direction" | "status">

/** Whether the rest of a payin may still come. */
const isAwaited = (status: Payment["status"]): boolean => status === "pending" || status === "processing"

const statusWords = ({ amount, direction, status }: DescribedPayment, { money }: Pick<Sum, "money">): string => {
  const sum = (money.isNegative ? money.negate() : money).toString()
  if (money.isPositive) {
    if (status === "completed") return `${sum} arrived besides what the payment is for`
    return direction === "inbound" && isAwaited(status)
      ? `Only ${sum} of ${amount.toString()} arrived so far`
      : `${sum} arrived for a payment that is ${status}`
  }
  const isCollected = direction === "inbound" || (direction === "external" && money.currency === amount.currency)
  return isCollected || status === "completed" || status === "refunded"
    ? `${sum} was taken back`
    : `${sum} was paid out for a payment that is ${status}`
}

/** Describes a sum and the decision that it needs. */
export const describeSum = (
  payment: DescribedPayment,
  sum: Pick<Sum, "money"> & { readonly from?: Allocation["from"] }
): string => {
  if (sum.from === "ramp") {
    return `${sum.money.toString()} were collected and not settled: an operator must return them or book them to the organisation.`
  }
  const what = statusWords(payment, sum)
  return sum.money.isPositive
    ? `${what}: an operator must return it or book it to the organisation.`
    : `${what}: an operator must say who bears it.`
}

/** Queue item of a sum. */
export const queueItemOf = (payment: Payment, sum: UnallocatedSum, opened_at: Date): OpenItem => ({
  item_id: sum.item_id,
  org_id: payment.org_id,
  kind: "suspense",
  payment_id: payment.payment_id,
  attempt_id: sum.attempt_id,
  detail: describeSum(payment, sum),
  opened_at
})

/** Collections of an attempt less their refunds and returns. A refund that names no collection is of the first. */
export const collectionsLeft = (
  { refunds, taken_by }: Payment,
  movements: ReadonlyArray<RecordedMovement>,
  { attempt_id, money }: Sum
): ReadonlyArray<Pick<RecordedMovement, "amount" | "movement_id"> & { readonly left: bigint }> => {
  const parts = refunds.filter(
    ({ amount, of, state }) =>
      state !== "failed" && amount.currency === money.currency && (of?.attempt_id ?? taken_by) === attempt_id
  )
  return movements
    .filter(
      (one) =>
        one.kind === "collection" &&
        one.state === "settled" &&
        one.attempt_id === attempt_id &&
        one.amount.currency === money.currency
    )
    .map(({ amount, movement_id }, nth) => {
      const given = parts.filter(({ collection_id }) => collection_id === movement_id || (!collection_id && nth === 0))
      return { amount, movement_id, left: given.reduce((left, part) => left - part.amount.minor, amount.minor) }
    })
}

/**
 * Part of a sum that one order returns, so that it goes to its sender. In this order: the last collection of that amount,
 * the last one with enough left, all of the last one with anything left.
 */
export const returnOf = (
  payment: Payment,
  movements: ReadonlyArray<RecordedMovement>,
  sum: Sum
): { readonly collection_id: string | undefined; readonly money: Money } => {
  const { money } = sum
  const mine = collectionsLeft(payment, movements, sum)
  const enough = mine.findLast(({ left }) => left === money.minor) ?? mine.findLast(({ left }) => left >= money.minor)
  const part = enough === undefined && mine.length > 1 ? mine.findLast(({ left }) => left > 0n) : undefined
  return part === undefined
    ? { collection_id: enough?.movement_id, money }
    : { collection_id: part.movement_id, money: new Money({ currency: money.currency, minor: part.left }) }
}

/** Attempt that moved a sum: for a ramp's collection its first leg. */
export const moverOf = (attempts: ReadonlyArray<Attempt>, { attempt_id }: Sum): Attempt | undefined =>
  attempts.find((one) => one.attempt_id === attempt_id)

/** Whether the sum is a partial collection of the attempt that the payment waits for. */
export const isUnderpaid = ({ direction, status, taken_by }: Payment, { attempt_id, money }: Sum): boolean =>
  direction === "inbound" && isAwaited(status) && attempt_id === taken_by && money.isPositive

/** Whether the sum is a partial collection of a ramp, which the rest may still complete. */
export const isPartialRampCollection = (
  { amount, ramp, status, taken_by }: Payment,
  { attempt_id, from, money }: UnallocatedSum
): boolean =>
  from === "clearing" &&
  ramp !== null &&
  ramp.collected === null &&
  isAwaited(status) &&
  attempt_id === taken_by &&
  money.isPositive &&
  money.currency === amount.currency

export const absolute = (money: Money): Money => (money.isNegative ? money.negate() : money)

/** Time of the last report about a sum. */
export const lastReportedAt = ({ updated_at }: Payment, { movements }: Books): Date =>
  movements.reduce<Date | undefined>(
    (last, { heard_at }) => (last === undefined || heard_at > last ? heard_at : last),
    undefined
  ) ?? updated_at
