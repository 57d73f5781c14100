import { ParseResult, Schema } from "effect"
import { isDate } from "../../domain/CalendarDate.ts"

const EARLIEST = Date.parse("0001-01-01T00:00:00Z")
const LATEST = Date.parse("9999-12-31T23:59:59.999Z")

const moment = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/

/** An offset may lead out of the four-digit years of ISO 8601. */
const isWritable = (millis: number): boolean => millis >= EARLIEST && millis <= LATEST

const isMoment = (text: string): boolean =>
  moment.test(text) && isDate(text.slice(0, 10)) && isWritable(Date.parse(text))

export const Moment = Schema.String.pipe(
  Schema.filter((text) => isMoment(text) || "must be an ISO 8601 time with its offset, such as 2026-03-31T18:00:00Z"),
  Schema.compose(Schema.Date)
).annotations({ jsonSchema: { type: "string", format: "date-time" } })

const DAY_MILLIS = 86_400_000

/** Bound of a time range: a time, or the start or end of a UTC day. */
const bound = (dayMillis: number, description: string) =>
  Schema.transformOrFail(Schema.String, Schema.DateFromSelf, {
    strict: true,
    decode: (text, _, ast) => {
      if (isDate(text)) return ParseResult.succeed(new Date(Date.parse(text) + dayMillis))
      if (isMoment(text)) return ParseResult.succeed(new Date(text))
      const why = "must be a date or time in ISO 8601, such as 2026-03-02 or 2026-03-02T09:00:00Z"
      return ParseResult.fail(new ParseResult.Type(ast, text, why))
    },
    encode: (date) => ParseResult.succeed(date.toISOString())
  }).annotations({ description, jsonSchema: { type: "string", description, examples: ["2026-03-02T09:00:00Z"] } })

export const FromMoment = bound(0, "From this time on: an ISO 8601 time, or a UTC day")
export const ToMoment = bound(DAY_MILLIS, "Before this ISO 8601 time, or until the end of this UTC day")
