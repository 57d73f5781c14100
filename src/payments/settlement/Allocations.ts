/** Allocations of unallocated money: which account bears missing money or gets received money. Pure. */
import { Money } from "../../domain/Money.ts"
import { netOf, type NetByAttempt, type Sum } from "../../domain/Movement.ts"
import {
  type Attempt,
  type Books,
  type Payment,
  type Refund,
  type Allocation,
  organizationSide
} from "../store/Payment.ts"
import { organizationAccount, organizationAccountThrough, unallocatedOf } from "../store/PaymentPostings.ts"
import { isOfBorneLoss, heldInReserve } from "../store/PaymentReserve.ts"
import { kindOf as accountKind, LedgerAccount } from "../../domain/Ledger.ts"
import type { DecisionTime } from "./SignalContext.ts"
import { refundedBy } from "./SignalMovements.ts"

const share = (whole: Money, part: bigint, of: bigint): Money =>
  new Money({ currency: whole.currency, minor: (whole.minor * part) / of })

/** Limits the cost of a refund that was paid after it had failed. Limit: the target less the other refunds. */
const besideOthers = ({ amount, refunds, target }: Payment, late: Refund): Refund => {
  const others = refunds.filter(
    ({ of, rate, state }) => of === undefined && state !== "failed" && rate?.basis !== "live"
  )
  const sum = (of: (part: Refund) => Money): bigint => others.reduce((total, part) => total + of(part).minor, 0n)
  const left = target.minor - sum((part) => part.target)
  const isMore = sum((part) => part.amount) + late.amount.minor > amount.minor
  if (isMore || late.rate?.basis === "live" || late.target.minor <= left) return late
  return { ...late, target: new Money({ currency: target.currency, minor: left }) }
}

/** Failed refund that was paid nevertheless, if its amount is the missing one, with its cost. */
export const refundSettledAfterFailing = (
  payment: Payment,
  { movements }: Pick<Books, "movements">,
  { money }: Pick<Sum, "money">
): Refund | undefined => {
  const late = payment.refunds.find(
    ({ amount, of, refund_id, state }) =>
      of === undefined &&
      state === "failed" &&
      amount.currency === money.currency &&
      amount.minor === -money.minor &&
      refundedBy(movements, refund_id, amount.currency).minor >= amount.minor
  )
  return late && besideOthers(payment, late)
}

/** Organisation's side of a sum; for a refund that was paid after it had failed, its cost. */
const accountAmountOf = (payment: Payment, { money, movements }: Waiting): Money => {
  const lateRefund = refundSettledAfterFailing(payment, { movements }, { money })
  if (lateRefund !== undefined) return lateRefund.target.negate()
  return money.isNegative
    ? organizationSide(payment, money.negate(), true).negate()
    : organizationSide(payment, money, false)
}

/** Unallocated money, and the movements of its payment. */
interface Waiting extends Pick<Books, "movements">, Pick<Allocation, "from"> {
  readonly money: Money
}

interface Decided {
  readonly allocation_id: string
  readonly note: string
  readonly by: string | null
  readonly at: Date
}

/** Allocates an attempt's money to the organisation, which gets or bears it. `through`: the attempt that moved it. */
export const allocateToOrganization = (
  payment: Payment,
  through: Pick<Attempt, "account" | "attempt_id" | "own_account">,
  waiting: Waiting,
  decided: Decided
): Allocation => {
  const { from, money } = waiting
  const accountAmount = from === "ramp" ? money : accountAmountOf(payment, waiting)
  return {
    ...decided,
    attempt_id: through.attempt_id,
    from,
    amount: money,
    accountAmount,
    account: organizationAccountThrough(payment, through, accountAmount.currency)
  }
}

/**
 * The same allocation as a debt of an organisation without enough balance. A virtual account pays what its reserve and its
 * `balance` cover; the organisation owes the rest. `further`: id of the second allocation.
 */
export const asReceivable = (
  payment: Payment,
  books: Pick<Books, "allocations">,
  allocation: Allocation,
  balance: Money,
  further: string
): ReadonlyArray<Allocation> => {
  const { account, accountAmount: own, amount } = allocation
  const owed = { ...allocation, account: LedgerAccount.receivable(payment.org_id, own.currency) }
  const side = organizationAccount(payment)
  const reserved = heldInReserve(payment, books, side).minor
  const covered = reserved + (balance.isPositive ? balance.minor : 0n)
  const paid = share(amount, covered, -own.minor)
  if (account !== side || accountKind(side) !== "virtual" || covered >= -own.minor || paid.isZero) return [owed]
  const rest = (whole: Money, minor: bigint) => new Money({ currency: whole.currency, minor: whole.minor - minor })
  return [
    { ...allocation, amount: paid, accountAmount: new Money({ currency: own.currency, minor: -covered }) },
    { ...owed, allocation_id: further, amount: rest(amount, paid.minor), accountAmount: rest(own, -covered) }
  ]
}

