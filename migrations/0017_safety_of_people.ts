import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { transaction } from "../src/platform/database/Migration.ts"

/** Who was shown a key's secret, and how many messages went to whom, in whose name. */
export default transaction(
  { besidePrevious: false },
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.unsafe(`
    -- Null: an operator at the command line, who makes a key for its user. Nobody else obtains a key but their own.
    alter table api_keys add column obtained_by uuid references users;
    update api_keys set obtained_by = user_id;
    alter table api_keys add constraint api_keys_obtained check (obtained_by is null or obtained_by = user_id);

    create table message_counts (
      -- Whose messages are counted: an organisation, a recipient (hashed), or both.
      counted text not null,
      window_start timestamptz not null,
      messages integer not null check (messages > 0),
      primary key (counted, window_start)
    );
    create index message_counts_old on message_counts (window_start);
  `)
  )
)
