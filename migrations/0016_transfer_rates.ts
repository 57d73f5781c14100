import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { transaction } from "../src/platform/database/Migration.ts"

/** At which rate a transfer between currencies was made: locks are forgotten, and the check of the books needs it. */
export default transaction(
  { besidePrevious: false },
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.unsafe(`
    -- What one unit of the debited currency was worth in the credited one; null where nothing was exchanged.
    alter table virtual_transactions add column rate numeric check (rate > 0);
  `)
  )
)
