/**
 * Decisions that an operator can take on an item of a payment, each with the organisation's balance before and after. A
 * decision that would be refused is not listed. Pure.
 */
import { LedgerAccount } from "../../domain/Ledger.ts"
import { Money } from "../../domain/Money.ts"
import { isFinal } from "../../domain/PaymentStatus.ts"
import type { StoredBalance } from "../../money/ledger/LedgerStore.ts"
import {
  absolute,
  isPartialRampCollection,
  isUnderpaid,
  moverOf,
  type UnallocatedSum,
  unallocatedSums,
  returnOf,
  describeSum
} from "../store/UnallocatedMoney.ts"
import { type Attempt, kindOfAttempt, type Payment, type StoredOperatorItem } from "../store/Payment.ts"
import { organizationAccount } from "../store/PaymentPostings.ts"
import { heldInReserve } from "../store/PaymentReserve.ts"
import type { PaymentHistory } from "../store/PaymentStore.ts"
import { openAmount, reservedParts } from "../../domain/Reserve.ts"
import { refundSettledAfterFailing, allocateToOrganization } from "./Allocations.ts"
import { settledTransfers, stillMoved } from "./SignalMovements.ts"
import type { RecordedMovement } from "../../domain/Movement.ts"
import {
  isUnknownOutcome,
  isAbout,
  hasMoved,
  isCorrectable,
  isPaidLate,
  unsentPayout,
  acceptedTarget
} from "./ResolutionRules.ts"

/** Effect of a decision on the organisation's balance. */
interface BalanceChange {
  readonly account: LedgerAccount
  readonly before: Money
  readonly after: Money
  /** Debt of the organisation afterwards; its next credits pay it. */
  readonly owes: Money
}

interface ResolutionOption {
  readonly action: "resolve" | "give_back"
  /** Of `resolve`. */
  readonly outcome: "completed" | "failed" | null
  /** Text of the decision, with its effect. */
  readonly says: string
  /** null: not known beforehand. */
  readonly balance: BalanceChange | null
  /** Transfer whose amount the operator corrects. */
  readonly corrects?: RecordedMovement
}

/** An open item, and the decisions that it allows. */
export interface ItemWithOptions {
  /** Null: no item of the queue, such as a payment on the manual rail or a payout of a ramp that is not sent yet. */
  readonly item_id: string | null
  readonly kind: "suspense" | "unknown_outcome" | "unsent_payout"
  readonly attempt_id: Attempt["attempt_id"] | null
  readonly detail: string
  /** Positive: received. Negative: missing. */
  readonly money: Money | null
  readonly decisions: ReadonlyArray<ResolutionOption>
}

/** Facts beside the payment. */
export interface OptionContext {
  readonly balanceOf: (account: LedgerAccount) => Pick<StoredBalance, "balance" | "floor">
  /** Whether the attempt's provider makes refunds through this service. */
  readonly canRefund: (attempt: Attempt) => boolean
  /** Fee for accepting an underpaid payin; null: none. */
  readonly feeOf: (sum: UnallocatedSum) => Money | null
}

const plus = (money: Money, minor: bigint): Money => new Money({ currency: money.currency, minor: money.minor + minor })

const atMost = (one: bigint, other: bigint): bigint => (one < other ? one : other)

/** Amount, at least zero. */
const has = ({ minor }: Money): bigint => (minor > 0n ? minor : 0n)

const fits = ({ balance, floor }: Pick<StoredBalance, "balance" | "floor">, change: Money): boolean =>
  !change.isNegative || floor === null || balance.minor + change.minor >= floor.minor

