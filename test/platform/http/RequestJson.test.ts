import { Either, Schema, ParseResult } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { isInexact, nearest, stringifyWire } from "../../../src/domain/Decimal.ts"
import { parseJsonText } from "../../../src/platform/http/RequestJson.ts"
import { validationMessage } from "../../../src/domain/ValidationMessage.ts"

const accepted = (text: string): unknown =>
  Either.getOrThrowWith(parseJsonText(text), (left) => new Error(left.message))

const refusal = (text: string): string =>
  Either.match(parseJsonText(text), {
    onLeft: ({ message }) => message,
    onRight: (value) => {
      throw new Error(`accepted as ${JSON.stringify(value)}`)
    }
  })

const unmarked = (value: unknown): unknown => {
  if (isInexact(value)) return nearest(value)
  if (Array.isArray(value)) return value.map(unmarked)
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, unmarked(member)]))
  }
  return value
}

const literal = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.bigInt().map(String),
  fc.tuple(fc.bigUint(), fc.bigUint()).map(([whole, fraction]) => `${whole}.${fraction}`),
  fc.tuple(fc.integer(), fc.integer({ min: -400, max: 290 })).map(([digits, exponent]) => `${digits}E${exponent}`)
)

/** Texts with odd numbers, escapes and white space, none of them refused. */
const jsonText = fc.letrec<{ value: string; array: string; object: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom("true", "false", "null", '"\\u00e9\\"[{"', '"\\\\"', '"12345678901234567890"', '""'),
    literal,
    fc.string({ unit: "grapheme" }).map((text) => JSON.stringify(text.replaceAll("\0", ""))),
    tie("array"),
    tie("object")
  ),
  array: fc.array(tie("value"), { maxLength: 5 }).map((items) => `[ ${items.join(" ,\n")}]`),
  object: fc
    .uniqueArray(fc.tuple(fc.constantFrom("b", "c", "\\u0061", "toString", "12345678901234567"), tie("value")), {
      maxLength: 5,
      selector: ([name]) => name
    })
    .map((members) => `{${members.map(([key, value]) => `"${key}"\t: ${value}`).join(",")} }`)
})).value

