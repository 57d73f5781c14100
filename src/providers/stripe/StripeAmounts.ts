/** Which currencies Stripe takes, and how it counts them where that is not as ISO 4217 does. */
import { Option } from "effect"
import type { Money } from "../../domain/Money.ts"
import { minorText, moneyOfMinor } from "../port/WireValues.ts"

/** ISK and UGX kept their two digits when the currencies lost theirs; the ariary has none at Stripe. */
const ownExponents: Readonly<Record<string, number>> = { ISK: 2, UGX: 2, MGA: 0 }

/** Of currencies with three digits Stripe wants the last one to be zero. */
const THREE_DIGITS = 3

export const cardCurrencies = (
  "AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BHD BIF BMD BND BOB BRL BSD BWP BYN BZD CAD CDF CHF CLP CNY COP CRC CVE " +
  "CZK DJF DKK DOP DZD EGP ETB EUR FJD FKP GBP GEL GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR ISK JMD JOD JPY KES KGS " +
  "KHR KMF KRW KWD KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD " +
  "OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SEK SGD SHP SLE SOS SRD SZL THB TJS TND TOP TRY TTD TWD " +
  "TZS UAH UGX USD UYU UZS VND VUV WST XAF XCD XOF XPF YER ZAR ZMW"
).split(" ")

/** Nothing where Stripe cannot be asked for exactly this. */
export const amountText = (money: Money): Option.Option<string> =>
  Option.filter(
    minorText(money, ownExponents[money.currency]),
    (text) => money.exponent !== THREE_DIGITS || text.endsWith("0")
  )

export const moneyIn = (amount: string, currency: string): Option.Option<Money> =>
  moneyOfMinor(amount, currency, ownExponents[currency.toUpperCase()])
