import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { transaction } from "../src/platform/database/Migration.ts"

/**
 * Money at providers: `movements` has one row for each transfer, under the provider's own id, and `allocations` what was
 * given a place by an operator, or by a rule that undoes such a decision. Everything else about a payment's money follows.
 */
export default transaction(
  { besidePrevious: false },
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.unsafe(`
    create table movements (
      provider text not null,
      -- The configuration whose account moved the money; null: the platform's.
      account uuid,
      kind text not null check (kind in ('collection', 'disbursement', 'refund', 'reversal', 'reinstatement')),
      movement_id text not null check (length(movement_id) between 1 and 500),
      payment_id uuid not null references payments,
      org_id uuid not null,
      -- The attempt whose money it is, and the refund or return that it carries out.
      attempt_id uuid not null,
      refund_id uuid,
      amount numeric not null check (amount > 0),
      currency text not null,
      state text not null check (state in ('pending', 'settled', 'failed')),
      is_total boolean not null default false,
      source text not null check (source in ('answer', 'callback', 'enquiry', 'operator')),
      heard_at timestamptz(3) not null
    );
    -- One transfer belongs to one payment, whoever names it.
    create unique index movements_identity on movements
      (provider, coalesce(account, '00000000-0000-0000-0000-000000000000'), kind, movement_id);
    create index movements_payment on movements (payment_id);

    create table allocations (
      allocation_id uuid primary key,
      payment_id uuid not null references payments,
      org_id uuid not null,
      attempt_id uuid not null,
      origin text not null check (origin in ('clearing', 'ramp')),
      -- Above zero the organisation gets it, below zero it bears it.
      amount numeric not null,
      currency text not null,
      account text not null,
      own_amount numeric not null,
      own_currency text not null,
      note text not null,
      -- Null: a rule.
      decided_by text,
      at timestamptz(3) not null
    );
    create index allocations_payment on allocations (payment_id);

    create function allocations_refuse_change() returns trigger language plpgsql as $$
    begin
      raise exception 'allocations are never changed or removed: a second one undoes the first'
        using errcode = 'restrict_violation';
    end $$;
    create trigger allocations_final before update or delete on allocations
      for each statement execute function allocations_refuse_change();

    alter table payments drop column unmatched;
    alter table payments add column taken_by uuid, add column refunded_amount numeric not null default 0;
    alter table attempts drop column received, drop column said, drop column ordered;
    delete from operator_items where kind = 'suspense';

    alter table ledger_postings drop constraint ledger_postings_account;
    alter table ledger_postings add constraint ledger_postings_account check (account ~
      '^((settlement|held|virtual|escrow|party|ramp|receivable)/[0-9a-f-]{36}|(own|clearing)/[0-9a-f-]{36}/[0-9a-f-]{36}|provider/[a-z_]{1,40}(/[0-9a-f-]{36})?|fees|fx|suspense)/[A-Z]{3,4}$');
    alter table ledger_postings drop constraint ledger_postings_owner;
    alter table ledger_postings add constraint ledger_postings_owner check (
      split_part(account, '/', 1) not in ('settlement', 'held', 'own', 'receivable')
      or coalesce(split_part(account, '/', 2) = org_id::text, false));

    create or replace function ledger_keeps_balance(account text) returns boolean language sql immutable as $$
      select split_part(account, '/', 1) in
        ('settlement', 'held', 'own', 'virtual', 'escrow', 'party', 'ramp', 'clearing', 'receivable')
    $$;

    create or replace function ledger_floor(of_account text, of_org uuid, of_currency text)
    returns numeric language sql stable as $$
      select case when of_account like 'settlement/%' then (
        select coalesce(-l.credit_limit, case when o.sandbox then null else 0 end)
        from organizations o left join ledger_limits l on l.org_id = o.org_id and l.currency = of_currency
        where o.org_id = of_org
      ) when split_part(of_account, '/', 1) in ('own', 'clearing', 'receivable') then null else 0 end
    $$;

    -- What waits for a person: few rows, whatever else there is.
    create index ledger_balances_waiting on ledger_balances (org_id, account)
      where balance <> 0 and (account like 'clearing/%' or account like 'ramp/%' or account like 'receivable/%');

    -- What an organisation owes is paid by what it has, as soon as it has anything.
    create function ledger_pay_receivables() returns trigger language plpgsql as $$
    declare
      owing record;
      paid numeric;
    begin
      for owing in
        select distinct p.org_id, p.currency from inserted p
        where ((p.account like 'settlement/%' and p.amount > 0) or (p.account like 'receivable/%' and p.amount < 0))
          and exists (select from ledger_balances r
            where r.account = 'receivable/' || p.org_id || '/' || p.currency and r.balance < 0)
        order by p.org_id, p.currency
      loop
        -- In the order in which every statement locks balances.
        perform from ledger_balances b
          where b.account in ('receivable/' || owing.org_id || '/' || owing.currency, 'settlement/' || owing.org_id || '/' || owing.currency)
          order by b.account collate "C" for no key update;
        select least(-r.balance, s.balance) into paid
          from ledger_balances r join ledger_balances s on s.account = 'settlement/' || owing.org_id || '/' || owing.currency
          where r.account = 'receivable/' || owing.org_id || '/' || owing.currency and r.balance < 0 and s.balance > 0;
        if paid is not null then
          insert into ledger_postings (entry_id, org_id, account, currency, amount, kind)
          select e.entry_id, owing.org_id, t.account, owing.currency, t.amount, 'receivable_payment'
          from (select gen_random_uuid() as entry_id) e
          cross join (values ('settlement/' || owing.org_id || '/' || owing.currency, -paid),
            ('receivable/' || owing.org_id || '/' || owing.currency, paid)) as t (account, amount);
        end if;
      end loop;
      return null;
    end $$;
    -- After the balances have moved: triggers of one event run in the order of their names.
    create trigger ledger_postings_then_receivables after insert on ledger_postings
      referencing new table as inserted for each statement execute function ledger_pay_receivables();

    insert into payment_transitions values ('failed', 'completed');
  `)
  )
)
