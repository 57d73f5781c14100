/**
 * Money that changes its currency; nothing else multiplies or divides it by a rate. What the service gives is rounded
 * down and what it takes is rounded up, so that no walk through currencies ends with more than it began with.
 */
import { BigDecimal } from "effect"
import { type AnyCurrencyCode, computedScaleOf } from "./CryptoAsset.ts"
import { divideRounded, type Rounding } from "./Decimal.ts"
import { Money } from "./Money.ts"
import type { Rate } from "./Rate.ts"

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

/** What the service gives for `money`, in the other currency of the exchange. May be nothing: then there is no exchange. */
export const given = (money: Money, exchange: Exchange): Money => converted(money, exchange, "floor")

/** What the service takes for `money`, in the other currency of the exchange. */
export const taken = (money: Money, exchange: Exchange): Money => converted(money, exchange, "ceiling")

/** What callers compute themselves: half-even, as the contract has it. Only to compare with, and within a tolerance. */
export const expected = (money: Money, exchange: Exchange): Money => converted(money, exchange, "half-even")

/** Of its target, what the rounding of an initiation may be worth. */
export const toleratedShare = BigDecimal.make(5n, 3)

/** At most half a percent of the target away from what the amount is worth, by exact arithmetic. */
export const withinTolerance = (amount: Money, target: Money, { rate }: Pick<Exchange, "rate">): boolean =>
  BigDecimal.lessThanOrEqualTo(
    BigDecimal.abs(BigDecimal.subtract(target.toDecimal(), BigDecimal.multiply(amount.toDecimal(), rate))),
    BigDecimal.multiply(target.toDecimal(), toleratedShare)
  )
