/** Makes foreign text safe in e-mails and pages: no links, headers or lines that look like ours, no turned sentences. */
import { Schema } from "effect"
import { withoutCardNumber } from "./Card.ts"
import { visible } from "./IsolatedName.ts"

/** Dots that browsers accept in host names, also of other scripts. */
const DOT = "[.\\u3002\\uff0e\\uff61]"

/** Text that mail programs turn into a link: a scheme, or a name with a top-level domain. */
const inName = new RegExp(`(?<=[\\p{L}\\p{N}_-])${DOT}(?=\\p{L}{2})`, "gu")
const scheme = /:(?=\s*\/\s*\/)/g

/** Readable as it was, and no longer something to follow. */
const broken = (text: string): string => visible(text).replaceAll(scheme, "[:]").replaceAll(inName, "[.]")

export const holdsLink = (text: string): boolean => broken(text) !== visible(text)

export const oneLine = (text: string): string => text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, " ").trim()

/** A name within a sentence of ours. */
export const asName = (text: string): string => broken(oneLine(text))

/** Text that ends a sentence, with exactly one full stop. */
export const asSentence = (text: string): string =>
  /[.!?\u2026]$/.test(text.trimEnd()) ? text.trimEnd() : `${text.trimEnd()}.`

/** Quotes several lines with `> ` before each. */
export const asQuotation = (text: string): string =>
  broken(text)
    .split(/\r\n|[\n\r\u2028\u2029\v\f\u0085]/)
    .map((line) => `> ${oneLine(line)}`.trimEnd())
    .join("\n")

/** Format characters and those that a reader does not see. They make two texts out of one that looks the same. */
const invisible = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu

/** Normalised text: compatible letters as plain ones, invisible characters removed. */
export const plainText = (text: string): string =>
  text.replaceAll(invisible, "").normalize("NFKC").replaceAll(invisible, "")

/** Contains no visible character. */
export const isBlank = (text: string): boolean => !/[!-~]/.test(text) && plainText(text).trim() === ""

/** E-mail addresses as far as their text can tell: whether a mailbox answers, only a message to it shows. */
const LONGEST = 320

/**
 * Lower case for ASCII letters: mail systems ignore their case. Other letters stay, since some only look like these.
 */
const folded = (address: string): string => address.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())

export const sameAddress = (one: string, other: string): boolean => folded(one) === folded(other)

const pattern = /^[^\s@\p{Cc}]+@[^\s@\p{Cc}.]+(?:\.[^\s@\p{Cc}.]+)+$/u

export const EmailAddress = Schema.Trim.pipe(
  Schema.filter(
    (text) =>
      (text.length <= LONGEST && pattern.test(text) && plainText(text) === text.normalize("NFC")) ||
      "is not an e-mail address such as ada@example.com"
  ),
  Schema.filter(withoutCardNumber)
).annotations({
  identifier: "EmailAddress",
  jsonSchema: { type: "string", format: "email", maxLength: LONGEST, examples: ["ada@example.com"] }
})
