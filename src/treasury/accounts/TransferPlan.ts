/** What a transfer takes from one account and gives to the other, as a pure function, and the postings for it. */
import type { BigDecimal } from "effect"
import { Either, Option } from "effect"
import { given } from "../../domain/Exchange.ts"
import { Invalid, RateMismatch } from "../../domain/Failure.ts"
import { LedgerAccount, move, type Posting } from "../../domain/Ledger.ts"
import { checkLocked, type LockedRate } from "../../domain/LockedRate.ts"
import { Money } from "../../domain/Money.ts"
import type { Rate } from "../../domain/Rate.ts"
import { booksOf, type VirtualAccount } from "./VirtualAccount.ts"

export interface Amounts {
  readonly paid: Money
  readonly received: Money
  /** Null where both are in one currency. */
  readonly rate: Rate | null
}

export interface Sides {
  readonly from: VirtualAccount
  readonly to: VirtualAccount
}

export const amountIn = (
  { currency }: Pick<VirtualAccount, "currency">,
  amount: BigDecimal.BigDecimal
): Either.Either<Money, Invalid> =>
  Either.mapLeft(Money.fromDecimal(amount, currency), (why) => new Invalid({ message: `amount: ${why}.` }))

const exchanged = (
  paid: Money,
  { to }: Sides,
  lock: Option.Option<LockedRate>
): Either.Either<Amounts, Invalid | RateMismatch> => {
  if (Option.isNone(lock)) {
    const message = "org_rate_id: is not a rate that was locked for this organisation; look it up again."
    return Either.left(new RateMismatch({ message }))
  }
  const checked = checkLocked(lock.value, paid.currency, to.currency)
  if (Either.isLeft(checked)) return Either.left(new RateMismatch({ message: checked.left }))
  const received = given(paid, checked.right)
  return received.isZero
    ? Either.left(new Invalid({ message: `amount: is worth nothing in ${to.currency}; send more.` }))
    : Either.right({ paid, received, rate: checked.right.rate })
}

/** `lock`: the rate that was named, none when it is not one of the organisation's; undefined when none was named. */
export const transferAmounts = (
  amount: BigDecimal.BigDecimal,
  sides: Sides,
  lock: Option.Option<LockedRate> | undefined
): Either.Either<Amounts, Invalid | RateMismatch> =>
  Either.flatMap(amountIn(sides.from, amount), (paid): Either.Either<Amounts, Invalid | RateMismatch> => {
    const { from, to } = sides
    if (from.currency === to.currency) return Either.right({ paid, received: paid, rate: null })
    if (lock !== undefined) return exchanged(paid, sides, lock)
    const message = `org_rate_id: is needed from ${from.currency} to ${to.currency}: look the rate up first.`
    return Either.left(new Invalid({ message }))
  })

/** Through `fx` where the currencies differ. */
export const transferPostings = ({ from, to }: Sides, { paid, received }: Amounts): ReadonlyArray<Posting> =>
  from.currency === to.currency
    ? move(booksOf(from), booksOf(to), paid)
    : [
        ...move(booksOf(from), LedgerAccount.fx(from.currency), paid),
        ...move(LedgerAccount.fx(to.currency), booksOf(to), received)
      ]
