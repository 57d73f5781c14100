/** What is wrong with a mobile money account: a network, a number and a currency must belong together. */
import { Either, Option } from "effect"
import type { AnyCurrencyCode } from "./CryptoAsset.ts"
import type { CountryCode } from "./Country.ts"
import { findNetwork, networksOfCountry } from "./MobileNetwork.ts"
import { readPhoneNumberOf } from "./PhoneNumber.ts"

export interface MobileMoneyAccount {
  readonly provider: string
  readonly phone_number: string
}

/** The fields by which the problems are to be named. */
export interface MobileMoneyFields {
  readonly details: string
  readonly currency: string
}

/** `field: reason` for each. */
export const mobileMoneyProblems = (
  { phone_number, provider }: MobileMoneyAccount,
  country: CountryCode,
  currency: AnyCurrencyCode,
  fields: MobileMoneyFields
): ReadonlyArray<string> => {
  const known = networksOfCountry(country).map(({ name }) => name)
  if (known.length === 0) return [`${fields.details}.provider: is not a network of ${country}; it has none`]
  const phone = readPhoneNumberOf(phone_number, country)
  const wrongPhone = Either.isLeft(phone) ? [`${fields.details}.phone_number: ${phone.left}`] : []
  return Option.match(findNetwork(country, provider), {
    onNone: () => [
      `${fields.details}.provider: is not a network of ${country}; use one of ${known.join(", ")}`,
      ...wrongPhone
    ],
    onSome: ({ currency: own, name }) => [
      ...wrongPhone,
      ...(currency === own ? [] : [`${fields.currency}: ${name} of ${country} moves ${own} only`])
    ]
  })
}
