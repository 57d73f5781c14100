import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { transaction } from "../src/platform/database/Migration.ts"

/**
 * What those who run the service look at: which request caused an attempt or an event, where requests are traced; and
 * figures for the metrics, which one instance reads for all of them.
 */
export default transaction(
  { besidePrevious: false },
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.unsafe(`
    alter table attempts add column traceparent text;
    alter table events add column traceparent text;

    -- Few at any time: an attempt leaves it with its verdict.
    create index attempts_unknown on attempts (provider, started_at) where outcome = 'unknown';

    create table figures (
      only_one boolean primary key default true check (only_one),
      taken_at timestamptz(3) not null,
      figures jsonb
    );
    insert into figures (taken_at) values ('-infinity');
  `)
  )
)