/** Balance of an account after a change, and after the ledger has paid the organisation's debt from it. */
const changeOf = (
  { org_id }: Payment,
  { balanceOf }: OptionContext,
  account: LedgerAccount,
  change: Money
): BalanceChange => {
  const { balance: before, ...kept } = balanceOf(account)
  const settlement = LedgerAccount.settlement(org_id, change.currency)
  const owed = has(balanceOf(LedgerAccount.receivable(org_id, change.currency)).balance.negate())
  const isBorne = fits({ balance: before, ...kept }, change)
  const moved = isBorne ? plus(before, change.minor) : before
  const owing = isBorne ? owed : owed - change.minor
  const payer = account === settlement ? moved : balanceOf(settlement).balance
  const touchesDebt = !isBorne || (account === settlement && change.isPositive)
  const paid = touchesDebt ? atMost(owing, has(payer)) : 0n
  return {
    account,
    before,
    after: account === settlement ? plus(moved, -paid) : moved,
    owes: new Money({ currency: change.currency, minor: owing - paid })
  }
}

/** Part of a change that reaches the account itself, without the part of the payin's reserve. */
const besideReserve = (
  payment: Payment,
  { allocations }: PaymentHistory,
  account: LedgerAccount,
  change: Money
): Money => {
  const side = organizationAccount(payment)
  if (payment.reserve === null || account !== side) return change
  const before = heldInReserve(payment, { allocations }, side)
  const decided = { account, accountAmount: change, by: "operator" }
  const after = heldInReserve(payment, { allocations: [...allocations, decided] }, side)
  return plus(change, before.minor - after.minor)
}

const arrow = ({ after, before }: BalanceChange): string => `${before.toNumericText()} → ${after.toString()}`

const debtWords = ({ owes }: BalanceChange): string =>
  owes.isZero ? "" : `; it owes ${owes.toString()}, which its next credits pay`

/** Allocation of a sum if the organisation gets or bears it. */
const allocationOf = (
  payment: Payment,
  { movements }: PaymentHistory,
  mover: Attempt,
  { from, money }: UnallocatedSum
) => {
  const decided = { allocation_id: "", note: "", by: null, at: payment.updated_at }
  return allocateToOrganization(payment, mover, { money, from, movements }, decided)
}

interface OptionSubject {
  readonly payment: Payment
  readonly history: PaymentHistory
  readonly sum: UnallocatedSum
  readonly mover: Attempt
  readonly context: OptionContext
}

/** Balance without a change for the organisation. */
const unchanged = ({ context, mover, payment, history, sum }: OptionSubject): BalanceChange => {
  const { account, accountAmount } = allocationOf(payment, history, mover, sum)
  return changeOf(payment, context, account, Money.zero(accountAmount.currency))
}

const resolve = (outcome: "completed" | "failed", says: string, balance: BalanceChange | null): ResolutionOption => ({
  action: "resolve",
  outcome,
  says,
  balance
})

const accept = ({ context, payment, sum }: OptionSubject): ReadonlyArray<ResolutionOption> => {
  const target = acceptedTarget(payment, sum)
  const fee = context.feeOf(sum)
  if (target === undefined || (fee !== null && fee.minor >= target.minor)) return []
  const parts = payment.reserve === null ? [] : reservedParts(payment.reserve, target, fee, payment.updated_at)
  const change = plus(target, -(fee?.minor ?? 0n) - openAmount(parts))
  const balance = changeOf(payment, context, organizationAccount({ ...payment, amount: sum.money, target }), change)
  const charged = fee === null ? "" : ` (fee ${fee.toString()})`
  return [
    resolve("completed", `Accept ${sum.money.toString()} as the whole payment${charged}: ${arrow(balance)}`, balance)
  ]
}

const returnOption = (about: OptionSubject): ReadonlyArray<ResolutionOption> => {
  const { context, mover, payment, sum } = about
  const isUnpaid = isUnderpaid(payment, sum)
  const hasEnded = isFinal(payment.status) || mover.outcome === "declined" || isUnpaid
  if (kindOfAttempt(payment, mover) !== "payin" || !hasEnded || !context.canRefund(mover)) return []
  const follows = isUnpaid && mover.outcome !== "declined" ? ": the payment fails" : ""
  const { money } = returnOf(payment, about.history.movements, sum)
  const what = money.minor < sum.money.minor ? `${money.toString()} of it, one transfer of several,` : "it"
  return [
    {
      action: "give_back",
      outcome: null,
      says: `Return ${what} to the payer through ${mover.provider}${follows}`,
      balance: unchanged(about)
    }
  ]
}

