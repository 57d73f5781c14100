/** What is there before the migrations have run, for those who must not run them. */
import { SqlClient } from "@effect/sql"
import { Effect, Schema } from "effect"
import { theRowAs } from "./Rows.ts"

const presence = theRowAs(Schema.Struct({ there: Schema.Boolean }))

export const tableExists = Effect.fn("tableExists")(function* (table: string) {
  const sql = yield* SqlClient.SqlClient
  const { there } = yield* sql`select to_regclass(${table}) is not null as there`.pipe(Effect.flatMap(presence))
  return there
})

export const columnExists = Effect.fn("columnExists")(function* (table: string, column: string) {
  const sql = yield* SqlClient.SqlClient
  const { there } = yield* sql`select exists (
    select from pg_attribute where attrelid = to_regclass(${table}) and attname = ${column}
  ) as there`.pipe(Effect.flatMap(presence))
  return there
})
