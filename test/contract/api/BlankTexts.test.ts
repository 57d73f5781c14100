/** Texts without a visible character are blank: a page would show no name, and a list an empty row. */
import { describe, expect, it } from "@effect/vitest"
import { Either, ParseResult, Schema } from "effect"
import { OrganizationName } from "../../../src/contract/api/OrganizationsApi.ts"
import { text } from "../../../src/contract/api/RequestFields.ts"
import { validationMessage } from "../../../src/domain/ValidationMessage.ts"
import { fieldsIn } from "../../support/RefusedFields.ts"

const wordsFor = (schema: Schema.Schema<string>, value: string): string =>
  Either.match(ParseResult.decodeUnknownEither(Schema.Struct({ name: schema }))({ name: value }), {
    onLeft: validationMessage,
    onRight: () => ""
  })

describe("A text", () => {
  it.each(["\u200b", "\u2060\ufeff", " \u200e ", "\u00ad", "\u3164", "\u202e"])("of %j alone is refused", (value) => {
    expect(fieldsIn(wordsFor(text(80), value))).toEqual(["name"])
    expect(fieldsIn(wordsFor(OrganizationName, value))).toEqual(["name"])
  })

  it.each(["a", "ا", "क\u200dष", "👨‍👩‍👧", "\u200eAcme", "."])("such as %j is taken as it is", (value) => {
    expect(wordsFor(text(80), value)).toBe("")
    expect(wordsFor(OrganizationName, value)).toBe("")
  })
})
