/** Fields of requests with their limits and their meaning in the reference, which would otherwise show neither. */
import { Schema } from "effect"
import { holdsCardNumber } from "../../domain/Card.ts"

/** Whatever else a caller may write, what is kept is no card. */
export const CARD_REFUSED =
  "holds what looks like the number of a card, which is never kept: leave it out, or put a letter right before it if it is a number of yours"

/** A number that a bank has given, which may look like a card's. */
const numberAsSent = (longest: number) =>
  Schema.String.pipe(
    Schema.minLength(1),
    Schema.maxLength(longest),
    Schema.filter((value) => value.trim() !== "" || "is blank")
  )

/** Text is kept as it was sent, or refused. */
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

/** What people type, such as a one-time password: the spaces around it do not count. */
export const typed = (longest: number, description: string) =>
  Schema.Trim.pipe(Schema.minLength(1), Schema.maxLength(longest)).annotations({
    description,
    jsonSchema: { type: "string", minLength: 1, maxLength: longest, description }
  })

export const matching = (pattern: RegExp, message: string, description: string) =>
  Schema.String.pipe(Schema.pattern(pattern, { message: () => message })).annotations({ description })

/** Left out, or null: the same. */
export const given = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { nullable: true, exact: true })

/** Named in the contract, and not looked at. */
const unread = (description: string) =>
  Schema.optional(Schema.Unknown.annotations({ jsonSchema: { type: "string", description } }))

export const credentialFields = {
  user_id: unread("Need not be sent, and is ignored: the credential says who it is"),
  org_id: unread(
    "Need not be sent, and is ignored: the credential says whose it is. Only a platform admin names the organisation here"
  )
}
