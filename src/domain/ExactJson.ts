/** JSON whose numbers keep the digits that they were written with: what a double would change stays as its text. */
import { parse } from "lossless-json"
import { WireNumber } from "./Decimal.ts"

const read = (literal: string): number | WireNumber => {
  const value = Number(literal)
  return String(value) === literal && !/e/i.test(literal) ? value : new WireNumber(literal)
}

export const parseExactJson = (text: string): unknown =>
  /\d/.test(text) ? parse(text, null, { parseNumber: read }) : JSON.parse(text)

const asWritten = (literal: string): string => literal

/** With every number as the text that it was written with. */
export const parseAsWritten = (text: string): unknown => parse(text, null, { parseNumber: asWritten })
