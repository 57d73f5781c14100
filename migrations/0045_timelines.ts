import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { transaction } from "../src/platform/database/Migration.ts"

/**
 * The PostgreSQL cluster that this database was last used on, and the highest timeline seen there. An instance that
 * meets another cluster, or a lower timeline, does not start.
 */
export default transaction(
  { besidePrevious: true },
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.unsafe(`
    alter table database_identity
      add column system_identifier text,
      add column timeline bigint;
  `)
  )
)