describe("parseJsonText", () => {
  it("agrees with JSON.parse on what it accepts", () => {
    fc.assert(
      fc.property(jsonText, (text) => {
        expect(unmarked(accepted(text))).toStrictEqual(JSON.parse(text))
      }),
      { numRuns: 1000 }
    )
  })

  it("never accepts what JSON.parse refuses", () => {
    const mutated = fc
      .tuple(jsonText, fc.nat(), fc.constantFrom("", ",", '"', "}", "]", "\\", "0", ".", "e", "\n", "-"))
      .map(([text, at, inserted]) => {
        const cut = at % (text.length + 1)
        return text.slice(0, cut) + inserted + text.slice(cut + 1)
      })
    const parses = (text: string) => {
      try {
        JSON.parse(text)
        return true
      } catch {
        return false
      }
    }
    fc.assert(
      fc.property(mutated, (text) => {
        if (!parses(text)) expect(refusal(text)).toMatch(/malformed/)
      }),
      { numRuns: 2000 }
    )
  })

  it("refuses more than 32 levels, and counts no bracket inside a string", () => {
    const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels)
    expect(accepted(nested(32))).toStrictEqual(JSON.parse(nested(32)))
    expect(refusal(nested(33))).toBe("the JSON is nested more than 32 levels deep at line 1, column 33")
    expect(refusal('{"a":'.repeat(33) + "1" + "}".repeat(33))).toContain("32 levels")
    expect(accepted(`["${"[".repeat(100)}\\"${"{".repeat(100)}"]`)).toHaveLength(1)
    expect(accepted(`[${"[],".repeat(100)}{}]`)).toHaveLength(101)
    expect(refusal("[".repeat(200_000))).toContain("32 levels")
  })

  it("refuses NUL in keys and strings, however written, and no look-alike", () => {
    expect(refusal('{"a":{"b":["x","\\u0000"]}}')).toBe("a.b.1 holds a NUL character")
    expect(refusal('{"a\\u0000":1}')).toBe("a field name in the top level holds a NUL character")
    expect(refusal('"\0"')).toContain("malformed")
    expect(refusal('{"a":"\\u0000","n":12345678901234567890}')).toContain("NUL")
    expect(accepted('"\\\\u0000"')).toBe("\\u0000")
  })

  it("refuses lone surrogates and accepts pairs", () => {
    for (const half of ["\\ud83d", "\\uDE00", "\\ude00\\ud83d", "\ud83d", "x\\uD83Dx"]) {
      expect(refusal(`{"a":"${half}"}`)).toContain("a holds half of a surrogate pair")
      expect(refusal(`{"${half}":1}`)).toContain("a field name in the top level holds half of a surrogate pair")
    }
    expect(accepted('["\\ud83d\\ude00","😀"]')).toStrictEqual(["😀", "😀"])
  })

  it("refuses __proto__ as a key, however written, and allows it as a value", () => {
    expect(refusal('{"a":{"__proto__":{}}}')).toBe("a has a field named __proto__, which is not allowed")
    expect(refusal('{"\\u005f_proto__":1}')).toContain("__proto__")
    expect(refusal('{"__proto__":12345678901234567890}')).toContain("__proto__")
    expect(accepted('"__proto__"')).toBe("__proto__")
  })

  it.each(["1234567890123456", "0.1234567890123456", "1.234567890123456e3", "-123456789012345.6", "1e-400"])(
    "marks %s, which may have lost digits",
    (text) => {
      const value = accepted(`{"a":[${text}]}`) as { a: ReadonlyArray<unknown> }
      expect(value.a[0]).toSatisfy(isInexact)
      expect(unmarked(value)).toStrictEqual({ a: [Number(text)] })
    }
  )

  it.each([
    "123456789012345",
    "0.10",
    "1e16",
    "10000000000000000",
    "1.0000000000000000",
    "0.000000000000000001",
    "0e0"
  ])("leaves %s plain", (text) => expect(accepted(text)).toBe(Number(text)))

  it("boxes no number when the long run of digits is inside a string", () => {
    expect(accepted('{"card_number":"4242424242424242","amount":10.5}')).toStrictEqual({
      card_number: "4242424242424242",
      amount: 10.5
    })
  })

  it("marks exactly the literals with more than 15 significant digits", () => {
    const digits = fc.stringMatching(/^[1-9][0-9]{0,24}$/)
    fc.assert(
      fc.property(digits, fc.nat({ max: 25 }), fc.boolean(), (run, dot, negative) => {
        const text = dot > 0 && dot < run.length ? `${run.slice(0, dot)}.${run.slice(dot)}` : run
        const significant = run.replace(/0+$/, "").length
        expect(accepted(`[${negative ? "-" : ""}${text}]`)).toSatisfy(
          ([value]: ReadonlyArray<unknown>) => isInexact(value) === significant > 15
        )
      })
    )
  })

  it.each(["1E-400", "12345678901234567890"])(
    "takes %s for no object, not even for one that needs no field",
    (text) => {
      const needsNothing = Schema.Struct({ reason: Schema.optional(Schema.String) })
      const anything = Schema.Record({ key: Schema.String, value: Schema.Unknown })
      for (const schema of [needsNothing, anything]) {
        expect(Either.isLeft(Schema.decodeUnknownEither(schema)(accepted(text)))).toBe(true)
      }
      const [of] = [accepted(`{"metadata":${text}}`)] as [Readonly<Record<string, unknown>>]
      expect(Either.isLeft(Schema.decodeUnknownEither(anything)(of["metadata"]))).toBe(true)
    }
  )

  it("refuses numbers that no double can hold, and names their field", () => {
    expect(refusal("[1e400]")).toBe("0: the number is too large")
    expect(refusal("9".repeat(400))).toBe("the JSON: the number is too large")
    expect(refusal('{"amount":1e309}')).toBe("amount: the number is too large")
    expect(refusal('{"a":[{"b":1},{"b":-1e309}],"metadata":{"c":1}}')).toBe("a.1.b: the number is too large")
  })

  it("refuses a field that is given twice, at any depth and however its name is written", () => {
    expect(refusal('{"a":1,"a":1}')).toBe("the field a is given twice")
    expect(refusal('{"x":[{"amount":1,"b":{"amount":2},"amount":3}]}')).toBe("the field x.0.amount is given twice")
    expect(refusal('{"a":{"b":1},"c":[[],[1,{"d":[2],"e":{"f":1,"f":2}}]]}')).toBe("the field c.1.1.e.f is given twice")
    expect(refusal('{"a":12345678901234567,"\\u0061":2}')).toBe("the field a is given twice")
    expect(refusal('{"a\\"":1,"a\\u0022":2}')).toContain("is given twice")
    expect(refusal('{"toString":1,"toString":1}')).toContain("toString")
    expect(refusal('{"__proto__":1,"__proto__":2}')).toContain("__proto__")
    expect(refusal(`{"${"k".repeat(100)}":1,"${"k".repeat(100)}":2}`)).toBe("the field … is given twice")
    expect(refusal('{"a":1,"a":2')).toContain("malformed")
    expect(refusal('{{"a":1,"a":2}}')).toContain("malformed")
  })

  it("takes equal names in different objects, and values that look like names", () => {
    const text = '{"a":{"a":[{"a":"a"},{"a":"a"},"a","a"]},"b":"a","c":["b","b"],"toString":{},"":{"":""}}'
    expect(accepted(text)).toStrictEqual(JSON.parse(text))
  })

  it("keeps the digits of numbers in metadata", () => {
    const kept = (metadata: string) => {
      const value = accepted(`{"amount":10.50,"metadata":${metadata}}`) as { readonly metadata: unknown }
      return stringifyWire(value.metadata)
    }
    const texts = [
      '{"a":12345678901234567890.10,"b":[1.0,0.10,-7.00,{"c":10000000000000000000000}]}',
      '{"a":0.0000001,"b":1,"c":-1.5,"d":"1.10","e":null,"f":123456789012345678}'
    ]
    for (const text of texts) expect(kept(text)).toBe(text)
    for (const literal of ["1e3", "1E+21", "1.5e-7", "-0", "-0.0"]) {
      expect(refusal(`{"metadata":{"x":[{"n":${literal}}]}}`)).toMatch(/^metadata\.x\.0\.n: a number with an exponent/)
    }
    expect(refusal('{"metadata":{"x":1e400}}')).toContain("too large")
    expect(accepted('{"amount":1e3,"metadata":{"n":5}}')).toStrictEqual({ amount: 1000, metadata: { n: 5 } })
  })

  it("keeps any plain decimal in metadata as it was written", () => {
    const plain = fc
      .tuple(fc.boolean(), fc.bigInt({ min: 1n, max: 10n ** 40n }), fc.stringMatching(/^\d{0,30}$/))
      .map(([negative, whole, rest]) => `${negative ? "-" : ""}${whole}${rest === "" ? "" : `.${rest}`}`)
    fc.assert(
      fc.property(plain, (number) => {
        const text = `{"metadata":{"n":${number}}}`
        expect(stringifyWire(accepted(text))).toBe(text)
      })
    )
  })

  it("says where a mistake is without quoting the text", () => {
    expect(refusal('{\n  "card_number": "4242424242424242",\n  oops\n}')).toBe(
      "the JSON is malformed: look at line 3, column 3"
    )
    expect(refusal('{"card_number": 4242424242424242.}')).not.toContain("4242")
    expect(refusal('{"a":1')).toBe("the JSON is malformed: look at line 1, column 7")
    expect(refusal(" ")).toBe("the JSON is malformed: it is empty")
    expect(refusal("\ufeff{}")).toBe("the JSON is malformed: it starts with a byte order mark")
  })
})

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

