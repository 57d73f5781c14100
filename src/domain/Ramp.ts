/** The arithmetic of a crypto ramp: whether a client's rate is still good, and how much crypto goes with an amount of fiat. */
import { BigDecimal, Either } from "effect"
import type { CryptoAssetCode } from "./CryptoAsset.ts"
import { given, taken } from "./Exchange.ts"
import type { Money } from "./Money.ts"
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

export interface RampTrade {
  readonly direction: RampDirection
  readonly fiat: Money
  readonly asset: CryptoAssetCode
  /** From fiat to crypto for an on-ramp, from crypto to fiat for an off-ramp. */
  readonly rate: Rate
}

/** What the customer gets by an on-ramp rounds down, what they owe for an off-ramp rounds up; nothing is no trade. */
export const rampAmounts = ({ asset, direction, fiat, rate }: RampTrade): Either.Either<Money, string> => {
  const crypto =
    direction === "on_ramp"
      ? given(fiat, { from: fiat.currency, to: asset, rate })
      : taken(fiat, { from: asset, to: fiat.currency, rate })
  return crypto.isPositive
    ? Either.right(crypto)
    : Either.left(`is too small: ${fiat.toString()} buys less than the smallest amount of ${asset}`)
}
