/** What a payer pays so that the organisation receives an amount, and the other way round. */
import { BigDecimal } from "effect"
import type { CurrencyCode } from "../domain/Currency.ts"
import { divideRounded } from "../domain/Decimal.ts"
import { exponentOfAny } from "../domain/CryptoAsset.ts"
import { Money } from "../domain/Money.ts"
import type { Rate } from "../domain/Rate.ts"

/** Both sides agree at the locked rate; without one they are the same amount. */
export interface Price {
  readonly pays: Money
  readonly receives: Money
  readonly orgRateId: string | null
}

const powerOfTen = (exponent: number): bigint => 10n ** BigInt(Math.max(0, exponent))

/** The least that is worth the wanted amount: what a customer owes rounds up. */
const leastWorth = (wanted: Money, payerCurrency: CurrencyCode, rate: Rate): Money => {
  const { scale, value } = BigDecimal.normalize(rate)
  const dividend = wanted.minor * powerOfTen(scale) * powerOfTen(exponentOfAny(payerCurrency))
  const divisor = value * powerOfTen(-scale) * powerOfTen(wanted.exponent)
  return new Money({ currency: payerCurrency, minor: divideRounded(dividend, divisor, "ceiling") })
}

export const samePrice = (money: Money): Price => ({ pays: money, receives: money, orgRateId: null })

interface Locked {
  readonly orgRateId: string
  /** From the payer's currency to the organisation's. */
  readonly rate: Rate
}

export const priceOfPaying = (pays: Money, currency: CurrencyCode, { orgRateId, rate }: Locked): Price => ({
  pays,
  receives: pays.multiplyByRate(rate, currency, "half-even"),
  orgRateId
})

/** Where the payer's smallest coin is worth more than the organisation's, it receives a little more than it asked for. */
export const priceOfReceiving = (wanted: Money, currency: CurrencyCode, payer: CurrencyCode, locked: Locked): Price =>
  priceOfPaying(leastWorth(wanted, payer, locked.rate), currency, locked)
