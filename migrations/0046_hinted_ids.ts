import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { transaction } from "../src/platform/database/Migration.ts"

/** Ids that hints named for an attempt whose own id at its provider is unknown. Looked up with the next enquiry. */
export default transaction(
  { besidePrevious: true },
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql`alter table attempts add column hinted_ids text[]`)
)
