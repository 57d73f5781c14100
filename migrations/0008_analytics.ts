import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { transaction } from "../src/platform/database/Migration.ts"

/**
 * The counts of days that are over for good. Reading a year of a million payments needs the table of payments only for
 * days that can still change, and initiation, which writes it, carries no index for it.
 */
export default transaction(
  { besidePrevious: false },
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.unsafe(`
    create table analytics_days (
      date date primary key,
      closed_at timestamptz(3) not null default now()
    );

    create table analytics_day_totals (
      date date not null references analytics_days on delete cascade,
      org_id uuid not null references organizations on delete cascade,
      currency text not null,
      count integer not null,
      completed integer not null,
      failed integer not null,
      volume numeric not null,
      primary key (date, org_id, currency)
    );
    create index analytics_day_totals_org on analytics_day_totals (org_id, date);
  `)
  )
)
