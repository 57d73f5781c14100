/** JSON whose decimals are shown as they were written: 1500.00 is an amount, and 1500 is not how it is sent. */

/** Of the area for private use, so no text of ours begins with it. */
const MARK = "\uE000"

const stringOrDecimal = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+(?:[eE][+-]?\d+)?|[eE][+-]?\d+|\d{15,})/g

export const readExact = (text: string): unknown =>
  JSON.parse(text.replace(stringOrDecimal, (found) => (found.startsWith('"') ? found : `"${MARK}${found}"`)))

const marked = new RegExp(`"${MARK}([^"]*)"`, "g")

export const writeExact = (value: unknown): string => JSON.stringify(value, null, 2).replace(marked, "$1")

/** A single value in running text, a string without its quotes. */
export const shownValue = (value: unknown): string =>
  typeof value === "string" ? value.replace(MARK, "") : writeExact(value)
