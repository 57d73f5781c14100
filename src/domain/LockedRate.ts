/** A rate that an organisation was quoted and may use until it expires, and whether a payment's amounts agree with it. */
import { Either } from "effect"
import type { AnyCurrencyCode } from "./CryptoAsset.ts"
import type { Money } from "./Money.ts"
import type { Rate } from "./Rate.ts"

export interface LockedRate {
  readonly from: AnyCurrencyCode
  readonly to: AnyCurrencyCode
  readonly rate: Rate
  readonly expiresAt: Date
}

/** The left side says what is wrong and what to change, for a `RateMismatch`. */
export const checkLocked = (
  { expiresAt, from, rate, to }: LockedRate,
  { amount, now, target }: { readonly amount: Money; readonly target: Money; readonly now: Date }
): Either.Either<Rate, string> => {
  if (from !== amount.currency || to !== target.currency) {
    return Either.left(
      `org_rate_id: is locked for ${from} to ${to}, not for ${amount.currency} to ${target.currency}; look that rate up.`
    )
  }
  if (expiresAt.getTime() <= now.getTime()) {
    return Either.left(`org_rate_id: expired at ${expiresAt.toISOString()}; look the rate up again.`)
  }
  const worth = amount.multiplyByRate(rate, to, "half-even")
  return worth.minor === target.minor
    ? Either.right(rate)
    : Either.left(`target_amount: must be ${worth.toNumericText()}, which is amount times the locked rate.`)
}
