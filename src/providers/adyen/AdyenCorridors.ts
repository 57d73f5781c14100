/** Currencies and amounts of Adyen, and bank accounts: by IBAN, or in the way of one country. */
import { Either } from "effect"
import { compactIban, startsLikeIban } from "../../domain/AccountFormat.ts"
import { Declined } from "../../domain/Outcome.ts"
import type { BankAccount } from "../port/Provider.ts"
import { type Served, serving } from "../port/ThirdParty.ts"
import type { Money } from "../../domain/Money.ts"
import { minorText, moneyOfMinor } from "../client/WireValues.ts"
import { exactAmount } from "../client/ProviderReplies.ts"

export const cardCurrencies = (
  "AED ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BHD BMD BND BOB BRL BSD BWP BYN BZD CAD CHF CLP CNY COP CRC CVE CZK DJF DKK " +
  "DOP DZD EGP ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD ISK JMD JOD JPY KES KGS KHR " +
  "KMF KRW KWD KYD KZT LAK LBP LKR LYD MAD MDL MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB " +
  "PEN PGK PHP PKR PLN PYG QAR RON RSD RWF SAR SBD SCR SEK SGD SHP SLE SOS SRD STN SZL THB TND TOP TRY TTD TWD TZS UAH UGX " +
  "USD UYU UZS VND VUV WST XAF XCD XOF XPF YER ZAR ZMW"
).split(" ")

interface LocalAccount {
  readonly type: string
  readonly currency: string
  readonly number: RegExp
  /** Field for the code of the bank, where the number does not hold it already. */
  readonly bank?: readonly [field: string, is: RegExp]
}

const localAccounts: Readonly<Record<string, LocalAccount>> = {
  AU: { type: "auLocal", currency: "AUD", number: /^\d{5,9}$/, bank: ["bsbCode", /^\d{6}$/] },
  CZ: { type: "czLocal", currency: "CZK", number: /^[\d-]{2,17}$/, bank: ["bankCode", /^\d{4}$/] },
  DK: { type: "dkLocal", currency: "DKK", number: /^\d{4,10}$/, bank: ["bankCode", /^\d{4}$/] },
  GB: { type: "ukLocal", currency: "GBP", number: /^\d{8}$/, bank: ["sortCode", /^\d{6}$/] },
  HK: { type: "hkLocal", currency: "HKD", number: /^\d{9,17}$/, bank: ["clearingCode", /^\d{3}$/] },
  HU: { type: "huLocal", currency: "HUF", number: /^\d{24}$/ },
  NO: { type: "noLocal", currency: "NOK", number: /^\d{11}$/ },
  NZ: { type: "nzLocal", currency: "NZD", number: /^\d{15,16}$/ },
  PL: { type: "plLocal", currency: "PLN", number: /^\d{26}$/ },
  SE: { type: "seLocal", currency: "SEK", number: /^\d{7,10}$/, bank: ["clearingNumber", /^\d{4,5}$/] },
  SG: { type: "sgLocal", currency: "SGD", number: /^\d{4,19}$/, bank: ["bic", /^[A-Z0-9]{8}([A-Z0-9]{3})?$/] },
  US: { type: "usLocal", currency: "USD", number: /^\d{2,18}$/, bank: ["routingNumber", /^\d{9}$/] }
}

export const serves: ReadonlyArray<Served> = [
  ...serving("inbound", "card", "everywhere", cardCurrencies),
  ...serving("outbound", "bank_transfer", "AT BE CY DE EE ES FI FR GR HR IE IT LT LU LV MT NL PT SI SK", "EUR"),
  ...Object.entries(localAccounts).flatMap(([country, { currency }]) =>
    serving("outbound", "bank_transfer", country, currency)
  )
]

export type Identification = Readonly<Record<string, string>>

const cannot = (reason: string): Declined => new Declined({ reason, code: "ACCOUNT_INVALID" })

/** Of codes such as 12-34-56 and of grouped numbers, only what counts. */
const bare = (text: string): string => text.replaceAll(/[\s-]/g, "")

const local = ({ accountNumber, bankCode }: BankAccount, country: string): Either.Either<Identification, Declined> => {
  const known = localAccounts[country]
  if (known === undefined) return Either.left(cannot(`Adyen pays accounts in ${country} by their IBAN`))
  const number = country === "CZ" ? accountNumber : bare(accountNumber)
  if (!known.number.test(number)) return Either.left(cannot(`the account number is not one of ${country}`))
  const named = { type: known.type, accountNumber: number }
  if (known.bank === undefined) return Either.right(named)
  const [field, is] = known.bank
  const code = bare(bankCode ?? "")
  return is.test(code)
    ? Either.right({ ...named, [field]: code })
    : Either.left(cannot(`Adyen needs the ${field} of an account in ${country}`))
}

export const identificationOf = (bank: BankAccount, country: string): Either.Either<Identification, Declined> =>
  startsLikeIban(bank.accountNumber)
    ? Either.right({ type: "iban", iban: compactIban(bank.accountNumber) })
    : local(bank, bank.country ?? country)

/** Currencies that Adyen counts otherwise than ISO 4217 does. */
const ownExponents: Readonly<Record<string, number>> = { CLP: 2, CVE: 0, IDR: 0, ISK: 2 }

export const adyenDigits = (currency: string): number | undefined => ownExponents[currency]

export interface Amount {
  readonly currency: string
  readonly value: bigint
}

export const amountOf = (money: Money): Either.Either<Amount, Declined> =>
  Either.map(exactAmount("Adyen", money, minorText(money, ownExponents[money.currency])), (text) => ({
    currency: money.currency,
    value: BigInt(text)
  }))

export const moneyIn = ({ currency, value }: { readonly currency: string; readonly value: string }) =>
  moneyOfMinor(value, currency, ownExponents[currency.toUpperCase()])
