/**
 * What `fx` gained and lost by rounding. An exchange is all that a payment, or one transfer, passed through `fx`; what it
 * lost is what it gave beyond the worth of what it took at the exchange's own rate. Only an initiation may lose anything,
 * since its caller rounds half-even: half a unit each time, and half a percent of its target, or of what it gave where a
 * person has decided that more of it is kept.
 */
import { BigDecimal } from "effect"
import { type AnyCurrencyCode, computedScaleOf } from "../../domain/CryptoAsset.ts"
import { toleratedShare } from "../../domain/Exchange.ts"

/** Amounts are decimal text, to the last digit. */
export interface Exchanged {
  /** The payment, or the entry of a transfer. */
  readonly subject: string
  readonly from_currency: string
  readonly to_currency: string
  readonly rate: string
  readonly taken: string
  readonly given: string
  readonly lost: string
}

export interface RoundingTotal {
  readonly currency: string
  readonly exchanges: number
  readonly given_away: string
  readonly kept: string
}

export interface Rounding {
  readonly totals: ReadonlyArray<RoundingTotal>
  /** Exchanges from before rates were kept: nobody can say what they should have given. */
  readonly unchecked: number
}

/** Half of the smallest amount that is computed in a currency. */
export const halfUnitOf = (currency: AnyCurrencyCode): BigDecimal.BigDecimal =>
  BigDecimal.make(5n, computedScaleOf(currency) + 1)

export const lostBy = (
  taken: BigDecimal.BigDecimal,
  given: BigDecimal.BigDecimal,
  rate: BigDecimal.BigDecimal
): BigDecimal.BigDecimal => BigDecimal.subtract(given, BigDecimal.multiply(taken, rate))

/** What an initiation that passed `fx` with so many entries may have lost; what has no target is none. */
export const allowedLoss = (
  currency: AnyCurrencyCode,
  entries: number,
  target: BigDecimal.BigDecimal,
  given: BigDecimal.BigDecimal
): BigDecimal.BigDecimal =>
  BigDecimal.isZero(target)
    ? target
    : BigDecimal.min(
        BigDecimal.multiply(BigDecimal.max(target, given), toleratedShare),
        BigDecimal.multiply(halfUnitOf(currency), BigDecimal.make(BigInt(entries), 0))
      )
