import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { transaction } from "../src/platform/database/Migration.ts"

/** Who did something is read by people, who know each other by names; entries of before stay without one. */
export default transaction(
  { besidePrevious: false },
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql`alter table audit_log add column actor_name text`)
)
