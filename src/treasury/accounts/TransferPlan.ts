/** What a transfer takes from one account and gives to the other, as a pure function, and the postings for it. */
import type { BigDecimal } from "effect"
import { Either, Option } from "effect"
import { given } from "../../domain/Exchange.ts"
import { Invalid, RateMismatch } from "../../domain/Failure.ts"
import { LedgerAccount, move, type Posting } from "../../domain/Ledger.ts"
import { checkLocked, type LockedRate } from "../../domain/LockedRate.ts"
import { Money } from "../../domain/Money.ts"
import { type Rate, worse } from "../../domain/Rate.ts"
import { checkLockedAmount, type LiveValues, type LockLimits } from "../../money/rates/LockUse.ts"
import { booksOf, type VirtualAccount } from "./VirtualAccount.ts"

export interface Amounts {
  readonly paid: Money
  readonly received: Money
  /** Null where both are in one currency. */
  readonly rate: Rate | null
  /** The lock that it spends; null where both are in one currency. */
  readonly orgRateId: string | null
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

/** A rate that a transfer names: none when it is not one of the organisation's, or there is no live rate beside it. */
export interface NamedRate {
  readonly lock: Option.Option<LockedRate>
  readonly values: Option.Option<LiveValues>
  readonly limits: LockLimits
}

/** At the worse of the locked and the live rate: a transfer never gains by its lock. */
const exchanged = (paid: Money, { to }: Sides, named: NamedRate): Either.Either<Amounts, Invalid | RateMismatch> =>
  Either.gen(function* () {
    const { limits, lock, values } = named
    if (Option.isNone(lock) || Option.isNone(values)) {
      const message = "org_rate_id: is not a rate that was locked for this organisation; look it up again."
      return yield* Either.left(new RateMismatch({ message }))
    }
    const locked = yield* Either.mapLeft(
      checkLocked(lock.value, paid.currency, to.currency),
      (message) => new RateMismatch({ message })
    )
    yield* checkLockedAmount(locked, paid, values.value, limits)
    const rate = worse(locked.rate, values.value.live)
    const received = given(paid, { ...locked, rate })
    return received.isZero
      ? yield* Either.left(new Invalid({ message: `amount: is worth nothing in ${to.currency}; send more.` }))
      : { paid, received, rate, orgRateId: locked.orgRateId }
  })

/** `named`: undefined when no rate was named. */
export const transferAmounts = (
  amount: BigDecimal.BigDecimal,
  sides: Sides,
  named: NamedRate | undefined
): Either.Either<Amounts, Invalid | RateMismatch> =>
  Either.flatMap(amountIn(sides.from, amount), (paid): Either.Either<Amounts, Invalid | RateMismatch> => {
    const { from, to } = sides
    if (from.currency === to.currency) return Either.right({ paid, received: paid, rate: null, orgRateId: null })
    if (named !== undefined) return exchanged(paid, sides, named)
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