/**
 * Accounts on the other side of a sum, the latest first. Of received money: accounts that bore its loss, less what they got
 * back. Of missing money: accounts that an operator gave some of it.
 */
const holdersOf = ({ org_id }: Payment, { allocations }: Books, { attempt_id, money }: Sum) => {
  const sign = money.isNegative ? 1n : -1n
  const holders = new Map<LedgerAccount, { readonly amount: bigint; readonly own: Money }>()
  for (const one of allocations) {
    const isMine = one.from === "clearing" && one.attempt_id === attempt_id && one.amount.currency === money.currency
    if (!isMine || isOfBorneLoss(one) === money.isNegative) continue
    const { account, accountAmount, amount } = one
    const { currency } = accountAmount
    const holder =
      account === LedgerAccount.receivable(org_id, currency) ? LedgerAccount.settlement(org_id, currency) : account
    const before = holders.get(holder)
    holders.set(holder, {
      amount: (before?.amount ?? 0n) + sign * amount.minor,
      own: new Money({ currency, minor: (before?.own.minor ?? 0n) + sign * accountAmount.minor })
    })
  }
  return Array.from(holders, ([account, held]) => ({ account, ...held }))
    .filter(({ amount }) => amount > 0n)
    .toReversed()
}

/** Allocates a sum to the accounts on its other side, each up to its amount. */
const allocateAmong = (
  payment: Payment,
  books: Books,
  { attempt_id, money: { currency, isNegative, minor } }: Sum,
  decided: Pick<Allocation, "at" | "note"> & { readonly newId: () => string }
): ReadonlyArray<Allocation> => {
  const { at, newId, note } = decided
  const sign = isNegative ? -1n : 1n
  let left = sign * minor
  const sum = { attempt_id, money: new Money({ currency, minor }) }
  return holdersOf(payment, books, sum).flatMap(({ account, amount, own }): ReadonlyArray<Allocation> => {
    const back = left < amount ? left : amount
    if (back <= 0n) return []
    left -= back
    const mine = share(own, back, amount)
    return [
      {
        allocation_id: newId(),
        attempt_id,
        from: "clearing",
        amount: new Money({ currency, minor: sign * back }),
        accountAmount: isNegative ? mine.negate() : mine,
        account,
        note,
        by: null,
        at
      }
    ]
  })
}

/** Returns reinstated money, for example of a won dispute, to the accounts that bore its loss. */
export const allocateReinstatements = (
  payment: Payment,
  books: Books,
  { provider }: Attempt,
  moment: Pick<DecisionTime, "at" | "newId">
): ReadonlyArray<Allocation> => {
  if (books.allocations.length === 0) return []
  const decided = { ...moment, note: `${provider} gave it back.` }
  return unallocatedOf(payment, books)
    .filter(({ money }) => money.isPositive)
    .flatMap((rest) => allocateAmong(payment, books, rest, decided))
}

const lackingOf = (of: NetByAttempt, { attempt_id, money }: Sum): bigint => {
  const { minor } = netOf(of, attempt_id, money.currency)
  return minor < 0n ? -minor : 0n
}

/**
 * Reverses allocations of a partial return once all has come back. The organisation owes what its account cannot pay.
 * `before`: unallocated money until then. `returnedInFull`: amount that the organisation gets back with this change.
 */
export const reversePartialAllocations = (
  payment: Payment,
  books: Books,
  before: NetByAttempt,
  { provider }: Attempt,
  moment: Pick<DecisionTime, "at" | "newId"> & { readonly returnedInFull: Money }
): ReadonlyArray<Allocation> => {
  if (books.allocations.length === 0) return []
  const { org_id } = payment
  const side = organizationAccount(payment)
  const decided = { ...moment, note: `A part of what ${provider} sent back in all.` }
  const reversing = unallocatedOf(payment, books).flatMap((rest) => {
    const minor = lackingOf(before, rest) - lackingOf([rest], rest)
    const money = new Money({ currency: rest.money.currency, minor })
    return minor < 0n ? allocateAmong(payment, books, { ...rest, money }, decided) : []
  })
  return reversing.map((one) => {
    const isCovered = one.account === side && -one.accountAmount.minor <= moment.returnedInFull.minor
    return isCovered || accountKind(one.account) === "own"
      ? one
      : { ...one, account: LedgerAccount.receivable(org_id, one.accountAmount.currency) }
  })
}
