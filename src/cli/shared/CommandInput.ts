/** Decodes options with the domain's schemas; an error names the option. */
import { Effect, Option, Schema, type BigDecimal, Either, ParseResult } from "effect"
import { ArrayFormatter } from "effect/ParseResult"
import { Invalid } from "../../domain/Failure.ts"
import { checkAmountLength, fromPlainText, toPlainText } from "../../domain/Decimal.ts"

/** Input of commands that take nothing but an organisation. */
export interface OrgInput {
  readonly org: Option.Option<string>
  readonly json: boolean
}

/** Input of commands that take nothing but an id. */
export interface IdInput {
  readonly id: string
  readonly json: boolean
}

/** `names` says what the operator calls a field, where that is not `--field`. */
export const decodeInput = <A, I>(
  schema: Schema.Schema<A, I>,
  input: { readonly [Field in keyof I]: unknown },
  names: Readonly<Record<string, string>> = {}
): Effect.Effect<A, Invalid> =>
  Schema.decodeUnknown(schema, { errors: "all" })(input).pipe(
    Effect.mapError(({ issue }) => {
      const sentences = ArrayFormatter.formatIssueSync(issue).map(({ message, path }) => {
        const field = String(path.findLast((step) => typeof step === "string") ?? "")
        return `${names[field] ?? `--${field}`} ${message.replace(/, actual [\s\S]*$/, "")}.`
      })
      return new Invalid({ message: Array.from(new Set(sentences)).join(" ") })
    })
  )

/** One value of one option. */
export const decodeOption = <A, I>(name: string, schema: Schema.Schema<A, I>, text: unknown) =>
  Effect.map(decodeInput(Schema.Struct({ value: schema }), { value: text }, { value: name }), ({ value }) => value)

export const refuse = (message: string) => new Invalid({ message })

/** Fails with a sentence about the option that names nothing. */
export const found = <A>(what: Option.Option<A>, message: string): Effect.Effect<A, Invalid> =>
  Option.match(what, { onNone: () => Effect.fail(refuse(message)), onSome: Effect.succeed })

/** Decodes an amount of zero or more, or says why not. No digit passes through a float. */
export const amountIn = (
  text: string,
  expected: string,
  belowZero = "is below zero"
): Either.Either<BigDecimal.BigDecimal, string> =>
  Either.fromOption(fromPlainText(text), () => `is not ${expected}`).pipe(
    Either.filterOrLeft(
      (amount) => amount.value >= 0n,
      () => belowZero
    ),
    Either.flatMap(checkAmountLength)
  )

export const decimalOption = (example: string) =>
  Schema.transformOrFail(Schema.String, Schema.BigDecimalFromSelf, {
    strict: true,
    decode: (text, _, ast) =>
      Either.mapLeft(
        amountIn(text, `a decimal number such as ${example}`),
        (why) => new ParseResult.Type(ast, text, why)
      ),
    encode: (amount) => ParseResult.succeed(toPlainText(amount))
  })
