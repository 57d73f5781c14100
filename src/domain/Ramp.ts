/** The arithmetic of a crypto ramp: whether a client's rate is still good, and how much crypto goes with an amount of fiat. */
import { BigDecimal, Either } from "effect"
import { type CryptoAssetCode, computedScaleOf } from "./CryptoAsset.ts"
import { divideRounded } from "./Decimal.ts"
import { Money } from "./Money.ts"
import type { Rate } from "./Rate.ts"

export const rampDirections = ["on_ramp", "off_ramp"] as const
export type RampDirection = (typeof rampDirections)[number]

const toleratedDrift = BigDecimal.make(5n, 3)

/** At most half a percent of the live rate away from it, by exact arithmetic. */
export const withinDrift = (clientRate: BigDecimal.BigDecimal, live: BigDecimal.BigDecimal): boolean =>
  BigDecimal.lessThanOrEqualTo(
    BigDecimal.abs(BigDecimal.subtract(clientRate, live)),
    BigDecimal.multiply(live, toleratedDrift)
  )

/** The exact quotient, rounded up once, to the digits that the service computes in that asset. */
const dividedByRate = (fiat: Money, rate: Rate, asset: CryptoAssetCode): Money => {
  const scale = computedScaleOf(asset)
  const power = rate.scale + scale - fiat.exponent
  const shift = 10n ** BigInt(Math.abs(power))
  const units = divideRounded(
    power < 0 ? fiat.minor : fiat.minor * shift,
    power < 0 ? rate.value * shift : rate.value,
    "ceiling"
  )
  const { exponent } = Money.zero(asset)
  return new Money({ currency: asset, minor: units * 10n ** BigInt(exponent - scale) })
}

export interface RampTrade {
  readonly direction: RampDirection
  readonly fiat: Money
  readonly asset: CryptoAssetCode
  /** From fiat to crypto for an on-ramp, from crypto to fiat for an off-ramp. */
  readonly rate: Rate
}

/** What the customer gets by an on-ramp rounds down, what they owe for an off-ramp rounds up; nothing is no trade. */
export const rampAmounts = ({ asset, direction, fiat, rate }: RampTrade): Either.Either<Money, string> => {
  const crypto = direction === "on_ramp" ? fiat.multiplyByRate(rate, asset, "floor") : dividedByRate(fiat, rate, asset)
  return crypto.isPositive
    ? Either.right(crypto)
    : Either.left(`is too small: ${fiat.toString()} buys less than the smallest amount of ${asset}`)
}
