import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { transaction } from "../src/platform/database/Migration.ts"

/** The books: postings that are only ever added, the balances that follow from them, and how far an organisation may owe. */
export default transaction(
  { besidePrevious: false },
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.unsafe(`
    create table ledger_postings (
      entry_id uuid not null,
      account text not null constraint ledger_postings_account check (account ~
        '^((settlement|held|virtual|escrow|party|ramp)/[0-9a-f-]{36}|provider/[a-z_]{1,40}|fees|fx|suspense)/[A-Z]{3,4}$'),
      org_id uuid,
      currency text not null,
      amount numeric not null constraint ledger_postings_amount check (amount <> 0),
      kind text not null check (length(kind) between 1 and 40),
      payment_id uuid,
      reference text check (length(reference) <= 255),
      created_at timestamptz(3) not null default now(),
      -- An entry that is written again is refused, whoever sends it twice.
      primary key (entry_id, account),
      constraint ledger_postings_currency check (right(account, length(currency) + 1) = '/' || currency),
      constraint ledger_postings_owner check (
        split_part(account, '/', 1) not in ('settlement', 'held')
        or coalesce(split_part(account, '/', 2) = org_id::text, false))
    );
    create index ledger_postings_newest on ledger_postings (account, created_at desc, entry_id desc) include (amount);
    create index ledger_postings_payment on ledger_postings (payment_id) where payment_id is not null;

    -- Only accounts that must not pass a floor have a row here, since it is a lock that postings queue for.
    create table ledger_balances (
      account text primary key,
      org_id uuid not null references organizations,
      currency text not null,
      balance numeric not null default 0,
      floor numeric,
      constraint ledger_balances_floor check (floor is null or balance >= floor)
    ) with (fillfactor = 50);
    create index ledger_balances_owner on ledger_balances (org_id, account);

    create table ledger_limits (
      org_id uuid not null references organizations,
      currency text not null check (currency ~ '^[A-Z]{3,4}$'),
      credit_limit numeric not null check (credit_limit >= 0),
      updated_at timestamptz(3) not null default now(),
      primary key (org_id, currency)
    );

    create function ledger_keeps_balance(account text) returns boolean language sql immutable as $$
      select split_part(account, '/', 1) in ('settlement', 'held', 'virtual', 'escrow', 'party', 'ramp')
    $$;

    -- Null: there is none. A limit that was set counts in a sandbox too, so that running out of money can be tried there.
    create function ledger_floor(of_account text, of_org uuid, of_currency text) returns numeric language sql stable as $$
      select case when of_account like 'settlement/%' then (
        select coalesce(-l.credit_limit, case when o.sandbox then null else 0 end)
        from organizations o left join ledger_limits l on l.org_id = o.org_id and l.currency = of_currency
        where o.org_id = of_org
      ) else 0 end
    $$;

    -- Its plans are made once for each connection, when the table may still be small: only those that stay good are allowed.
    create function ledger_settle() returns trigger language plpgsql
    set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
    declare
      wrong text;
      short text;
    begin
      if not exists (select from inserted) then
        return null;
      end if;

      select format('entry %s does not balance: %s %s are left over', entry_id, sum(amount), currency) into wrong
      from inserted group by entry_id, currency having sum(amount) <> 0 limit 1;
      if wrong is not null then
        raise exception '%', wrong
          using errcode = 'check_violation', constraint = 'ledger_postings_balanced', table = 'ledger_postings';
      end if;

      -- With nothing on it: the check of a row that is put in comes before the one that sees it is there already.
      insert into ledger_balances (account, org_id, currency, floor)
      select account, org_id, currency, ledger_floor(account, org_id, currency)
      from (select distinct account, org_id, currency from inserted where ledger_keeps_balance(account)) touched
      where not exists (select from ledger_balances b where b.account = touched.account)
      order by account collate "C"
      on conflict (account) do nothing;

      -- Every statement locks in the same order, so that no two of them can wait for each other.
      select min(account) filter (where stranger), min(account) filter (where balance + amount < floor)
      into wrong, short
      from (
        select b.account collate "C" as account, b.balance, b.floor, p.amount, b.org_id is distinct from p.org_id as stranger
        from (
          select account, org_id, sum(amount) as amount from inserted where ledger_keeps_balance(account)
          group by account, org_id
        ) p join ledger_balances b on b.account = p.account
        order by b.account collate "C"
        for no key update of b
      ) locked;
      if wrong is not null then
        raise exception '% belongs to another organisation', wrong
          using errcode = 'check_violation', constraint = 'ledger_balances_one_owner', table = 'ledger_balances';
      end if;
      if short is not null then
        raise exception 'not enough money on %', short
          using errcode = 'check_violation', constraint = 'ledger_balances_floor', table = 'ledger_balances', detail = short;
      end if;

      update ledger_balances b set balance = b.balance + p.amount
      from (
        select account, sum(amount) as amount from inserted where ledger_keeps_balance(account)
        group by account having sum(amount) <> 0
      ) p
      where b.account = p.account;
      return null;
    end $$;
    create trigger ledger_postings_settle after insert on ledger_postings
      referencing new table as inserted for each statement execute function ledger_settle();

    create function ledger_refuse_change() returns trigger language plpgsql as $$
    begin
      raise exception 'postings are never changed or removed: post an entry that corrects them'
        using errcode = 'restrict_violation';
    end $$;
    create trigger ledger_postings_final before update or delete on ledger_postings
      for each statement execute function ledger_refuse_change();

    -- A sandbox may start over. Whoever has books of a live organisation has them for good.
    create function ledger_keep_live_books() returns trigger language plpgsql as $$
    begin
      if exists (select from ledger_balances b join organizations o on o.org_id = b.org_id where not o.sandbox) then
        raise exception 'these are the books of a live organisation: postings are never removed'
          using errcode = 'restrict_violation';
      end if;
      return null;
    end $$;
    create trigger ledger_postings_truncate before truncate on ledger_postings
      for each statement execute function ledger_keep_live_books();
  `)
  )
)
