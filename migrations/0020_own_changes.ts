import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { transaction } from "../src/platform/database/Migration.ts"

/** By which change a payment has come to its version: whoever loses the answer to a write finds out that it was theirs. */
export default transaction(
  { besidePrevious: false },
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql`alter table payments add column last_change bigint`)
)
