/** What a payer pays so that the organisation receives an amount, and the other way round. */
import type { CurrencyCode } from "../../domain/Currency.ts"
import { given, taken } from "../../domain/Exchange.ts"
import type { Money } from "../../domain/Money.ts"
import type { Rate } from "../../domain/Rate.ts"

/** Both sides agree at the rate, which is locked where there is an id; in one currency they are the same amount. */
export interface Price {
  readonly pays: Money
  readonly receives: Money
  readonly orgRateId: string | null
  /** From the payer's currency to the organisation's; null in one currency. */
  readonly rate: Rate | null
}

export const samePrice = (money: Money): Price => ({ pays: money, receives: money, orgRateId: null, rate: null })

interface Quoted {
  readonly orgRateId: string | null
  /** From the payer's currency to the organisation's. */
  readonly rate: Rate
}

/** What was paid is worth this much to the organisation, or a little less. */
export const priceOfPaying = (pays: Money, currency: CurrencyCode, { orgRateId, rate }: Quoted): Price => ({
  pays,
  receives: given(pays, { from: pays.currency, to: currency, rate }),
  orgRateId,
  rate
})

/**
 * The least that is worth the wanted amount. Where the payer's smallest coin is worth more than the organisation's, it
 * receives a little more than it asked for.
 */
export const priceOfReceiving = (wanted: Money, currency: CurrencyCode, payer: CurrencyCode, quoted: Quoted): Price =>
  priceOfPaying(taken(wanted, { from: payer, to: currency, rate: quoted.rate }), currency, quoted)
