/**
 * Countries as ISO 3166-1 names them, each with the currency and the UN M49 sub-region that routing reports use.
 */
import { Schema } from "effect"
import { countryTable } from "./CountryTable.ts"
import { CurrencyCode } from "./Currency.ts"

export interface Country {
  readonly code: CountryCode
  readonly name: string
  readonly currency: CurrencyCode
  readonly subRegion: string
}

const pattern = /^[A-Z]{2}$/
const knownCodes = new Set(countryTable.map(([code]) => code))

const refusal = (input: unknown): string => {
  if (typeof input !== "string") return 'is not a string holding an ISO 3166-1 country code such as "KE"'
  if (!pattern.test(input)) return 'is not a country code of two upper-case letters such as "KE"'
  return `is not an ISO 3166-1 country code: ${input} is unknown, use one such as "KE"`
}

export const CountryCode = Schema.String.annotations({ message: (issue) => refusal(issue.actual) })
  .pipe(
    Schema.filter((code) => knownCodes.has(code) || refusal(code)),
    Schema.brand("CountryCode")
  )
  .annotations({
    identifier: "CountryCode",
    jsonSchema: {
      type: "string",
      pattern: pattern.source,
      description: "ISO 3166-1 alpha-2 country code, in upper case.",
      examples: ["KE"]
    }
  })
export type CountryCode = typeof CountryCode.Type

export const isCountryCode = Schema.is(CountryCode)

export const countries: ReadonlyMap<CountryCode, Country> = new Map(
  countryTable.map(([text, name, currency, subRegion]) => {
    const code = CountryCode.make(text)
    return [code, { code, name, currency: CurrencyCode.make(currency), subRegion }]
  })
)

export const countryOf = (code: CountryCode): Country => {
  const found = countries.get(code)
  if (found === undefined) throw new Error(`branded country code ${code} is not in the table`)
  return found
}

export const defaultCurrencyOf = (code: CountryCode): CurrencyCode => countryOf(code).currency

export const subRegionOf = (code: CountryCode): string => countryOf(code).subRegion
