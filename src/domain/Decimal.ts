/**
 * Exact decimals: how a number comes in from JSON, is rounded, and goes out again with its fraction and all of its digits.
 * Everything monetary stands on this module; no value passes through floating-point arithmetic.
 */
import { BigDecimal, Either, Option, ParseResult, Schema } from "effect"
import { parse } from "lossless-json"

export type Rounding = "half-even" | "floor" | "ceiling"

const powerOfTen = (exponent: number): bigint => 10n ** BigInt(exponent)

const isEven = (n: bigint): boolean => n % 2n === 0n

/** Divides by a positive divisor and rounds the exact quotient once. */
export const divideRounded = (dividend: bigint, divisor: bigint, rounding: Rounding): bigint => {
  const truncated = dividend / divisor
  const remainder = dividend % divisor
  if (remainder === 0n) return truncated
  const below = remainder < 0n ? truncated - 1n : truncated
  if (rounding === "floor") return below
  if (rounding === "ceiling") return below + 1n
  const twiceDistance = 2n * (dividend - below * divisor)
  if (twiceDistance === divisor) return isEven(below) ? below : below + 1n
  return twiceDistance < divisor ? below : below + 1n
}

/** The same value to exactly `scale` fraction digits: padded with zeros or rounded. */
export const roundToScale = (d: BigDecimal.BigDecimal, scale: number, rounding: Rounding): BigDecimal.BigDecimal =>
  d.scale <= scale
    ? BigDecimal.make(d.value * powerOfTen(scale - d.scale), scale)
    : BigDecimal.make(divideRounded(d.value, powerOfTen(d.scale - scale), rounding), scale)

const digitCount = (n: bigint): number => (n < 0n ? -n : n).toString().length

export const significantDigits = (d: BigDecimal.BigDecimal): number => digitCount(BigDecimal.normalize(d).value)

export const roundToSignificantDigits = (
  d: BigDecimal.BigDecimal,
  digits: number,
  rounding: Rounding
): BigDecimal.BigDecimal => {
  const surplus = digitCount(d.value) - digits
  return BigDecimal.normalize(surplus > 0 ? roundToScale(d, d.scale - surplus, rounding) : d)
}

/** Fraction digits that the value needs, independent of its scale: 10.000 needs none. */
export const fractionDigits = (d: BigDecimal.BigDecimal): number => Math.max(0, BigDecimal.normalize(d).scale)

/** The decimal that a JSON reader means by this double: its shortest text that reads back as the same double. */
export const fromJsonNumber = (n: number): Either.Either<BigDecimal.BigDecimal, string> =>
  Number.isFinite(n)
    ? Either.fromOption(BigDecimal.fromString(String(n)), () => "is not a decimal number")
    : Either.left("is not a finite number")

