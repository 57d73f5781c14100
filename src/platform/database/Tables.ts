/** What is there before the migrations have run, for those who must not run them. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export const tableExists = Effect.fn("tableExists")(function* (table: string) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ there: boolean }>`select to_regclass(${table}) is not null as there`
  return row?.there === true
})
