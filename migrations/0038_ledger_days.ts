import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { transaction } from "../src/platform/database/Migration.ts"

/**
 * What settlement accounts moved on each UTC day that is over, so that nobody sums up a year of postings to read it.
 * `ledger_days` has every day before `ledger_closed.before`, and a posting that comes late for one of them adds to it:
 * whoever closes days and whoever is late wait for each other by a lock. A posting is late a minute after its time; by
 * the time a day is closed, all that were in time have been waited for.
 */
export default transaction(
  { besidePrevious: false },
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.unsafe(`
    create table ledger_days (
      account text not null,
      org_id uuid not null,
      date date not null,
      amount numeric not null,
      primary key (account, date)
    );

    create table ledger_closed (
      one boolean primary key default true check (one),
      before date not null
    );

    create function ledger_posted_late() returns trigger language plpgsql as $$
    begin
      perform pg_advisory_xact_lock_shared(7402118617);
      insert into ledger_days (account, org_id, date, amount)
      select new.account, new.org_id, (new.created_at at time zone 'UTC')::date, new.amount from ledger_closed
      where new.created_at < before::timestamp at time zone 'UTC'
      on conflict (account, date) do update set amount = ledger_days.amount + excluded.amount;
      return null;
    end $$;

    create trigger ledger_postings_late after insert on ledger_postings for each row
      when (new.created_at < clock_timestamp() - interval '1 minute' and new.account like 'settlement/%')
      execute function ledger_posted_late();
  `)
  )
)
