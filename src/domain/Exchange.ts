/**
 * Money that changes its currency; nothing else multiplies or divides it by a rate. What the service gives is rounded
 * down and what it takes is rounded up, so that no walk through currencies ends with more than it began with.
 */
import { BigDecimal, Either, Schema } from "effect"
import { type AnyCurrencyCode, computedScaleOf } from "./Currency.ts"
import { divideRounded, type Rounding, roundToSignificantDigits, significantDigits } from "./Decimal.ts"
import { Money } from "./Money.ts"

/**
 * Exchange rates: decimals of at most 12 significant digits, so that the rate a client was quoted, the rate that
 * is stored and the rate that is multiplied are the same number.
 */
export const rateDigits = 12

const refusal = (d: BigDecimal.BigDecimal): string | undefined => {
  if (d.value <= 0n) return "is not above zero"
  return significantDigits(d) > rateDigits ? `has more than ${rateDigits} significant digits` : undefined
}

export const Rate = Schema.BigDecimalFromSelf.pipe(
  Schema.filter((d) => refusal(d) ?? true),
  Schema.brand("Rate")
).annotations({ identifier: "Rate" })
export type Rate = typeof Rate.Type

/** Basis points taken off a rate; 10,000 would leave nothing. */
export const BasisPoints = Schema.Int.pipe(Schema.between(0, 9_999), Schema.brand("BasisPoints")).annotations({
  identifier: "BasisPoints",
  description: "Hundredths of a percent, 0 to 9999."
})
export type BasisPoints = typeof BasisPoints.Type

export const fromDecimal = (d: BigDecimal.BigDecimal): Either.Either<Rate, string> => {
  const why = refusal(d)
  return why === undefined ? Either.right(Rate.make(BigDecimal.normalize(d))) : Either.left(why)
}

/** Cross rate from a to c, rounded down like every derived rate. */
export const cross = (a: Rate, b: Rate): Rate =>
  Rate.make(roundToSignificantDigits(BigDecimal.multiply(a, b), rateDigits, "floor"))

const inverse = (rate: Rate, rounding: "floor" | "ceiling"): Rate => {
  const scale = rateDigits - 1 + rate.value.toString().length - rate.scale
  const quotient = divideRounded(10n ** BigInt(rate.scale + scale), rate.value, rounding)
  return Rate.make(BigDecimal.normalize(BigDecimal.make(quotient, scale)))
}

/** From b to a, given a to b: the exact quotient, rounded down once, so that there and back is never more than one. */
export const invert = (rate: Rate): Rate => inverse(rate, "floor")

/** How much of b one unit of a costs, given b to a: the exact quotient, rounded up once. */
export const costAt = (rate: Rate): Rate => inverse(rate, "ceiling")

/** The worse of two rates for the customer. */
export const worse = (a: Rate, b: Rate): Rate => (BigDecimal.lessThan(b, a) ? b : a)

/** The rate, but never better than the inverse of the way back. */
export const cappedByInverse = (rate: Rate, wayBack: Rate): Rate => worse(rate, invert(wayBack))

const tenth = BigDecimal.make(1n, 1)

/** Whether the rate is more than 10 percent away from the one before. */
export const jumps = (rate: Rate, before: Rate): boolean =>
  BigDecimal.greaterThan(BigDecimal.abs(BigDecimal.subtract(rate, before)), BigDecimal.multiply(before, tenth))

const tolerance = BigDecimal.make(1_005n, 3)

/** Whether a rate is more than 0.5 percent better for the customer than the live one. */
export const exceeds = (rate: Rate, live: Rate): boolean =>
  BigDecimal.greaterThan(rate, BigDecimal.multiply(live, tolerance))

/** Lowers the rate, and rounds down: the customer gives the source currency and receives less of the target. */
export const applySpread = (rate: Rate, spread: BasisPoints): Rate =>
  Rate.make(
    roundToSignificantDigits(
      BigDecimal.multiply(rate, BigDecimal.make(10_000n - BigInt(spread), 4)),
      rateDigits,
      "floor"
    )
  )

/** One unit of `from` is worth `rate` units of `to`, both ways. */
export interface Exchange {
  readonly from: AnyCurrencyCode
  readonly to: AnyCurrencyCode
  readonly rate: Rate
}

const powerOfTen = (exponent: number): bigint => 10n ** BigInt(Math.max(0, exponent))

/** To the digits that the service computes in that currency, from the exact quotient, rounded once. */
const converted = (money: Money, { from, rate, to }: Exchange, rounding: Rounding): Money => {
  const forward = money.currency === from
  if (!forward && money.currency !== to) throw new Error(`${money.toString()} is not changed by ${from} to ${to}`)
  const currency = forward ? to : from
  const scale = computedScaleOf(currency)
  const power = forward ? scale - money.exponent - rate.scale : scale - money.exponent + rate.scale
  const [over, under] = forward ? [rate.value, 1n] : [1n, rate.value]
  const units = divideRounded(money.minor * over * powerOfTen(power), under * powerOfTen(-power), rounding)
  return new Money({ currency, minor: units * powerOfTen(Money.zero(currency).exponent - scale) })
}

/** Amount that the service pays for `money` in the other currency. Zero: no exchange. */
export const given = (money: Money, exchange: Exchange): Money => converted(money, exchange, "floor")

/** Amount that the service charges for `money` in the other currency. */
export const taken = (money: Money, exchange: Exchange): Money => converted(money, exchange, "ceiling")

/** Amount that callers compute: half-even, as in the contract. For comparison within a tolerance only. */
export const expected = (money: Money, exchange: Exchange): Money => converted(money, exchange, "half-even")

/** Of its target, what the rounding of an initiation may be worth. */
export const toleratedShare = BigDecimal.make(5n, 3)

/** At most half a percent of the target away from what the amount is worth, by exact arithmetic. */
export const withinTolerance = (amount: Money, target: Money, { rate }: Pick<Exchange, "rate">): boolean =>
  BigDecimal.lessThanOrEqualTo(
    BigDecimal.abs(BigDecimal.subtract(target.toDecimal(), BigDecimal.multiply(amount.toDecimal(), rate))),
    BigDecimal.multiply(target.toDecimal(), toleratedShare)
  )
