/** Values in requests and answers of third parties. No amount is ever rounded. */
import { Either, Option, Schema } from "effect"
import { type AnyCurrencyCode, isAnyCurrencyCode } from "../../domain/CryptoAsset.ts"
import { Money } from "../../domain/Money.ts"
import { parseAsWritten } from "../../domain/ExactJson.ts"

/** A whole number of minor units; `exponent` where the third party counts a currency otherwise than ISO 4217 does. */
export const minorText = ({ exponent: own, minor }: Money, exponent: number = own): Option.Option<string> => {
  if (exponent >= own) return Option.some((minor * 10n ** BigInt(exponent - own)).toString())
  const unit = 10n ** BigInt(own - exponent)
  return minor % unit === 0n ? Option.some((minor / unit).toString()) : Option.none()
}

/** `10.00`, with the digits of the currency. */
export const majorText = (money: Money): string => money.toNumericText()

/** `10`, `15.5`: nothing behind the point that says nothing. */
export const shortText = (money: Money): string => {
  const text = money.toNumericText()
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text
}

const currencyIn = (text: string): Option.Option<AnyCurrencyCode> => {
  const code = text.toUpperCase()
  return isAnyCurrencyCode(code) ? Option.some(code) : Option.none()
}

/** None for a malformed amount or an unknown currency. */
export const moneyOfMajor = (amount: string, currency: string): Option.Option<Money> =>
  Option.flatMap(currencyIn(currency), (code) => Either.getRight(Money.fromNumericText(amount, code)))

export const moneyOfMinor = (amount: string, currency: string, exponent?: number): Option.Option<Money> =>
  Option.flatMap(currencyIn(currency), (code) => {
    if (!/^-?\d{1,30}$/.test(amount)) return Option.none()
    const own = Money.zero(code).exponent
    const scale = exponent ?? own
    const counted = BigInt(amount)
    if (scale <= own) return Option.some(new Money({ currency: code, minor: counted * 10n ** BigInt(own - scale) }))
    const unit = 10n ** BigInt(scale - own)
    return counted % unit === 0n ? Option.some(new Money({ currency: code, minor: counted / unit })) : Option.none()
  })

/** JSON from outside. Numbers are read as the text that was sent, so that no amount ever passes through a float. */
export const readJson = (text: string): Either.Either<unknown, string> =>
  Either.try({ try: () => parseAsWritten(text), catch: () => "it is not JSON" })

/** Looks up a status or error code of a third party in a table of ours. */
/** Undefined for unknown codes, and for names such as `constructor` that every object has. */
export const meaningOf = <A>(table: Readonly<Record<string, A>>, word: string | null | undefined): A | undefined =>
  typeof word === "string" && Object.hasOwn(table, word) ? table[word] : undefined

/** A field that may be absent or null; both are read as undefined. */
export const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { nullable: true })

export const optionalText = optional(Schema.String)

/** A field that may be absent or null; both are read as null. */
export const orNull = <A, I>(schema: Schema.Schema<A, I>) =>
  Schema.optionalWith(Schema.NullOr(schema), { default: () => null })

export const textOrNull = orNull(Schema.String)