describe("validationMessage", () => {
  it("names the field of an optional object, and not that the object could be left out", () => {
    expect(messageFor({ card: { number: "x" } })).toBe("card.number: must be digits")
    expect(messageFor({ card: { number: "1", month: "x" } })).toBe("card.month: must be digits")
    expect(messageFor({ card: {} })).toBe("card.number: is missing")
    expect(messageFor({ events: ["1", "x"] })).toBe("events[1]: must be digits")
  })

  it("does not offer to leave out what is wrong as a whole", () => {
    expect(messageFor({ events: [] })).toBe("events: must not be empty")
    expect(messageFor({ note: 1 })).toBe("note: must be a string")
  })

  it("says of an object or a list that it is to be one, not how it is declared", () => {
    expect(messageFor({ card: "x" })).toBe("card: must be an object")
    expect(messageFor({ events: "x" })).toBe("events: must be an array")
    expect(messageFor(null)).toBe("must be an object")
  })

  it("says how long a text may be, not what it is for", () => {
    const Short = Schema.Struct({
      otp: Schema.String.pipe(Schema.maxLength(2)).annotations({ description: "A secret" })
    })
    const refused = ParseResult.decodeUnknownEither(Short)({ otp: "123" })
    expect(validationMessage(Either.getOrThrow(Either.flip(refused)))).toBe("otp: must have at most 2 characters")
  })

  it("lists the values of a field once, also where the field may be left out", () => {
    const Listed = Schema.Struct({
      status: Schema.optional(Schema.Literal("initiated", "failed")),
      kind: Schema.Literal("fixed"),
      amount: Schema.Union(Schema.Literal("all"), Schema.Number),
      name: Schema.NonEmptyString,
      on: Schema.Boolean
    })
    const input = { status: "x", kind: "x", amount: "x", name: "", on: "x" }
    const refused = ParseResult.decodeUnknownEither(Listed, { errors: "all" })(input)
    expect(validationMessage(Either.getOrThrow(Either.flip(refused))).split("; ")).toEqual([
      "status: must be one of initiated, failed",
      "kind: must be fixed",
      "amount: must be a number, or must be all",
      "name: must not be empty",
      "on: must be true or false"
    ])
  })

  it("says so where nothing is all that may be sent", () => {
    expect(messageFor({ nothing: 1 })).toBe("nothing: must be null, or must be left out")
  })

  it("keeps apart fields whose names begin alike", () => {
    const Alike = Schema.Struct({ pay: Schema.Null, payer: Schema.Struct({ name: Schema.String }) })
    const issue = Either.flip(ParseResult.decodeUnknownEither(Alike, { errors: "all" })({ pay: 1, payer: { name: 1 } }))
    expect(validationMessage(Either.getOrThrow(issue))).toBe("pay: must be null; payer.name: must be a string")
  })
})
