/** E-mail addresses as far as their text can tell: whether a mailbox answers, only a message to it shows. */
import { Schema } from "effect"

const LONGEST = 320

const pattern = /^[^\s@\p{Cc}]+@[^\s@\p{Cc}.]+(?:\.[^\s@\p{Cc}.]+)+$/u

export const EmailAddress = Schema.Trim.pipe(
  Schema.filter(
    (text) => (text.length <= LONGEST && pattern.test(text)) || "is not an e-mail address such as ada@example.com"
  )
).annotations({
  identifier: "EmailAddress",
  jsonSchema: { type: "string", format: "email", maxLength: LONGEST, examples: ["ada@example.com"] }
})
