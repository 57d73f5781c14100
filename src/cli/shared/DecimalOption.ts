/** An amount as an operator types it: as text, so that no digit passes through a float. */
import { type BigDecimal, Either, ParseResult, Schema } from "effect"
import { checkAmountLength, fromPlainText, toPlainText } from "../../domain/Decimal.ts"

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
