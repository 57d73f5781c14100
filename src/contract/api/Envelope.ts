/** Shared schemas: success envelope, pages, timestamps, ids in paths. */
import { Schema } from "effect"
import { type Naming, uuidOrNil } from "../../domain/Ids.ts"
import { isDate } from "../../domain/CalendarDate.ts"

export const Timestamp = Schema.Date.annotations({
  identifier: "Timestamp",
  jsonSchema: { type: "string", format: "date-time", description: "ISO 8601, UTC" }
})

export const timestamps = { created_at: Timestamp, updated_at: Timestamp }

/** Left out rather than null. */
export const optionalExact = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

const uuid = { description: "UUIDv7", jsonSchema: { format: "uuid" } }

export const Id = Schema.String.annotations(uuid)

export const idOf = <Named extends string>(of: Naming<Named>) => of.annotations(uuid)

/** An id in a path. Text that cannot be an id is treated as an unknown id. */
export const idParam = <Named extends string>(of: Naming<Named>) =>
  Schema.transform(Schema.String, of, { strict: true, decode: uuidOrNil, encode: (id) => id })

export const IdParam = idParam(Schema.String)

export const envelope = <S extends Schema.Schema.Any>(data: S) =>
  Schema.Struct({ status: Schema.Literal("success"), message: Schema.String, data })

export const success = <A>(message: string, data: A) => ({ status: "success" as const, message, data })

/** Digits only: other notations of JavaScript (`1e1`, ` 5`, `+5`) are refused. */
const PageSizeText = Schema.String.pipe(
  Schema.filter((text) => /^([1-9]\d?|100)$/.test(text) || "must be a whole number from 1 to 100")
)

const PageSizeNumber = Schema.transform(PageSizeText, Schema.Number, { strict: true, decode: Number, encode: String })

const pageSizeJson = { type: "integer", minimum: 1, maximum: 100 }

const PageSize = Schema.optionalWith(
  PageSizeNumber.annotations({ jsonSchema: { ...pageSizeJson, default: 10, description: "Page size, 1 to 100" } }),
  { default: () => 10 }
)

/** For lists that have all records without `limit`. */
export const PageSizeIfAny = Schema.optional(
  PageSizeNumber.annotations({
    jsonSchema: { ...pageSizeJson, description: "Extension. Page size, 1 to 100; all records when absent" }
  })
)

export const CursorParam = Schema.optional(
  Schema.String.annotations({ description: "`last_evaluated_key` of the page before" })
)

export const PageParams = { limit: PageSize, last_evaluated_key: CursorParam }

export const OrgParam = {
  org_id: Schema.optional(
    Schema.String.annotations({ description: "The organisation; the credential's own when absent. Any other is 403." })
  )
}

const cursor = Schema.NullOr(Schema.String).annotations({ description: "null on the last page" })

const metaIn = "Extension. Only with `limit`"

/** Page fields of such a list. */
export const pageFieldsIfAny = <const Name extends string>(name: Name) => {
  const fields = { [name]: cursor } as { readonly [K in Name]: typeof cursor }
  const optional = <S extends Schema.Schema.All>(schema: S) => Schema.optionalWith(schema, { exact: true })
  return {
    meta: optional(
      Schema.Struct({ count: Schema.Int, has_more: Schema.Boolean, ...fields }).annotations({ description: metaIn })
    ),
    ...({ [name]: optional(cursor) } as { readonly [K in Name]: Schema.optionalWith<typeof cursor, { exact: true }> })
  }
}

const meta = Schema.Struct({ count: Schema.Int, has_more: Schema.Boolean, last_evaluated_key: cursor })

const page = <S extends Schema.Schema.Any, M extends Schema.Schema.Any>(item: S, meta: M) =>
  Schema.Struct({
    status: Schema.Literal("success"),
    message: Schema.String,
    data: Schema.Array(item),
    meta,
    last_evaluated_key: cursor
  })

export const pageOf = <S extends Schema.Schema.Any>(item: S) => page(item, meta)

/** A page of a list that can be searched. */
export const searchedPageOf = <S extends Schema.Schema.Any>(item: S) =>
  page(
    item,
    Schema.Struct({
      ...meta.fields,
      searched_to: optionalExact(Schema.NullOr(Timestamp)).annotations({
        description:
          "Extension. Only with `search`: references and names are searched back to this time, or to the oldest if `has_more` is false. Null while exact matches are listed"
      })
    })
  )

export const countedPageOf = <S extends Schema.Schema.Any>(item: S) =>
  page(item, Schema.Struct({ ...meta.fields, total_count: Schema.Int }))

const camelCursor = Schema.NullOr(Schema.String).annotations({ description: "null on the last page" })

export const CamelPageParams = {
  limit: PageSize,
  lastEvaluatedKey: Schema.optional(Schema.String.annotations({ description: "`lastEvaluatedKey` of the page before" }))
}

export const camelPageOf = <S extends Schema.Schema.Any>(item: S) =>
  Schema.Struct({
    status: Schema.Literal("success"),
    message: Schema.String,
    data: Schema.Array(item),
    meta: Schema.Struct({ count: Schema.Int, has_more: Schema.Boolean, lastEvaluatedKey: camelCursor }),
    lastEvaluatedKey: camelCursor
  })

export const reportOf = <S extends Schema.Schema.Any>(data: S) =>
  Schema.Struct({ status: Schema.Literal("success"), data })

export const report = <A>(data: A) => ({ status: "success" as const, data })

const CalendarDate = Schema.String.pipe(
  Schema.filter((text) => isDate(text) || "is not a date such as 2026-03-01")
).annotations({ jsonSchema: { type: "string", format: "date" } })

export const DateParams = {
  dateFrom: Schema.optional(CalendarDate).annotations({
    description: "First day, included; default: 29 days before `dateTo`"
  }),
  dateTo: Schema.optional(CalendarDate).annotations({ description: "Last day, included; default: today" })
}
