import { describe, expect, it } from "vitest"
import { Either, ParseResult, Schema } from "effect"
import { validationMessage } from "../../../src/platform/http/RequestJson.ts"

const given = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { nullable: true, exact: true })

const digits = Schema.String.pipe(Schema.pattern(/^\d+$/, { message: () => "must be digits" }))

const Request = Schema.Struct({
  card: given(Schema.Struct({ number: digits, month: given(digits) })),
  events: Schema.optional(Schema.Array(digits).pipe(Schema.minItems(1, { message: () => "must not be empty" }))),
  note: given(Schema.String),
  nothing: Schema.optional(Schema.Null)
})

const decode = ParseResult.decodeUnknownEither(Request, { errors: "all" })

const messageFor = (input: unknown): string =>
  Either.match(decode(input), { onLeft: validationMessage, onRight: () => "nothing is wrong" })

describe("What is wrong with a request", () => {
  it("names the field of an optional object, and not that the object could be left out", () => {
    expect(messageFor({ card: { number: "x" } })).toBe("card.number: must be digits")
    expect(messageFor({ card: { number: "1", month: "x" } })).toBe("card.month: must be digits")
    expect(messageFor({ card: {} })).toBe("card.number: is missing")
    expect(messageFor({ events: ["1", "x"] })).toBe("events[1]: must be digits")
  })

  it("does not offer to leave out what is wrong as a whole", () => {
    expect(messageFor({ events: [] })).toBe("events: must not be empty")
    expect(messageFor({ note: 1 })).toBe("note: Expected string")
  })

  it("says of an object or a list that it is to be one, not how it is declared", () => {
    expect(messageFor({ card: "x" })).toBe("card: Expected an object")
    expect(messageFor({ events: "x" })).toBe("events: Expected an array")
    expect(messageFor(null)).toBe("Expected an object")
  })

  it("says how long a text may be, not what it is for", () => {
    const Short = Schema.Struct({
      otp: Schema.String.pipe(Schema.maxLength(2)).annotations({ description: "A secret" })
    })
    const refused = ParseResult.decodeUnknownEither(Short)({ otp: "123" })
    expect(validationMessage(Either.getOrThrow(Either.flip(refused)))).toBe(
      "otp: Expected a string at most 2 character(s) long"
    )
  })

  it("says so where nothing is all that may be sent", () => {
    expect(messageFor({ nothing: 1 })).toBe("nothing: Expected null, or Expected undefined")
  })

  it("keeps apart fields whose names begin alike", () => {
    const Alike = Schema.Struct({ pay: Schema.Null, payer: Schema.Struct({ name: Schema.String }) })
    const issue = Either.flip(ParseResult.decodeUnknownEither(Alike, { errors: "all" })({ pay: 1, payer: { name: 1 } }))
    expect(validationMessage(Either.getOrThrow(issue))).toBe("pay: Expected null; payer.name: Expected string")
  })
})
