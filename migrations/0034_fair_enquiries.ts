import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { transaction } from "../src/platform/database/Migration.ts"

/** Whose turn it is among very many is found without looking at all of them. */
export default transaction(
  { besidePrevious: false },
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.unsafe(`
    create index attempts_enquiry_own on attempts (provider, org_id, (least(next_enquiry_at, hint_at)))
      where next_enquiry_at is not null or hint_at is not null;
    drop index attempts_unsent;
    create index attempts_unsent on attempts (provider, started_at) where sends = 0;
    create index attempts_unsent_own on attempts (provider, org_id, started_at) where sends = 0;`)
  )
)