const ofMoneyThatCame = (about: OptionSubject): ReadonlyArray<ResolutionOption> => {
  const { context, mover, payment, history, sum } = about
  if (isUnderpaid(payment, sum)) {
    const failed = resolve("failed", "The provider has returned it: the payment fails", unchanged(about))
    return [...accept(about), ...returnOption(about), failed]
  }
  const { account, accountAmount } = allocationOf(payment, history, mover, sum)
  const kept = changeOf(payment, context, account, besideReserve(payment, history, account, accountAmount))
  const back =
    kindOfAttempt(payment, mover) === "payout"
      ? "The provider has taken it back already"
      : "The provider has returned it already"
  return [
    ...(isPartialRampCollection(payment, sum)
      ? []
      : [resolve("completed", `The organisation keeps it: ${arrow(kept)}${debtWords(kept)}`, kept)]),
    ...returnOption(about),
    resolve("failed", back, unchanged(about))
  ]
}

/** Decisions that the organisation bears the missing amount, or that a failed payout or refund was paid after all. */
const borne = (about: OptionSubject): ReadonlyArray<ResolutionOption> => {
  const { context, mover, payment, history, sum } = about
  if (isPaidLate(payment, history, mover, sum)) {
    return [resolve("completed", "It was settled: the payment becomes completed", unchanged(about))]
  }
  const lateRefund = refundSettledAfterFailing(payment, history, sum)
  const side = organizationAccount(payment)
  const cost = lateRefund && besideReserve(payment, history, side, lateRefund.target.negate())
  // Without enough balance the organisation owes the amount, as of every loss.
  if (cost !== undefined && fits(context.balanceOf(side), cost)) {
    const balance = changeOf(payment, context, side, cost)
    const says = `The refund of ${absolute(sum.money).toString()} went through, and the organisation bears it: ${arrow(balance)}`
    return [resolve("completed", says, balance)]
  }
  const { account, accountAmount } = allocationOf(payment, history, mover, sum)
  const balance = changeOf(payment, context, account, besideReserve(payment, history, account, accountAmount))
  return [resolve("completed", `The organisation bears it: ${arrow(balance)}${debtWords(balance)}`, balance)]
}

const ofMoneyThatIsGone = (about: OptionSubject): ReadonlyArray<ResolutionOption> => [
  ...borne(about),
  resolve("failed", "The provider has returned it to us", unchanged(about))
]

/** Decisions about an unallocated sum. */
export const optionsFor = (
  payment: Payment,
  history: PaymentHistory,
  sum: UnallocatedSum,
  context: OptionContext
): ReadonlyArray<ResolutionOption> => {
  const mover = moverOf(history.attempts, sum)
  if (mover === undefined) return []
  const about = { payment, history, sum, mover, context }
  return sum.money.isNegative ? ofMoneyThatIsGone(about) : ofMoneyThatCame(about)
}

/** Accounts whose balances the decisions about a payment depend on. */
export const accountsFor = (payment: Payment, history: PaymentHistory): ReadonlyArray<LedgerAccount> => {
  const touched = unallocatedSums(payment, history).flatMap((sum) => {
    const mover = moverOf(history.attempts, sum)
    return mover === undefined ? [] : [allocationOf(payment, history, mover, sum)]
  })
  const currencies = [
    payment.target.currency,
    payment.amount.currency,
    ...touched.map(({ accountAmount }) => accountAmount.currency)
  ]
  const { receivable, settlement } = LedgerAccount
  return Array.from(
    new Set([
      organizationAccount(payment),
      ...touched.map(({ account }) => account),
      ...currencies.flatMap((code) => [settlement(payment.org_id, code), receivable(payment.org_id, code)])
    ])
  )
}

