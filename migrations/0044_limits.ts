import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { transaction } from "../src/platform/database/Migration.ts"

/** Mobile money prompts are limited for each phone number, of which a keyed hash is kept with the times of its prompts. */
export default transaction(
  { besidePrevious: true },
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.unsafe(`
      create table phone_prompts (
        counted text primary key,
        sent timestamptz[] not null,
        last_at timestamptz not null
      );
      create index phone_prompts_last on phone_prompts (last_at);
    `)
  )
)
