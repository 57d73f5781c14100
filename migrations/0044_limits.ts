import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/**
 * Balances of an organisation are read page by page in the order of their names, whatever the database's collation.
 *
 * Mobile money prompts are counted for each phone number, by a keyed hash of it: how many were sent since a time, for
 * each length of time that has a limit, and by whom (anonymous payers of links, or API callers).
 */
export default Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql.unsafe(`
    create index ledger_balances_by_name on ledger_balances (org_id, account collate "C");

    create table phone_prompts (
      phone text not null,
      caller text not null,
      since timestamptz not null,
      until timestamptz not null,
      prompts integer not null,
      primary key (phone, caller, until, since)
    );
  `)
)
