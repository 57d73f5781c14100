import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { transaction } from "../src/platform/database/Migration.ts"

/** A key's row says which request wrote it: only that one keeps its answer there, or takes the row back. */
export default transaction(
  { besidePrevious: false },
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.unsafe(`
    alter table idempotency_keys add column claim uuid;
  `)
  )
)
