/** JSON whose numbers keep the digits that they were written with: what a double would change stays as its text. */
import { parse } from "lossless-json"
import { WireNumber, isInexact, nearest } from "./Decimal.ts"

const read = (literal: string): number | WireNumber => {
  const value = Number(literal)
  return String(value) === literal && !/e/i.test(literal) ? value : new WireNumber(literal)
}

export const parseExactJson = (text: string): unknown =>
  /\d/.test(text) ? parse(text, null, { parseNumber: read }) : JSON.parse(text)

const asWritten = (literal: string): string => literal

/** With every number as the text that it was written with. */
export const parseAsWritten = (text: string): unknown => parse(text, null, { parseNumber: asWritten })

/** One text for each JSON value, whatever the order of its members: equal bodies give equal texts. */
const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted)
  if (isInexact(value)) return nearest(value)
  if (typeof value !== "object" || value === null || value instanceof WireNumber) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, sorted(member)])
  )
}

export const canonicalJson = (value: unknown): string => JSON.stringify(sorted(value))
