import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { transaction } from "../src/platform/database/Migration.ts"

/**
 * Who this database is, so that an operator can tell whether a server works on the same one, and the master key of a
 * sandbox whose DATABASE_URL holds no secret to derive one from.
 */
export default transaction(
  { besidePrevious: false },
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.unsafe(`
    create table database_identity (
      singleton boolean primary key default true check (singleton),
      database_id uuid not null default gen_random_uuid(),
      sandbox_key text
    );
    insert into database_identity default values;
  `)
  )
)