const eitherOutcome: ReadonlyArray<ResolutionOption> = [
  resolve("completed", "It went through: the provider moved the money", null),
  resolve("failed", "It did not: the provider moved nothing, or has it back", null)
]

/** An attempt on the manual rail, which only an operator resolves. */
const byHandOnly = ({ status }: Payment, { attempts }: PaymentHistory): Attempt | undefined =>
  isFinal(status)
    ? undefined
    : attempts.find(({ leg, outcome, provider }) => provider === "manual" && outcome === "accepted" && leg !== "return")

const correction = (one: RecordedMovement): ResolutionOption => ({
  ...resolve("completed", `Another amount of ${one.movement_id} is right, not ${one.amount.toString()}`, null),
  corrects: one
})

const correctionsOf = (payment: Payment, { movements }: PaymentHistory, attempt: Attempt) =>
  isCorrectable(payment, attempt) ? settledTransfers({ attempt, payment, movements }).map(correction) : []

/**
 * Decisions on a question about an attempt. If its provider reported moved money, an operator can only state that all of it
 * came back, or correct the amount of a transfer.
 */
const aboutQuestion = (
  payment: Payment,
  history: PaymentHistory,
  question: StoredOperatorItem
): ReadonlyArray<ResolutionOption> => {
  const { attempts, movements } = history
  const attempt = attempts.find((one) => isAbout(question, one))
  if (attempt === undefined) return eitherOutcome
  const corrections = question.attempt_id === null ? [] : correctionsOf(payment, history, attempt)
  if (!hasMoved(payment, attempt)) return [...eitherOutcome, ...corrections]
  const all = stillMoved({ attempt, payment, movements }).toString()
  return [
    resolve("completed", "It stands as it is recorded: nothing changes", null),
    ...corrections,
    resolve("failed", `${attempt.provider} has all of it back: ${all} are booked as returned`, null)
  ]
}

/** Open items of a payment, each with its decisions. */
export const itemsWithOptions = (
  payment: Payment,
  history: PaymentHistory,
  context: OptionContext
): ReadonlyArray<ItemWithOptions> => {
  const sums = unallocatedSums(payment, history)
  const questions = history.items.filter(isUnknownOutcome)
  const unsent = unsentPayout(payment, history)
  const byHand = sums.length + questions.length === 0 ? byHandOnly(payment, history) : undefined
  // Offered only if a decision without an item could mean nothing else.
  const isStoppable = questions.length === 0 && new Set(sums.map(({ money }) => money.isNegative)).size < 2
  return [
    ...sums.map((sum): ItemWithOptions => ({
      item_id: sum.item_id,
      kind: "suspense",
      attempt_id: sum.attempt_id,
      detail: describeSum(payment, sum),
      money: sum.money,
      decisions: optionsFor(payment, history, sum, context)
    })),
    ...questions.map((question): ItemWithOptions => ({
      item_id: question.item_id,
      kind: "unknown_outcome",
      attempt_id: question.attempt_id,
      detail: question.detail,
      money: null,
      decisions: aboutQuestion(payment, history, question)
    })),
    ...(byHand === undefined
      ? []
      : [
          {
            item_id: null,
            kind: "unknown_outcome" as const,
            attempt_id: byHand.attempt_id,
            detail: "The payment is on the manual rail: an operator must say what became of it.",
            money: null,
            decisions: eitherOutcome
          }
        ]),
    ...(unsent === undefined || !isStoppable
      ? []
      : [
          {
            item_id: null,
            kind: "unsent_payout" as const,
            attempt_id: unsent.attempt_id,
            detail: `${payment.target.toString()} wait to be sent through ${unsent.provider}.`,
            money: null,
            decisions: [
              resolve("failed", "Stop it: the payment fails, and what was collected waits for a decision", null)
            ]
          }
        ])
  ]
}
