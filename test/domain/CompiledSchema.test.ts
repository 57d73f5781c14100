/** Compiled, a schema says what its interpreter says: of what it is made for, of what is nearly so, and of anything. */
import { describe, expect, it } from "@effect/vitest"
import { Arbitrary, Either, FastCheck as fc, ParseResult, Schema } from "effect"
import { WireDecimal } from "../../src/domain/Decimal.ts"
import { decodedBy, encodedBy, nearly } from "./SameAsInterpreter.ts"

interface Tree {
  readonly name: string
  readonly branches: ReadonlyArray<Tree>
}

const Tree: Schema.Schema<Tree> = Schema.Struct({
  name: Schema.String,
  branches: Schema.Array(Schema.suspend(() => Tree))
})

const Tagged = Schema.Union(
  Schema.Struct({ kind: Schema.Literal("a"), at: Schema.Date }),
  Schema.Struct({ kind: Schema.Literal("b"), n: Schema.NumberFromString })
)

const schemas: Readonly<Record<string, Schema.Schema.AnyNoContext>> = {
  "a struct with fields that may be lacking": Schema.Struct({
    a: Schema.optional(Schema.String),
    b: Schema.optionalWith(Schema.NumberFromString, { default: () => 7 }),
    c: Schema.optionalWith(Schema.String, { as: "Option" }),
    d: Schema.optionalWith(Schema.Date, { exact: true }),
    e: Schema.UndefinedOr(Schema.Int)
  }),
  "renamed fields": Schema.Struct({
    inside: Schema.propertySignature(Schema.String).pipe(Schema.fromKey("outside"))
  }),
  filters: Schema.Struct({
    id: Schema.UUID.pipe(Schema.brand("Id")),
    n: Schema.Int.pipe(Schema.between(1, 5)),
    list: Schema.NonEmptyArray(Schema.String).pipe(Schema.maxItems(2))
  }).pipe(Schema.filter(({ n, list }) => n >= list.length)),
  "transformations in a row": Schema.Struct({
    n: Schema.compose(Schema.Trim, Schema.NumberFromString).pipe(Schema.positive()),
    date: Schema.NullOr(Schema.Date)
  }),
  "members that a literal distinguishes": Schema.Struct({ one: Tagged, many: Schema.Array(Tagged) }),
  "members only some of which a literal distinguishes": Schema.Union(
    Schema.Struct({ loose: Schema.String }),
    Schema.Struct({ kind: Schema.Literal("a"), loose: Schema.String, more: Schema.Number })
  ),
  "members some of which a literal distinguishes behind a default": Schema.Union(
    Schema.Struct({ loose: Schema.String }),
    Schema.Struct({
      kind: Schema.Literal("a"),
      loose: Schema.String,
      more: Schema.optionalWith(Schema.Number, { default: () => 7 })
    })
  ),
  "members that literals of several names distinguish": Schema.Union(
    Schema.Struct({ x: Schema.Literal("1") }),
    Schema.Struct({ x: Schema.String, y: Schema.Literal("2") }),
    Schema.Struct({ x: Schema.Literal("3"), y: Schema.Literal("2", "4"), z: Schema.String })
  ),
  "members that an optional literal distinguishes": Schema.Union(
    Schema.Struct({ kind: Schema.optionalWith(Schema.Literal("a"), { exact: true }), loose: Schema.String }),
    Schema.Struct({ kind: Schema.Literal("a"), loose: Schema.String, more: Schema.Number })
  ),
  "a member beside anything else": Schema.Union(
    Schema.Unknown,
    Schema.Struct({ kind: Schema.Literal("a"), at: Schema.Date })
  ),
  "members without a distinguishing literal": Schema.Union(
    Schema.Struct({ a: Schema.NumberFromString }),
    Schema.Struct({ a: Schema.String, b: Schema.String }),
    Schema.String
  ),
  "a thing in itself": Tree,
  dictionaries: Schema.Struct({
    any: Schema.Record({ key: Schema.String, value: Schema.Unknown }),
    dates: Schema.Record({ key: Schema.String, value: Schema.Date }),
    short: Schema.Record({ key: Schema.String.pipe(Schema.maxLength(2)), value: Schema.Number })
  }),
  "lists of a fixed length": Schema.Tuple(Schema.NumberFromString, Schema.optionalElement(Schema.String)),
  "what falls back to something": Schema.Struct({
    n: Schema.Number.annotations({ decodingFallback: () => Either.right(0) })
  }),
  "what takes nothing besides": Schema.Struct({ a: Schema.String }).annotations({
    parseOptions: { onExcessProperty: "error" }
  }),
  "literals and null": Schema.Struct({ a: Schema.NullOr(Schema.Literal("x", "y", 1)), b: Schema.Literal(true) }),
  "fields of odd names": Schema.Struct({
    toString: Schema.NumberFromString,
    'a"b\\': Schema.optional(Schema.String),
    constructor: Schema.optionalWith(Schema.Unknown, { exact: true }),
    "1": Schema.String,
    "\u2028`${v0}": Schema.UndefinedOr(Schema.String)
  }),
  anything: Schema.Struct({}),
  exact: Schema.Struct({ amount: WireDecimal })
}

describe.each(Object.entries(schemas))("%s", (name, schema) => {
  const decoded = decodedBy(schema)
  const encoded = encodedBy(schema)
  const isPlain = name !== "exact"

  it("is decoded and encoded as it should be", () => {
    const values = isPlain
      ? Arbitrary.make(schema)
      : fc.constant({ amount: Either.getOrThrow(decoded({ amount: 1.5 })) })
    let many = 0
    fc.assert(
      fc.property(values, (value) => {
        const out = encoded(value)
        if (Either.isRight(out) && Either.isRight(decoded(out.right))) many++
      }),
      { numRuns: 50 }
    )
    if (isPlain) expect(many).toBeGreaterThan(25)
  })

  it("is refused where it should be", () => {
    fc.assert(
      fc.property(isPlain ? Arbitrary.make(schema) : fc.constant({}), (value) => {
        for (const one of nearly(value)) void encoded(one)
        const out = ParseResult.encodeUnknownEither(schema)(value)
        if (Either.isRight(out)) for (const one of nearly(out.right)) void decoded(one)
      }),
      { numRuns: 8 }
    )
    fc.assert(
      fc.property(fc.anything({ withDate: true, withNullPrototype: true, maxDepth: 3 }), (input) => {
        void decoded(input)
        void encoded(input)
      }),
      { numRuns: 150, examples: [[{ x: [Object.create(null)] }], [{ x: { toString: 1 } }]] }
    )
  })
})

it("a field named __proto__ is written as the interpreter writes it", () => {
  const encoded = encodedBy(Schema.Record({ key: Schema.String, value: Schema.Unknown }))
  expect(encoded(JSON.parse('{"__proto__": null, "a": 1}'))).toEqual(Either.right({ a: 1 }))
})
