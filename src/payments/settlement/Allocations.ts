/** Giving a place to money that waits in clearing: to the organisation, or borne by it. Pure. */
import { LedgerAccount } from "../../domain/Ledger.ts"
import { Money } from "../../domain/Money.ts"
import type { Sum } from "../../domain/Position.ts"
import type { Allocation, Attempt, Books, Payment, Refund } from "../store/Payment.ts"
import { ownSide, restOf } from "../store/PaymentPostings.ts"
import { organizationAccountThrough } from "../store/FundingAccounts.ts"
import { givenBack } from "./Movements.ts"

const share = (whole: Money, part: bigint, of: bigint): Money =>
  new Money({ currency: whole.currency, minor: (whole.minor * part) / of })

/** A refund that was given up and went nevertheless, where that is what is lacking. */
export const strayedRefund = (
  payment: Payment,
  { movements }: Pick<Books, "movements">,
  { money }: Pick<Sum, "money">
): Refund | undefined =>
  payment.refunds.find(
    ({ amount, of, refund_id, state }) =>
      of === undefined &&
      state === "failed" &&
      amount.currency === money.currency &&
      amount.minor === -money.minor &&
      givenBack(movements, refund_id, amount.currency).minor >= amount.minor
  )

/** What the organisation has on its side for a sum: of a refund that went after it was given up, what that part cost. */
const ownFor = (payment: Payment, { money, movements }: Waiting): Money => {
  const strayed = strayedRefund(payment, { movements }, { money })
  if (strayed !== undefined) return strayed.target.negate()
  return money.isNegative ? ownSide(payment, money.negate(), true).negate() : ownSide(payment, money, false)
}

/** Money without a place, and what was heard of the payment's money. */
interface Waiting extends Pick<Books, "movements">, Pick<Allocation, "from"> {
  readonly money: Money
}

interface Decided {
  readonly allocation_id: string
  readonly note: string
  readonly by: string | null
  readonly at: Date
}

/** Money of an attempt that the organisation gets, or bears. `through`: the attempt that moved it. */
export const toOrganization = (
  payment: Payment,
  through: Pick<Attempt, "account" | "attempt_id" | "own">,
  waiting: Waiting,
  decided: Decided
): Allocation => {
  const { from, money } = waiting
  const own = from === "ramp" ? money : ownFor(payment, waiting)
  return {
    ...decided,
    attempt_id: through.attempt_id,
    from,
    amount: money,
    own,
    account: organizationAccountThrough(payment, through, own.currency)
  }
}

/** The same as a debt of the organisation, which has too little to bear it. */
export const asReceivable = (payment: Payment, allocation: Allocation): Allocation => ({
  ...allocation,
  account: LedgerAccount.receivable(payment.org_id, allocation.own.currency)
})

/** What an organisation bears of an attempt's money so far. */
const borneOf = ({ allocations }: Books, { attempt_id, money }: Sum) =>
  allocations.filter(
    (one) => one.from === "clearing" && one.attempt_id === attempt_id && one.amount.currency === money.currency
  )

/** What the organisation had borne goes back to it when the provider gives it back, such as after a dispute that was won. */
export const givenBackByRule = (
  payment: Payment,
  books: Books,
  { provider }: Attempt,
  moment: { readonly at: Date; readonly newId: () => string }
): ReadonlyArray<Allocation> => {
  if (books.allocations.length === 0) return []
  return restOf(payment, books).flatMap((rest) => {
    const mine = borneOf(books, rest)
    const amount = mine.reduce((sum, one) => sum + one.amount.minor, 0n)
    const last = mine.findLast((one) => one.amount.isNegative)
    if (!rest.money.isPositive || amount >= 0n || last === undefined) return []
    const back = rest.money.minor < -amount ? rest.money.minor : -amount
    const own = mine.reduce((sum, one) => sum + one.own.minor, 0n)
    const paid = new Money({ currency: last.own.currency, minor: -own })
    const account =
      last.account === LedgerAccount.receivable(payment.org_id, paid.currency)
        ? LedgerAccount.settlement(payment.org_id, paid.currency)
        : last.account
    return [
      {
        allocation_id: moment.newId(),
        attempt_id: rest.attempt_id,
        from: "clearing",
        amount: new Money({ currency: rest.money.currency, minor: back }),
        own: share(paid, back, -amount),
        account,
        note: `${provider} gave it back.`,
        by: null,
        at: moment.at
      }
    ]
  })
}
