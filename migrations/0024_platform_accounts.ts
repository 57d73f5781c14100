import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { transaction } from "../src/platform/database/Migration.ts"

/**
 * Which accounts at providers the settings of instances have named, by a keyed fingerprint of their credentials, and until
 * when: what was sent through one of them is not looked for in another.
 */
export default transaction(
  { besidePrevious: false },
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`create table platform_accounts (
    provider text not null check (provider <> ''),
    fingerprint text not null check (fingerprint ~ '^[0-9a-f]{64}$'),
    first_seen_at timestamptz(3) not null default now(),
    last_seen_at timestamptz(3) not null default now() check (last_seen_at >= first_seen_at),
    primary key (provider, fingerprint)
  )`
  )
)
