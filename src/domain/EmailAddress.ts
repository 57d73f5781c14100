/** E-mail addresses as far as their text can tell: whether a mailbox answers, only a message to it shows. */
import { Schema } from "effect"

const LONGEST = 320

/** No mail system in use tells capitals from small letters. Others are left alone: some only look like one of these. */
const folded = (address: string): string => address.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())

export const sameAddress = (one: string, other: string): boolean => folded(one) === folded(other)

const pattern = /^[^\s@\p{Cc}]+@[^\s@\p{Cc}.]+(?:\.[^\s@\p{Cc}.]+)+$/u

export const EmailAddress = Schema.Trim.pipe(
  Schema.filter(
    (text) => (text.length <= LONGEST && pattern.test(text)) || "is not an e-mail address such as ada@example.com"
  )
).annotations({
  identifier: "EmailAddress",
  jsonSchema: { type: "string", format: "email", maxLength: LONGEST, examples: ["ada@example.com"] }
})
