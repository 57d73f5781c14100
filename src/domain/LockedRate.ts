/** A rate that an organisation was quoted and may use until it expires, and whether a payment's amounts agree with it. */
import { type BigDecimal, Either } from "effect"
import { type Exchange, expected, given, withinTolerance } from "./Exchange.ts"
import { Invalid, RateMismatch } from "./Failure.ts"
import { Money } from "./Money.ts"

export interface LockedRate extends Exchange {
  readonly orgRateId: string
  /** The only amount that it is good for, in `from`; null: any amount up to a limit. */
  readonly amount: BigDecimal.BigDecimal | null
  readonly isUsed: boolean
  readonly expiresAt: Date
  /** Read time by the store's clock, which alone decides about expiry. */
  readonly readAt: Date
}

interface ConvertedAmounts {
  readonly amount: Money
  readonly target: Money
}

/** The left side says what is wrong and what to change, for a `RateMismatch`. */
export const checkLocked = <Lock extends LockedRate>(
  lock: Lock,
  from: Money["currency"],
  to: Money["currency"]
): Either.Either<Lock, string> => {
  if (lock.from !== from || lock.to !== to) {
    return Either.left(
      `org_rate_id: is locked for ${lock.from} to ${lock.to}, not for ${from} to ${to}; look that rate up.`
    )
  }
  return lock.expiresAt.getTime() <= lock.readAt.getTime()
    ? Either.left(`org_rate_id: expired at ${lock.expiresAt.toISOString()}; look the rate up again.`)
    : Either.right(lock)
}

/** Checks that `target` is the amount at this rate. Small amounts whose rounding alone would be a gain are refused. */
export const checkTarget = (
  exchange: Exchange,
  { amount, target }: ConvertedAmounts
): Either.Either<void, Invalid | RateMismatch> => {
  const worth = expected(amount, exchange)
  if (worth.isZero) {
    const message = `target_amount: ${amount.toString()} are worth less than the smallest amount of ${exchange.to}; send more.`
    return Either.left(new RateMismatch({ message }))
  }
  if (worth.minor !== target.minor) {
    const message = `target_amount: must be ${worth.toNumericText()}, which is amount times the locked rate.`
    return Either.left(new RateMismatch({ message }))
  }
  if (withinTolerance(amount, target, exchange)) return Either.void
  return Either.left(
    new Invalid({
      message: `target_amount: ${target.toString()} is more than 0.5 percent away from what ${amount.toString()} are worth, since it is rounded to so few digits; send a larger amount.`
    })
  )
}

/** Farthest that `convertibleNear` looks, in minor units: among 100 neighbours one becomes whole, on average. */
const NEAR = 1000n

/** Amounts next to this one, below and above, that the rate turns into a multiple of `unit`. */
export const convertibleNear = (amount: Money, exchange: Exchange, unit: bigint): ReadonlyArray<Money> => {
  const search = (step: bigint): ReadonlyArray<Money> => {
    for (let by = step; by <= NEAR && by >= -NEAR; by += step) {
      const near = new Money({ currency: amount.currency, minor: amount.minor + by })
      const worth = expected(near, exchange)
      if (near.isPositive && worth.isPositive && worth.minor % unit === 0n) return [near]
    }
    return []
  }
  return [...search(-1n), ...search(1n)]
}

/** Checks that `target` is the amount that the service computes. */
export const checkGiven = (
  exchange: Exchange,
  { amount, target }: ConvertedAmounts
): Either.Either<void, RateMismatch> =>
  given(amount, exchange).minor === target.minor && target.isPositive
    ? Either.void
    : Either.left(new RateMismatch({ message: "target_amount: is not what the amount is worth at the locked rate." }))
