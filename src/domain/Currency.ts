/**
 * Fiat currencies as ISO 4217 names them: which codes a request may use and how many minor digits each has.
 */
import { Schema } from "effect"
import { currencyTable } from "./CurrencyTable.ts"

export interface Currency {
  readonly code: CurrencyCode
  readonly name: string
  readonly exponent: number
}

const pattern = /^[A-Z]{3}$/

const refusal = (input: unknown): string => {
  if (typeof input !== "string") return 'is not a string holding an ISO 4217 currency code such as "KES"'
  if (!pattern.test(input)) return 'is not a currency code of three upper-case letters such as "KES"'
  return `is not an active ISO 4217 currency code: ${input} is unknown, use one such as "KES"`
}

export const CurrencyCode = Schema.String.annotations({ message: (issue) => refusal(issue.actual) })
  .pipe(
    Schema.filter((code) => (pattern.test(code) && currencyTable.has(code)) || refusal(code)),
    Schema.brand("CurrencyCode")
  )
  .annotations({
    identifier: "CurrencyCode",
    jsonSchema: {
      type: "string",
      pattern: pattern.source,
      description: "ISO 4217 currency code, in upper case.",
      examples: ["KES"]
    }
  })
export type CurrencyCode = typeof CurrencyCode.Type

export const isCurrencyCode = Schema.is(CurrencyCode)

export const currencies: ReadonlyMap<CurrencyCode, Currency> = new Map(
  Array.from(currencyTable, ([text, [name, exponent]]) => {
    const code = CurrencyCode.make(text)
    return [code, { code, name, exponent }]
  })
)

export const currencyOf = (code: CurrencyCode): Currency => {
  const found = currencies.get(code)
  if (found === undefined) throw new Error(`branded currency code ${code} is not in the table`)
  return found
}

export const exponentOf = (code: CurrencyCode): number => currencyOf(code).exponent
