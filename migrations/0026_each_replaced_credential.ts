import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { transaction } from "../src/platform/database/Migration.ts"

/** Credentials may be changed again within the day that the ones before are believed: each is kept for its own. */
export default transaction(
  { besidePrevious: false },
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`create table replaced_credentials (
    config_id uuid not null,
    version integer not null check (version > 0),
    sealed text not null check (sealed <> ''),
    until timestamptz(3) not null,
    primary key (config_id, version)
  )`
    yield* sql`create index replaced_credentials_until on replaced_credentials (until)`
    yield* sql`insert into replaced_credentials (config_id, version, sealed, until)
    select config_id, greatest(version - 1, 1), replaced, replaced_until
    from provider_accounts where replaced is not null`
    yield* sql`alter table provider_accounts drop column replaced, drop column replaced_until`
  })
)