/** Plain decimal text that keeps the scale and never has an exponent; no point when the scale is 0 or less. */
export const toPlainText = (d: BigDecimal.BigDecimal): string => {
  if (d.scale <= 0) return (d.value * powerOfTen(-d.scale)).toString()
  const sign = d.value < 0n ? "-" : ""
  const digits = (d.value < 0n ? -d.value : d.value).toString().padStart(d.scale + 1, "0")
  const point = digits.length - d.scale
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`
}

/** Plain decimal text with at least one fraction digit, as amounts are written on the wire. */
export const toWireText = (d: BigDecimal.BigDecimal): string => (d.scale <= 0 ? `${toPlainText(d)}.0` : toPlainText(d))

const marker = "\u0000"
const escapedMarker = '"\\u0000'
const quotedDecimal = /"\\u0000(-?\d+(?:\.\d+)?)"/g

/** A decimal on its way into JSON: JSON.stringify can only write it as a marked string, `stringifyWire` bares it. */
export class WireNumber {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
  toJSON(): string {
    return marker + this.text
  }
}

/** JSON.stringify for values that may hold `WireNumber`s; those become JSON numbers with all their digits. */
export const stringifyWire = (value: unknown): string => {
  const text = JSON.stringify(value) as string | undefined
  if (text === undefined) return "null"
  return text.includes(escapedMarker) ? text.replace(quotedDecimal, "$1") : text
}

// The contract calls the encoded side a number, which is what the client sees once the text is bare.
const asNumber = (wire: WireNumber): number => wire as unknown as number

type Reading = Either.Either<BigDecimal.BigDecimal, string>

/**
 * Marks a literal of a request that a double may not hold exactly. A symbol, since no schema takes one for something else:
 * an object would pass wherever an object is expected that needs no field.
 */
export const inexact = (literal: string): symbol => Symbol(literal)

export const isInexact = (input: unknown): input is symbol => typeof input === "symbol"

/** The double nearest to the literal. */
export const nearest = (marked: symbol): number => Number(marked.description)

const isNumeric = (input: unknown): input is number =>
  typeof input === "number" || isInexact(input) || input instanceof WireNumber

const decimalSchema = (
  read: (input: unknown) => Reading,
  write: (d: BigDecimal.BigDecimal) => number,
  jsonSchema: object
): Schema.Schema<BigDecimal.BigDecimal, number> => {
  const encoded = Schema.declare(isNumeric, { message: () => notANumber, jsonSchema })
  return Schema.transformOrFail(encoded, Schema.BigDecimalFromSelf, {
    strict: true,
    decode: (input, _, ast) => Either.mapLeft(read(input), (why) => new ParseResult.Type(ast, input, why)),
    encode: (d) => ParseResult.succeed(write(d))
  })
}

const notANumber = "is not a JSON number (send 1500.5, without quotes)"

const readNumber = (input: unknown): Reading =>
  typeof input === "number" ? fromJsonNumber(input) : Either.left(notANumber)

const requirePositive = (d: BigDecimal.BigDecimal): Reading =>
  d.value > 0n ? Either.right(d) : Either.left("is not above zero")

const positiveOfAtMost = (digits: number) => {
  const tooLong = `has more than ${digits} significant digits`
  return (input: unknown): Reading =>
    isInexact(input)
      ? Either.left(tooLong)
      : Either.flatMap(Either.flatMap(readNumber(input), requirePositive), (d) =>
          significantDigits(d) <= digits ? Either.right(d) : Either.left(tooLong)
        )
}

const toDouble = (d: BigDecimal.BigDecimal): number => Number(toPlainText(d))

const AMOUNT_DIGITS = 15

/** Format of amounts in the contract. A reader's double holds 15 digits. */
export const MONEY = "double"

const amountLimit = BigDecimal.make(1n, -AMOUNT_DIGITS)

/** For amounts from anywhere. Zeros before the point count too: no reader of JSON keeps the cents of a number that long. */
export const checkAmountLength = (d: BigDecimal.BigDecimal): Reading =>
  significantDigits(d) <= AMOUNT_DIGITS && BigDecimal.lessThan(d, amountLimit)
    ? Either.right(d)
    : Either.left(`has more than ${AMOUNT_DIGITS} significant digits`)

const readPositive = positiveOfAtMost(AMOUNT_DIGITS)

/** A monetary amount in a request. Its fraction digits are checked where its currency is known, by `Money`. */
export const AmountInput = decimalSchema((input) => Either.flatMap(readPositive(input), checkAmountLength), toDouble, {
  type: "number",
  format: MONEY,
  exclusiveMinimum: 0,
  description: "An amount above zero, of at most 15 significant digits.",
  examples: [1500.5]
})

/** A rate in a request. */
export const RateInput = decimalSchema(positiveOfAtMost(12), toDouble, {
  type: "number",
  exclusiveMinimum: 0,
  description: "A rate above zero, of at most 12 significant digits.",
  examples: [129.35]
})

/** Any number above zero, of any length: for values that are compared within a tolerance, not booked. */
export const PositiveNumberInput = decimalSchema(
  (input) => Either.flatMap(readNumber(isInexact(input) ? nearest(input) : input), requirePositive),
  toDouble,
  { type: "number", exclusiveMinimum: 0, description: "Any number above zero.", examples: [129.35] }
)

/** A decimal in a response: written with its own scale through `stringifyWire`. */
export const WireDecimal = decimalSchema(
  (input) =>
    input instanceof WireNumber
      ? Either.fromOption(BigDecimal.fromString(input.text), () => "is not a decimal number")
      : readNumber(input),
  (d) => asNumber(new WireNumber(toWireText(d))),
  {
    type: "number",
    format: MONEY,
    description: "A decimal number, always written with a fraction.",
    examples: [1500.5]
  }
)

/** Exact decimal text, such as PostgreSQL writes for `numeric`; no exponent, no NaN. */
export const isPlainText = (text: string): boolean => /^-?\d+(?:\.\d+)?$/.test(text)

export const fromPlainText = (text: string): Option.Option<BigDecimal.BigDecimal> =>
  isPlainText(text) ? BigDecimal.fromString(text) : Option.none()

/** JSON whose numbers keep the digits that they were written with: what a double would change stays as its text. */
const read = (literal: string): number | WireNumber => {
  const value = Number(literal)
  return String(value) === literal && !/e/i.test(literal) ? value : new WireNumber(literal)
}

/** Also fits some texts whose digits stand in a string. */
const mayHoldNumber = /(?:^|[:[,])\s*-?\d/

export const parseExactJson = (text: string): unknown =>
  mayHoldNumber.test(text) ? parse(text, null, { parseNumber: read }) : JSON.parse(text)

const asWritten = (literal: string): string => literal

/** With every number as the text that it was written with. */
export const parseAsWritten = (text: string): unknown => parse(text, null, { parseNumber: asWritten })

/** JSON value with sorted members: equal bodies give equal texts. */
const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted)
  if (isInexact(value)) return nearest(value)
  if (typeof value !== "object" || value === null || value instanceof WireNumber) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, sorted(member)])
  )
}

export const canonicalJson = (value: unknown): string => JSON.stringify(sorted(value))
