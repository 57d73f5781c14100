/** Which currencies Adyen takes, and how it counts them where that is not as ISO 4217 does. */
import { Either, Option } from "effect"
import type { Money } from "../../domain/Money.ts"
import { Declined } from "../../domain/Outcome.ts"
import { minorText, moneyOfMinor } from "../port/WireValues.ts"

const ownExponents: Readonly<Record<string, number>> = { CLP: 2, CVE: 0, IDR: 0, ISK: 2 }

export const cardCurrencies = (
  "AED ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BHD BMD BND BOB BRL BSD BWP BYN BZD CAD CHF CLP CNY COP CRC CVE CZK DJF DKK " +
  "DOP DZD EGP ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD ISK JMD JOD JPY KES KGS KHR " +
  "KMF KRW KWD KYD KZT LAK LBP LKR LYD MAD MDL MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB " +
  "PEN PGK PHP PKR PLN PYG QAR RON RSD RWF SAR SBD SCR SEK SGD SHP SLE SOS SRD STN SZL THB TND TOP TRY TTD TWD TZS UAH UGX " +
  "USD UYU UZS VND VUV WST XAF XCD XOF XPF YER ZAR ZMW"
).split(" ")

export interface Amount {
  readonly currency: string
  readonly value: bigint
}

export const amountOf = (money: Money): Either.Either<Amount, Declined> =>
  Option.match(minorText(money, ownExponents[money.currency]), {
    onNone: () =>
      Either.left(new Declined({ reason: `Adyen cannot be asked for exactly ${money}`, code: "NOT_SUPPORTED" })),
    onSome: (text) => Either.right({ currency: money.currency, value: BigInt(text) })
  })

export const moneyIn = ({ currency, value }: { readonly currency: string; readonly value: string }) =>
  moneyOfMinor(value, currency, ownExponents[currency.toUpperCase()])
