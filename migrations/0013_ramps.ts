import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { transaction } from "../src/platform/database/Migration.ts"

/** What a ramp is besides a payment, and until when its customer may pay. */
export default transaction(
  { besidePrevious: false },
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.unsafe(`
    alter table payments add column ramp jsonb;
    alter table payments add column expires_at timestamptz(3);
    alter table payments add constraint payments_ramp check (ramp is null or direction = 'external');
  `)
  )
)
