import { Schema } from "effect"
import { PageSize } from "./Envelope.ts"

const cursor = Schema.NullOr(Schema.String).annotations({ description: "null on the last page" })

export const CamelPageParams = {
  limit: PageSize,
  lastEvaluatedKey: Schema.optional(Schema.String.annotations({ description: "`lastEvaluatedKey` of the page before" }))
}

export const camelPageOf = <S extends Schema.Schema.Any>(item: S) =>
  Schema.Struct({
    status: Schema.Literal("success"),
    message: Schema.String,
    data: Schema.Array(item),
    meta: Schema.Struct({ count: Schema.Int, has_more: Schema.Boolean, lastEvaluatedKey: cursor }),
    lastEvaluatedKey: cursor
  })
