/** Decodes options with the domain's schemas; an error names the option. */
import { Effect, Option, Record as Rec, Schema, type BigDecimal, Either, ParseResult } from "effect"
import { Invalid } from "../../domain/Failure.ts"
import { problemsIn } from "../../domain/ValidationMessage.ts"
import { checkAmountLength, fromPlainText, toPlainText, toWireText, WireNumber } from "../../domain/Decimal.ts"

export interface JsonInput {
  readonly json: boolean
}

/** Input of commands that take nothing but an organisation. */
export interface OrgInput extends JsonInput {
  readonly org: Option.Option<string>
}

/** The fields that were given. */
export const givenFields = (fields: Readonly<Record<string, Option.Option<unknown>>>) => Rec.getSomes(fields)

/** `names` says what the operator calls a field, where that is not `--field`. */
export const decodeInput = <A, I>(
  schema: Schema.Schema<A, I>,
  input: { readonly [Field in keyof I]: unknown },
  names: Readonly<Record<string, string>> = {}
): Effect.Effect<A, Invalid> =>
  Schema.decodeUnknown(schema, { errors: "all" })(input).pipe(
    Effect.mapError(({ issue }) => {
      const sentences = problemsIn(issue).map(({ path, reason }) => {
        const field = String(path.findLast((step) => typeof step === "string") ?? "")
        return `${names[field] ?? `--${field}`} ${reason}.`
      })
      return refuse(Array.from(new Set(sentences)).join(" "))
    })
  )

/** Decodes the value of one option. */
export const decodeOption = <A, I>(name: string, schema: Schema.Schema<A, I>, text: unknown) =>
  Effect.map(decodeInput(Schema.Struct({ value: schema }), { value: text }, { value: name }), ({ value }) => value)

/** Evidence that an operator gives for a decision. */
export const Reason = Schema.Trim.pipe(Schema.minLength(1), Schema.maxLength(500))

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

/** The exact decimal as a JSON number, as the API writes it. */
export const wireNumber = (amount: BigDecimal.BigDecimal): WireNumber => new WireNumber(toWireText(amount))

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

/** A number without decimals, from 0 to `most`. */
export const wholeNumber = (most: number) =>
  Schema.transformOrFail(Schema.String, Schema.Int, {
    strict: true,
    decode: (text, _, ast) =>
      /^\d{1,5}$/.test(text) && Number(text) <= most
        ? ParseResult.succeed(Number(text))
        : ParseResult.fail(new ParseResult.Type(ast, text, `is not a whole number from 0 to ${most}`)),
    encode: (number) => ParseResult.succeed(String(number))
  })
