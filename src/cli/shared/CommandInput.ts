/** Decodes options with the domain's schemas; an error names the option. */
import { Args, Options } from "@effect/cli"
import { Effect, Option, Schema, type BigDecimal, Either, ParseResult } from "effect"
import { ArrayFormatter } from "effect/ParseResult"
import { Invalid } from "../../domain/Failure.ts"
import { checkAmountLength, fromPlainText, toPlainText } from "../../domain/Decimal.ts"

/** An option with a value. `placeholder` stands for the value in the help. */
export const option = (name: string, placeholder: string, description: string) =>
  Options.text(name).pipe(Options.withPseudoName(placeholder), Options.withDescription(description))

export const optional = (name: string, placeholder: string, description: string) =>
  Options.optional(option(name, placeholder, description))

/** An option whose value is one of a few words. */
export const choice = <const Values extends ReadonlyArray<string>>(name: string, values: Values, description: string) =>
  Options.choice(name, values).pipe(Options.withDescription(description))

/** An argument whose value is one of a few words. */
export const chosen = <const Values extends ReadonlyArray<string>>(name: string, values: Values, description: string) =>
  Args.choice<Values[number]>(
    values.map((value) => [value, value]),
    { name }
  ).pipe(Args.withDescription(description))

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

/** What a look-up found, or a sentence about the option that named it. */
export const found = <A>(what: Option.Option<A>, message: string): Effect.Effect<A, Invalid> =>
  Option.match(what, { onNone: () => Effect.fail(refuse(message)), onSome: Effect.succeed })

/** Decodes an amount from text, so that no digit passes through a float. */

/** Zero or more, or why not; what an option means by zero is its own matter. */
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

/** `--events`, several times or with commas between the types. */
export const eventList = (description: string) =>
  Options.text("events").pipe(
    Options.withPseudoName("TYPES"),
    Options.withDescription(description),
    Options.repeated,
    Options.map((given) =>
      given
        .flatMap((text) => text.split(","))
        .map((type) => type.trim())
        .filter((type) => type !== "")
    )
  )
