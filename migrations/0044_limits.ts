import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/**
 * Balances of an organisation are read page by page in the order of their names, whatever the database's collation.
 *
 * Mobile money prompts are limited for each phone number, of which a keyed hash is kept with the times of its prompts.
 */
export default Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql.unsafe(`
    create index ledger_balances_by_name on ledger_balances (org_id, account collate "C");

    create table phone_prompts (
      counted text primary key,
      sent timestamptz[] not null,
      last_at timestamptz not null
    );
    create index phone_prompts_last on phone_prompts (last_at);
  `)
)
