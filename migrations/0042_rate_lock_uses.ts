import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { transaction } from "../src/platform/database/Migration.ts"

/**
 * Uses of locked rates: one for each lock, written with the payment or the transfer that spends it. Proposals of rates
 * that wait for a second person. Sums of the fx accounts. The version before may run beside it, and does not spend locks.
 */
export default transaction(
  { besidePrevious: true },
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.unsafe(`
    -- In from_currency; null: any amount up to RATE_LOCK_MAX.
    alter table rate_locks add column amount numeric;

    create table rate_lock_uses (
      org_rate_id uuid primary key references rate_locks on delete cascade,
      org_id uuid not null,
      -- The payment, or the entry of a transfer.
      used_by uuid not null,
      used_at timestamptz not null default now(),
      -- By how much the lock was better than the live rate, in USD.
      gain numeric not null default 0 check (gain >= 0),
      -- What the gains of the organisation in 24 hours may add up to with this one; null where they are not compared.
      gain_bound numeric
    );
    create index rate_lock_uses_gains on rate_lock_uses (org_id, used_at) where gain > 0;

    insert into rate_lock_uses (org_rate_id, org_id, used_by, used_at)
    select distinct on (l.org_rate_id) l.org_rate_id, l.org_id, p.payment_id, p.created_at
    from rate_locks l join payments p on p.org_rate_id = l.org_rate_id
    where l.expires_at > now() order by l.org_rate_id, p.created_at;

    -- Each statement of the function sees what was committed while it waited for the organisation's row.
    create function rate_gain_within_bound() returns trigger language plpgsql as $$
    declare
      gained numeric;
    begin
      perform 1 from organizations where org_id = new.org_id for no key update;
      select coalesce(sum(gain), 0) into gained from rate_lock_uses
        where org_id = new.org_id and gain > 0 and used_at > now() - interval '24 hours';
      if gained + new.gain > new.gain_bound then
        raise exception 'the rate gains of organisation % are at their bound', new.org_id
          using errcode = 'check_violation', constraint = 'rate_lock_uses_gain_bound';
      end if;
      return new;
    end $$;

    create trigger rate_lock_uses_gain before insert on rate_lock_uses
      for each row when (new.gain_bound is not null) execute function rate_gain_within_bound();

    -- What the fx accounts had before a time, so that the metrics sum up the latest postings only.
    create table fx_totals (
      account text primary key,
      amount numeric not null,
      until timestamptz not null
    );

    create table rate_proposals (
      from_currency text not null,
      to_currency text not null,
      rate numeric not null check (rate > 0),
      proposed_by text not null,
      proposed_at timestamptz not null default now(),
      primary key (from_currency, to_currency)
    );
  `)
  )
)
