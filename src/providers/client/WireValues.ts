/** Values in requests and answers of third parties. No amount is ever rounded. */
import { Either, Option, Schema } from "effect"
import { type AnyCurrencyCode, isAnyCurrencyCode } from "../../domain/Currency.ts"
import { Money } from "../../domain/Money.ts"
import { parseAsWritten } from "../../domain/Decimal.ts"
import type { RefusalCode } from "../../domain/PaymentStatus.ts"

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

type Text = string | null | undefined

const currencyIn = (text: Text): Option.Option<AnyCurrencyCode> => {
  const code = text?.toUpperCase() ?? ""
  return isAnyCurrencyCode(code) ? Option.some(code) : Option.none()
}

/** Amount; none if missing or malformed, and for an unknown currency. */
export const moneyOfMajor = (amount: Text, currency: Text): Option.Option<Money> =>
  Option.flatMap(currencyIn(currency), (code) => Either.getRight(Money.fromNumericText(amount ?? "", code)))

export const moneyOfMinor = (amount: Text, currency: Text, exponent?: number): Option.Option<Money> =>
  Option.flatMap(currencyIn(currency), (code) => {
    if (typeof amount !== "string" || !/^-?\d{1,30}$/.test(amount)) return Option.none()
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

/** A table of ours by the words of a third party: statuses or error codes. */
type Meanings<A> = ReadonlyMap<Text, A>

type Grouped<A extends string> = Readonly<Partial<Record<A, string>>>

const entriesOf = <A extends string, B>(grouped: Grouped<A>, meaning: (ours: A) => B) =>
  (Object.entries(grouped) as unknown as ReadonlyArray<readonly [A, string]>).flatMap(([ours, theirs]) =>
    theirs.split(/\s+/).map((one): readonly [Text, B] => [one, meaning(ours)])
  )

/** The words of the third party are listed under each of ours, separated by spaces. */
export const meanings = <A extends string>(grouped: Grouped<A>): Meanings<A> =>
  new Map(entriesOf(grouped, (ours) => ours))

export interface Refusal {
  readonly code?: RefusalCode
  readonly instrument?: true
}

/** `instrument`: the card, account or approval of the customer is refused. `provider`: another provider may do it. */
export const refusalsBy = ({
  instrument = {},
  provider = {}
}: Readonly<Partial<Record<"instrument" | "provider", Grouped<RefusalCode>>>>): Meanings<Refusal> =>
  new Map<Text, Refusal>([
    ...entriesOf(instrument, (code) => ({ code, instrument: true as const })),
    ...entriesOf(provider, (code) => ({ code }))
  ])

type Present<A> = A extends unknown ? { [Name in keyof A]?: Exclude<A[Name], undefined> } : never

/** Leaves out what is undefined. */
export const present = <A extends object>(fields: A) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Present<A>

/** Undefined for unknown words, and for names such as `constructor` that every object has. */
export const meaningOf = <A>(table: Readonly<Record<string, A>>, word: Text): A | undefined =>
  typeof word === "string" && Object.hasOwn(table, word) ? table[word] : undefined

/** Reads these fields of an object, and none of the others. */
export const objectReader = <Fields extends Schema.Struct.Fields>(fields: Fields) =>
  Schema.decodeUnknownOption(Schema.Struct(fields) as unknown as Schema.Schema<Schema.Struct.Type<Fields>>)

/** Reads what an answer has in `data`. */
export const enclosed = <A, I>(schema: Schema.Schema<A, I>) => {
  const decode = objectReader({ data: schema })
  return (json: unknown): Option.Option<A> => Option.map(decode(json), ({ data }) => data)
}

/** A field that may be absent or null; both are read as undefined. */
export const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { nullable: true })

export const optionalText = optional(Schema.String)

/** A field that may be absent or null; both are read as null. */
export const orNull = <A, I>(schema: Schema.Schema<A, I>) =>
  Schema.optionalWith(Schema.NullOr(schema), { default: () => null })

export const textOrNull = orNull(Schema.String)
