/** Fields of requests: limited text, metadata and times, with their descriptions for the reference. */
import { Schema } from "effect"
import { holdsCardNumber } from "../../domain/Card.ts"

export const CARD_REFUSED =
  "contains a possible card number, which is never stored: leave it out, or put a letter right before it if it is another number"

/** An account number, which may look like a card number. */
const numberAsSent = (longest: number) =>
  Schema.String.pipe(
    Schema.minLength(1),
    Schema.maxLength(longest),
    Schema.filter((value) => value.trim() !== "" || "is blank")
  )

/** Stored as sent, or refused if it contains a card number. */
export const asSent = (longest: number) =>
  numberAsSent(longest).pipe(Schema.filter((value) => !holdsCardNumber(value) || CARD_REFUSED))

export const accountNumber = (longest: number, description: string) =>
  numberAsSent(longest).annotations({
    description,
    jsonSchema: { type: "string", minLength: 1, maxLength: longest, description }
  })

export const text = (longest: number, description: string) =>
  asSent(longest).annotations({
    description,
    jsonSchema: { type: "string", minLength: 1, maxLength: longest, description }
  })

/** Trimmed, such as a one-time password that a person types. */
export const typed = (longest: number, description: string) =>
  Schema.Trim.pipe(Schema.minLength(1), Schema.maxLength(longest)).annotations({
    description,
    jsonSchema: { type: "string", minLength: 1, maxLength: longest, description }
  })

export const matching = (pattern: RegExp, message: string, description: string) =>
  Schema.String.pipe(Schema.pattern(pattern, { message: () => message })).annotations({ description })

/** Missing and null mean the same. */
export const given = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { nullable: true, exact: true })

/** Accepted and ignored. */
const unread = (description: string) =>
  Schema.optional(Schema.Unknown.annotations({ jsonSchema: { type: "string", description } }))

export const credentialFields = {
  user_id: unread("Optional and ignored: the credential determines the user"),
  org_id: unread("Optional and ignored: the credential determines the organisation. Only platform admins send it")
}
