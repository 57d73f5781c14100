/**
 * Part of a completed payin in its organisation's reserve, as a pure function of the payin and its allocations. Refunds and
 * chargebacks of the payin take from its reserve first; a refund that failed and a dispute that was won refill it.
 */
import { combine, currencyOf, type Entry, kindOf, LedgerAccount, move, type Posting } from "../../domain/Ledger.ts"
import { Money } from "../../domain/Money.ts"
import { nextRelease, openAmount, reservedParts } from "../../domain/Reserve.ts"
import type { Change, PaymentPatch } from "./Change.ts"
import type { Allocation, Payment } from "./Payment.ts"

interface Allocations {
  readonly allocations: ReadonlyArray<Pick<Allocation, "account" | "accountAmount" | "by">>
}

/**
 * Whether an allocation is a loss that the organisation bears by an operator's decision, or the return of one by a rule.
 * False for money that an operator credited, such as a second payment, and for its reversal by a rule.
 */
export const isOfBorneLoss = ({ accountAmount, by }: Pick<Allocation, "accountAmount" | "by">): boolean =>
  accountAmount.isNegative === (by !== null)

/** Refunds and borne chargebacks of a payin, on the account that it credits. */
const takenBack = ({ org_id, refunds }: Payment, { allocations }: Allocations, side: LedgerAccount): bigint => {
  const currency = currencyOf(side)
  // A debt is returned to the settlement balance, which pays debts.
  const bearers = [side, LedgerAccount.receivable(org_id, currency), LedgerAccount.settlement(org_id, currency)]
  const given = refunds.reduce(
    (sum, { of, state, target }) => (of === undefined && state !== "failed" ? sum + target.minor : sum),
    0n
  )
  const borne = allocations.reduce(
    (sum, one) => (bearers.includes(one.account) && isOfBorneLoss(one) ? sum - one.accountAmount.minor : sum),
    0n
  )
  const taken = given + borne
  return taken > 0n ? taken : 0n
}

/** `side`: ledger account that the payin credits. */
export const heldInReserve = (payment: Payment, books: Allocations, side: LedgerAccount): Money => {
  const { reserve, status, taken_by, target } = payment
  const nothing = Money.zero(target.currency)
  const isPaid = taken_by !== null && (status === "completed" || status === "refunded")
  if (reserve === null || reserve.parts.length === 0 || !isPaid) return nothing
  const minor = openAmount(reserve.parts) - takenBack(payment, books, side)
  return minor > 0n ? new Money({ currency: target.currency, minor }) : nothing
}

export const reservePostings = (payment: Payment, books: Allocations, side: LedgerAccount): ReadonlyArray<Posting> => {
  const held = heldInReserve(payment, books, side)
  return held.isZero ? [] : move(side, LedgerAccount.reserve(payment.org_id, held.currency), held)
}

/**
 * Parts of a payin that has just been completed. Money at the organisation's own provider account is not the platform's
 * to hold back.
 */
export const reservePatch = (payment: Payment, side: LedgerAccount, at: Date): PaymentPatch => {
  const { direction, reserve, status, target, total_fees } = payment
  if (reserve === null || reserve.parts.length > 0 || direction !== "inbound" || status !== "completed") return {}
  if (kindOf(side) === "own") return { reserve: null }
  return { reserve: { ...reserve, parts: reservedParts(reserve, target, total_fees, at) } }
}

/** Amount by which a change moves the reserve, and the time of the next release after it. */
export const reserveAfter = (
  { patch, payment }: Change,
  entries: ReadonlyArray<Entry>
): { readonly moved: Money | null; readonly next: Date | null } => {
  const { reserve = payment.reserve } = patch
  if (reserve === null) return { moved: null, next: null }
  const postings = combine(entries.flatMap((entry) => entry.postings))
  const moved = postings.find(({ account }) => kindOf(account) === "reserve")?.amount ?? null
  return { moved, next: nextRelease(reserve.parts) }
}
