import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { transaction } from "../src/platform/database/Migration.ts"

/**
 * Accounts at providers that configurations bring have accounts of their own in the books: what lies in one is not what
 * lies in the platform's. What an organisation took into its own before stays on the balance that it was credited to.
 */
export default transaction(
  { besidePrevious: false },
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.unsafe(`
    alter table attempts add column own boolean not null default false;
    alter table payments add column account uuid;

    alter table ledger_postings drop constraint ledger_postings_account;
    alter table ledger_postings add constraint ledger_postings_account check (account ~
      '^((settlement|held|virtual|escrow|party|ramp)/[0-9a-f-]{36}|own/[0-9a-f-]{36}/[0-9a-f-]{36}|provider/[a-z_]{1,40}(/[0-9a-f-]{36})?|fees|fx|suspense)/[A-Z]{3,4}$');
    alter table ledger_postings drop constraint ledger_postings_owner;
    alter table ledger_postings add constraint ledger_postings_owner check (
      split_part(account, '/', 1) not in ('settlement', 'held', 'own')
      or coalesce(split_part(account, '/', 2) = org_id::text, false));

    create or replace function ledger_keeps_balance(account text) returns boolean language sql immutable as $$
      select split_part(account, '/', 1) in ('settlement', 'held', 'own', 'virtual', 'escrow', 'party', 'ramp')
    $$;

    create or replace function ledger_floor(of_account text, of_org uuid, of_currency text)
    returns numeric language sql stable as $$
      select case when of_account like 'settlement/%' then (
        select coalesce(-l.credit_limit, case when o.sandbox then null else 0 end)
        from organizations o left join ledger_limits l on l.org_id = o.org_id and l.currency = of_currency
        where o.org_id = of_org
      ) when of_account like 'own/%' then null else 0 end
    $$;

    -- Nobody is asked twice for one payment: of each provider that it was sent to there is one account.
    with sent_through as materialized (
      select payment_id, provider, (array_agg(account))[1] as account from attempts
      group by payment_id, provider
      having count(distinct account) = 1 and count(account) = count(*)
    ), noted as (
      update payments p set account = s.account from sent_through s
      where s.payment_id = p.payment_id and s.provider = p.provider
    ), moved as materialized (
      select gen_random_uuid() as entry_id, l.org_id, l.payment_id, l.account as booked, l.currency,
        'provider/' || s.provider || '/' || s.account || '/' || l.currency as due, sum(l.amount) as amount
      from sent_through s join ledger_postings l
        on l.payment_id = s.payment_id and l.account = 'provider/' || s.provider || '/' || l.currency
      group by l.org_id, l.payment_id, l.account, l.currency, due
      having sum(l.amount) <> 0
    )
    insert into ledger_postings (entry_id, org_id, account, currency, amount, kind, payment_id, reference)
    select entry_id, org_id, booked, currency, -amount, 'adjustment', payment_id, 'account of its own' from moved
    union all
    select entry_id, org_id, due, currency, amount, 'adjustment', payment_id, 'account of its own' from moved;
  `)
  )
)
