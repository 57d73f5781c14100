/**
 * Results of a compiled schema, each compared with the interpreter's by Node's own assertions, since there are hundreds
 * of thousands.
 */
import { deepStrictEqual, strictEqual, throws } from "node:assert/strict"
import { Either, ParseResult, type Schema } from "effect"
import { compileDecoder, compileEncoder } from "../../src/platform/schema/CompiledSchema.ts"
import { stringifyWire } from "../../src/domain/Decimal.ts"
import { changedAt, placesIn } from "../fuzz/JsonText.ts"

type Parsed = Either.Either<unknown, ParseResult.ParseIssue>

/**
 * The interpreter fails with a TypeError at an object without a text, such as `{ toString: 1 }`, where a literal
 * distinguishes members of a union, and so do compiled schemas, which ask it why a value is refused. No request and no
 * answer of a provider has such a union.
 */
const unlessWithoutText = (parse: () => Parsed): Parsed | undefined => {
  try {
    return parse()
  } catch (error) {
    if (error instanceof TypeError) return undefined
    throw error
  }
}

export const decodedBy = (schema: Schema.Schema.AnyNoContext): ((input: unknown) => Parsed) => {
  const interpret = ParseResult.decodeUnknownEither(schema, { errors: "all" })
  const decode = compileDecoder(schema, { errors: "all" })
  return (input) => {
    const right = unlessWithoutText(() => interpret(input))
    if (right === undefined) {
      throws(() => decode(input), TypeError)
      return Either.left(new ParseResult.Unexpected(input))
    }
    const decoded = decode(input)
    strictEqual(Either.isRight(decoded), Either.isRight(right))
    if (Either.isRight(right)) deepStrictEqual(Either.getOrThrow(decoded), right.right)
    return decoded
  }
}

export const encodedBy = (schema: Schema.Schema.AnyNoContext): ((value: unknown) => Parsed) => {
  const interpret = ParseResult.encodeUnknownEither(schema)
  const encode = compileEncoder(schema)
  return (value) => {
    const right = unlessWithoutText(() => interpret(value))
    if (right === undefined) {
      throws(() => encode(value), TypeError)
      return Either.left(new ParseResult.Unexpected(value))
    }
    if (Either.isRight(right)) {
      const encoded = encode(value)
      deepStrictEqual(encoded, right.right)
      strictEqual(stringifyWire(encoded), stringifyWire(right.right))
    } else throws(() => encode(value))
    return right
  }
}

const others: ReadonlyArray<unknown> = [null, undefined, "x", 1.5, true, {}, [], new Date(0), new Date(NaN)]

/**
 * In each place of it, or in fifty, something else or nothing. But for a field `__proto__`, which requests may not have:
 * the interpreter makes it the prototype of what it returns.
 */
export const nearly = (value: unknown): ReadonlyArray<unknown> =>
  placesIn(value)
    .filter((place) => !place.includes("__proto__"))
    .slice(0, 50)
    .flatMap((place) => others.map((other) => changedAt(value, place, () => other)))
