/** Fields of requests: limited text, metadata and times, with their descriptions for the reference. */
import { BigDecimal, ParseResult, Schema } from "effect"
import { CARD_REFUSED, holdsCardNumber, withoutCardNumber } from "../../domain/Card.ts"
import { AmountInput, MONEY, stringifyWire, WireNumber } from "../../domain/Decimal.ts"
import { isBlank } from "../../domain/MailSafeText.ts"
import { isDate } from "../../domain/CalendarDate.ts"

/** An account number, which may look like a card number. */
const numberAsSent = (longest: number) =>
  Schema.String.pipe(
    Schema.minLength(1),
    Schema.maxLength(longest),
    Schema.filter((value) => !isBlank(value) || "is blank")
  )

/** Stored as sent, or refused if it contains a card number. */
export const asSent = (longest: number) => numberAsSent(longest).pipe(Schema.filter(withoutCardNumber))

export const accountNumber = (longest: number, description: string) =>
  numberAsSent(longest).annotations({
    description,
    jsonSchema: { type: "string", minLength: 1, maxLength: longest, description }
  })

export const text = (longest: number, description?: string) => {
  const about = description === undefined ? {} : { description }
  return asSent(longest).annotations({
    ...about,
    jsonSchema: { type: "string", minLength: 1, maxLength: longest, ...about }
  })
}

/** Trimmed, such as a one-time password that a person types. */
export const trimmedText = (longest: number, description: string) =>
  Schema.Trim.pipe(Schema.minLength(1), Schema.maxLength(longest)).annotations({
    description,
    jsonSchema: { type: "string", minLength: 1, maxLength: longest, description }
  })

export const matching = (pattern: RegExp, message: string, description: string) =>
  Schema.String.pipe(Schema.pattern(pattern, { message: () => message })).annotations({ description })

/** Missing and null mean the same. */
export const optionalOrNull = <A, I>(schema: Schema.Schema<A, I>) =>
  Schema.optionalWith(schema, { nullable: true, exact: true })

/** Missing and null are kept apart. */
export const optionalNullable = <A, I>(schema: Schema.Schema<A, I>) => Schema.optional(Schema.NullOr(schema))

const Zero = Schema.transform(Schema.Literal(0), Schema.BigDecimalFromSelf, {
  strict: true,
  decode: () => BigDecimal.fromBigInt(0n),
  encode: () => 0 as const
})

/** An amount from zero up, or null. */
export const limitAmount = (description: string) =>
  Schema.NullOr(
    Schema.Union(AmountInput, Zero).annotations({ jsonSchema: { type: "number", format: MONEY, minimum: 0 } })
  ).annotations({
    description,
    message: () => ({ message: "is not a JSON number from 0 up, of at most 15 significant digits", override: true })
  })

/** Accepted and ignored. */
const unread = (description: string) =>
  Schema.optional(Schema.Unknown.annotations({ jsonSchema: { type: "string", description } }))

export const credentialFields = {
  user_id: unread("Optional and ignored: the credential determines the user"),
  org_id: unread("Optional and ignored: the credential determines the organisation. Only platform admins send it")
}

const MAX_METADATA_KEYS = 50
const MAX_METADATA_BYTES = 16 * 1024

const holdsCard = (value: unknown): boolean => {
  if (typeof value !== "object" || value === null) return holdsCardNumber(String(value))
  if (value instanceof WireNumber) return holdsCardNumber(value.text)
  return Object.entries(value).some(([key, one]) => holdsCardNumber(key) || holdsCard(one))
}

const flawOf = (metadata: Readonly<Record<string, unknown>>): string | undefined => {
  if (Object.keys(metadata).length > MAX_METADATA_KEYS) return `has more than ${MAX_METADATA_KEYS} keys`
  if (Buffer.byteLength(stringifyWire(metadata)) > MAX_METADATA_BYTES)
    return `is larger than ${MAX_METADATA_BYTES / 1024} KiB as JSON`
  // Last, because it takes longest.
  return holdsCard(metadata) ? CARD_REFUSED : undefined
}

export const Metadata = Schema.Record({ key: Schema.String, value: Schema.Unknown })
  .pipe(Schema.filter(flawOf))
  .annotations({
    jsonSchema: {
      type: "object",
      maxProperties: MAX_METADATA_KEYS,
      additionalProperties: {},
      description:
        "Your own data, returned as sent, numbers digit for digit (numbers with an exponent, and -0, are 400). At most 50 keys and 16 KiB as JSON. Text that looks like a card number is 400."
    }
  })

const EARLIEST = Date.parse("0001-01-01T00:00:00Z")
const LATEST = Date.parse("9999-12-31T23:59:59.999Z")

const isoTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/

/** An offset may lead out of the four-digit years of ISO 8601. */
const isWritable = (millis: number): boolean => millis >= EARLIEST && millis <= LATEST

const isIsoTime = (text: string): boolean =>
  isoTime.test(text) && isDate(text.slice(0, 10)) && isWritable(Date.parse(text))

export const IsoTime = Schema.String.pipe(
  Schema.filter((text) => isIsoTime(text) || "must be an ISO 8601 time with its offset, such as 2026-03-31T18:00:00Z"),
  Schema.compose(Schema.Date)
).annotations({ jsonSchema: { type: "string", format: "date-time" } })

const DAY_MILLIS = 86_400_000

/** Bound of a time range: a time, or the start or end of a UTC day. */
const bound = (dayMillis: number, description: string) =>
  Schema.transformOrFail(Schema.String, Schema.DateFromSelf, {
    strict: true,
    decode: (text, _, ast) => {
      if (isDate(text)) return ParseResult.succeed(new Date(Date.parse(text) + dayMillis))
      if (isIsoTime(text)) return ParseResult.succeed(new Date(text))
      const why = "must be a date or time in ISO 8601, such as 2026-03-02 or 2026-03-02T09:00:00Z"
      return ParseResult.fail(new ParseResult.Type(ast, text, why))
    },
    encode: (date) => ParseResult.succeed(date.toISOString())
  }).annotations({ description, jsonSchema: { type: "string", description, examples: ["2026-03-02T09:00:00Z"] } })

export const FromTime = bound(0, "From this time on: an ISO 8601 time, or a UTC day")
export const ToTime = bound(DAY_MILLIS, "Before this ISO 8601 time, or until the end of this UTC day")
