import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { transaction } from "../src/platform/database/Migration.ts"

/** What instances tell each other of the requests that they have let through: worth nothing after a crash, and so not logged. */
export default transaction(
  { besidePrevious: false },
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.unsafe(`
    create unlogged table spent_tokens (
      instance_id uuid not null,
      batch integer not null,
      spent jsonb not null,
      told_at timestamptz not null default clock_timestamp(),
      primary key (instance_id, batch)
    );
    create index spent_tokens_told on spent_tokens (told_at);
  `)
  )
)
