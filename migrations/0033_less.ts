import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { transaction } from "../src/platform/database/Migration.ts"

/**
 * What an event of a payment tells are the same names each time, and two values that stand in its other columns: the rest
 * of its values is kept, a line each. No value and no other text has a line's end in it.
 */
const events = `
  create function event_data(data text, payment_id uuid, created_at timestamptz) returns text language sql stable as $$
    select case when position(chr(10) in data) = 0 then data else (
      select '{"payment_id":"' || payment_id || '","transaction_id":' || v[1] || ',"status":' || v[2]
        || ',"previous_status":' || v[3] || ',"amount":' || v[4] || ',"currency":' || v[5] || ',"target_amount":' || v[6]
        || ',"target_currency":' || v[7] || ',"direction":' || v[8] || ',"payment_method":' || v[9] || ',"provider":' || v[10]
        || ',"client_reference":' || v[11] || ',"updated_at":"'
        || to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"}'
      from (select string_to_array(data, chr(10)) as v) lines
    ) end
  $$;
  create or replace function event_payload(e events) returns text language sql stable as $$
    select coalesce(e.payload, '{"event_id":"' || e.event_id || '","event_type":"' || e.event_type || '","org_id":"' || e.org_id
      || '","created_at":"' || to_char(e.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '","data":'
      || event_data(coalesce(e.data,
        (select s.data from events s where s.event_id = e.same_as and s.created_at = e.created_at)), e.payment_id, e.created_at)
      || '}')
  $$;`

/** Rows of one moment are few: an index by time finds them, and they are put in order without it. */
const narrower = `
  -- A payment is known by its id alone. That it belongs to the same organisation is seen to where it is named, which is
  -- far less often than there are payments.
  alter table virtual_transactions drop constraint virtual_transactions_org_id_payment_id_fkey;
  alter table virtual_transactions add constraint virtual_transactions_payment_id_fkey
    foreign key (payment_id) references payments on delete cascade;
  create function virtual_transactions_own_payment() returns trigger language plpgsql as $$
  begin
    if not exists (select from payments where payment_id = new.payment_id and org_id = new.org_id) then
      raise exception 'payment % is not of organisation %', new.payment_id, new.org_id
        using errcode = 'foreign_key_violation', constraint = 'virtual_transactions_own_payment', table = 'virtual_transactions';
    end if;
    return null;
  end $$;
  create trigger virtual_transactions_payment after insert or update of org_id, payment_id on virtual_transactions
    for each row when (new.payment_id is not null) execute function virtual_transactions_own_payment();
  alter table payments drop constraint payments_org_id_payment_id_key;
  drop index payments_newest;
  drop index payments_all_newest;
  drop index payments_reference;
  create index payments_newest on payments (org_id, created_at);
  create index payments_all_newest on payments (created_at);
  create index payments_reference on payments (org_id, client_reference, created_at) where client_reference is not null;

  alter table payment_marks drop constraint payment_marks_pkey;
  drop index payment_marks_all;
  create index payment_marks_own on payment_marks (org_id, mark, created_at);
  -- For everybody's alone: who looks for those of one organisation must not come upon it.
  create index payment_marks_all on payment_marks ((mark::int), created_at);

  -- Two accounts of one entry with the same hash would leave it out of balance, which is refused.
  alter table ledger_postings drop constraint ledger_postings_pkey;
  create unique index ledger_postings_once on ledger_postings (entry_id, hashtextextended(account, 0));
  drop index ledger_postings_newest;
  create index ledger_postings_newest on ledger_postings (account, created_at) include (amount);

  -- Those that bar no other have nothing there, and nothing is not the same as nothing: all are found by their payment.
  drop index attempts_one_open;
  drop index attempts_payment;
  create unique index attempts_one_open on attempts (
    payment_id, (case when outcome is distinct from 'declined' and leg not in ('refund', 'return') then leg end));
  drop index attempts_provider_payment;
  create index attempts_provider_payment on attempts using hash (provider_payment_id);`

/**
 * Whom a payment is from or to, by organisation and without the signs that people write differently: by the first address
 * and the first number of it; the few that have others are in indexes of their own.
 */
const customers = `
  create function customer_email(org_id uuid, email text) returns bigint language sql immutable parallel safe as $$
    select hashtextextended(org_id::text || lower(email), 0)
  $$;
  create function customer_phone(org_id uuid, phone text) returns bigint language sql immutable parallel safe as $$
    select hashtextextended(org_id::text || regexp_replace(phone, '\\D', '', 'g'), 0)
  $$;
  create index payments_email on payments (
    customer_email(org_id, coalesce(payer_details->>'email', recipient_info->>'email')), created_at)
    where coalesce(payer_details->>'email', recipient_info->>'email') is not null;
  create index payments_other_email on payments (customer_email(org_id, recipient_info->>'email'), created_at)
    where payer_details->>'email' <> recipient_info->>'email';
  create index payments_phone on payments (customer_phone(org_id,
    coalesce(payer_details->>'phone', mobile_money_details->>'phone_number', recipient_info->>'phone_number')), created_at)
    where coalesce(payer_details->>'phone', mobile_money_details->>'phone_number', recipient_info->>'phone_number') is not null;
  create index payments_other_phone on payments (customer_phone(org_id, mobile_money_details->>'phone_number'), created_at)
    where payer_details->>'phone' <> mobile_money_details->>'phone_number';
  create index payments_third_phone on payments (customer_phone(org_id, recipient_info->>'phone_number'), created_at)
    where coalesce(payer_details->>'phone', mobile_money_details->>'phone_number') <> recipient_info->>'phone_number';`

export default transaction(
  { besidePrevious: false },
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe([events, narrower, customers].join(";\n")))
)
