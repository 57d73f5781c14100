import { Schema } from "effect"
import { isDate } from "../../domain/CalendarDate.ts"

export const reportOf = <S extends Schema.Schema.Any>(data: S) =>
  Schema.Struct({ status: Schema.Literal("success"), data })

export const report = <A>(data: A) => ({ status: "success" as const, data })

const CalendarDate = Schema.String.pipe(
  Schema.filter((text) => isDate(text) || "is not a date such as 2026-03-01")
).annotations({ jsonSchema: { type: "string", format: "date" } })

export const DateParams = {
  dateFrom: Schema.optional(CalendarDate).annotations({
    description: "First day, included; 29 days before `dateTo` when absent"
  }),
  dateTo: Schema.optional(CalendarDate).annotations({ description: "Last day, included; today when absent" })
}
