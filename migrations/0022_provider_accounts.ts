import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { transaction } from "../src/platform/database/Migration.ts"

/**
 * The accounts at providers that configurations bring, their credentials sealed. They outlive their configuration: what
 * was sent through one is asked about, given back and called back about through it.
 */
export default transaction(
  { besidePrevious: false },
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`create table provider_accounts (
    config_id uuid primary key,
    provider text not null check (provider <> ''),
    sealed text not null check (sealed <> ''),
    version integer not null default 1 check (version > 0),
    tested_at timestamptz(3),
    updated_at timestamptz(3) not null default now()
  )`
  )
)
