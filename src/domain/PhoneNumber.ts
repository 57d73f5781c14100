/** Phone numbers: read in international or national form, kept as E.164. */
import { Either, Option } from "effect"
import {
  type CountryCode as PhoneCountry,
  getCountryCallingCode,
  isSupportedCountry,
  parsePhoneNumberFromString
} from "libphonenumber-js/min"
import { type CountryCode, isCountryCode } from "./Country.ts"
import { setBounded } from "./BoundedMap.ts"

/** A few uninhabited places have no numbers of their own. */
const numberedCountry = (country: CountryCode): PhoneCountry | undefined =>
  isSupportedCountry(country) ? country : undefined

const read = (text: string, country: CountryCode) => {
  const defaultCountry = numberedCountry(country)
  return parsePhoneNumberFromString(text, {
    extract: false,
    ...(defaultCountry === undefined ? {} : { defaultCountry })
  })
}

/** A number that is possible. */
interface Possible {
  readonly number: string
  readonly callingCode: string
}

const possibleIn = (text: string, country: CountryCode): Possible | undefined => {
  const phone = read(text, country)
  return phone === undefined || !phone.isPossible() || phone.ext !== undefined
    ? undefined
    : { number: phone.number, callingCode: phone.countryCallingCode }
}

/** Recently parsed numbers: checking, routing and sending a payment read the same one. */
const lately = new Map<string, Possible | undefined>()
const REMEMBERED = 256
const LONGEST_REMEMBERED = 40

const parse = (text: string, country: CountryCode): Possible | undefined => {
  const key = `${country} ${text}`
  if (lately.has(key)) return lately.get(key)
  const phone = possibleIn(text, country)
  if (text.length > LONGEST_REMEMBERED) return phone
  setBounded(lately, REMEMBERED, key, phone)
  return phone
}

/** National form is read as a number of `country`; international form may name any other. */
export const readPhoneNumber = (text: string, country: CountryCode): Either.Either<string, string> => {
  const phone = parse(text, country)
  return phone === undefined
    ? Either.left(
        `is not a possible phone number of ${country}: write it like +254712345678, or in that country's own form`
      )
    : Either.right(phone.number)
}

/** Countries that share a calling code, such as the United Kingdom and Jersey, are not told apart. */
export const readPhoneNumberOf = (text: string, country: CountryCode): Either.Either<string, string> =>
  Either.filterOrLeft(
    readPhoneNumber(text, country),
    () => {
      const numbered = numberedCountry(country)
      return numbered !== undefined && parse(text, country)?.callingCode === getCountryCallingCode(numbered)
    },
    () => `is not a number of ${country}`
  )

/** A number without its country's code, in full for each of these countries that it can be one of; one in full is none. */
export const numbersInFull = (text: string, countries: Iterable<CountryCode>): ReadonlyArray<string> =>
  /^\s*(?:\+|00)/.test(text)
    ? []
    : Array.from(countries).flatMap((country) => {
        const phone = read(text, country)
        return phone?.isValid() === true && phone.ext === undefined ? [phone.number as string] : []
      })

/** Where a number in international form belongs; none where several countries share its code and it fits no one of them. */
export const countryOfPhoneNumber = (text: string): Option.Option<CountryCode> =>
  Option.filter(Option.fromNullable(parsePhoneNumberFromString(text, { extract: false })?.country), isCountryCode)
