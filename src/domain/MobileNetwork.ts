/**
 * The mobile money networks that a payer or beneficiary can be on, per country.
 */
import { Option } from "effect"
import { CountryCode, defaultCurrencyOf } from "./Country.ts"
import type { CurrencyCode } from "./Currency.ts"

export interface MobileNetwork {
  readonly name: string
  readonly code: string
  readonly country: CountryCode
  readonly currency: CurrencyCode
}

const names = {
  airtel: "Airtel Money",
  airteltigo: "AirtelTigo Money",
  mpesa: "M-Pesa",
  mtn: "MTN MoMo",
  orange: "Orange Money",
  telecel: "Telecel Cash",
  tigo: "Tigo Pesa",
  wave: "Wave",
  zamtel: "Zamtel Money"
} as const

const codesByCountry: Record<string, ReadonlyArray<keyof typeof names>> = {
  CI: ["orange", "wave", "mtn"],
  GH: ["mtn", "telecel", "airteltigo"],
  KE: ["mpesa", "airtel"],
  RW: ["mtn", "airtel"],
  SN: ["orange", "wave"],
  TZ: ["mpesa", "airtel", "tigo"],
  UG: ["mtn", "airtel"],
  ZM: ["mtn", "airtel", "zamtel"]
}

const networksByCountry: ReadonlyMap<CountryCode, ReadonlyArray<MobileNetwork>> = new Map(
  Object.entries(codesByCountry).map(([text, codes]) => {
    const country = CountryCode.make(text)
    const currency = defaultCurrencyOf(country)
    return [country, codes.map((code) => ({ name: names[code], code, country, currency }))]
  })
)

export const mobileMoneyCountries: ReadonlyArray<CountryCode> = Array.from(networksByCountry.keys())

export const networksOfCountry = (country: CountryCode): ReadonlyArray<MobileNetwork> =>
  networksByCountry.get(country) ?? []

/** By name or code, in any case. */
export const findNetwork = (country: CountryCode, nameOrCode: string): Option.Option<MobileNetwork> => {
  const wanted = nameOrCode.toLowerCase()
  return Option.fromNullable(
    networksOfCountry(country).find(
      (network) => network.code.toLowerCase() === wanted || network.name.toLowerCase() === wanted
    )
  )
}
