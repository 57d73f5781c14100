/** Payments: beneficiaries, payments with their history, risk rules, how lists and searches find them, payment links. */
import { transaction } from "../src/platform/database/Migration.ts"

const beneficiaries = `
  create table beneficiaries (
    beneficiary_id uuid primary key,
    org_id uuid not null references organizations on delete cascade,
    -- User who made it.
    beneficiary_of uuid not null references users,
    account_type text not null check (account_type in ('bank', 'mobile_money', 'wallet')),
    beneficiary_type text not null check (beneficiary_type in ('individual', 'business', 'loan_client')),
    country country_code not null,
    currency currency_code not null,
    fname text not null,
    lname text not null,
    email text,
    phone_number text,
    momo_details jsonb not null default '{}',
    bank_details jsonb not null default '{}',
    loan_client_details jsonb not null default '{}',
    wallet_details jsonb not null default '{}',
    external_account_id text,
    created_at timestamptz(3) not null default now(),
    updated_at timestamptz(3) not null default now(),
    -- Deleted for callers. The row stays, since payments refer to it.
    deleted_at timestamptz(3),
    unique (org_id, beneficiary_id)
  );
  create index beneficiaries_newest on beneficiaries (org_id, created_at desc, beneficiary_id desc)
    where deleted_at is null;
  create index beneficiaries_all_newest on beneficiaries (created_at desc, beneficiary_id desc)
    where deleted_at is null;
  create index beneficiaries_maker on beneficiaries (beneficiary_of, created_at desc, beneficiary_id desc)
    where deleted_at is null;`

const payments = `
  -- A text as searches compare it: in lower case, without accents, with one kind of apostrophe and of sigma, no longer than an
  -- entry of an index may be. PostgreSQL takes accents off in databases of UTF-8 only.
  do $do$ begin
    if getdatabaseencoding() = 'UTF8' then
      create function search_form(words text) returns text language plpgsql immutable strict parallel safe as $$
      begin
        return left(normalize(regexp_replace(
          normalize(translate(lower(words), '’‘ʼς', repeat(chr(39), 3) || 'σ'), NFD), '[\\u0300-\\u036f]', '', 'g'), NFC), 600);
      end $$;
    else
      create function search_form(words text) returns text language sql immutable strict parallel safe as $$
        select left(lower(words), 600)
      $$;
    end if;
  end $do$;

  -- Reference and names of a payment, for searches by any part of them. In PL/pgSQL, as search_form is: a function in SQL
  -- would be parsed and planned again by each statement that writes to payments. With a path of its own, since pg_restore
  -- fills tables without one.
  create function payment_search_text(client_reference text, payer_details jsonb, recipient_info jsonb) returns text
  language plpgsql immutable parallel safe set search_path from current as $$
  begin
    return search_form(coalesce(client_reference, '') || chr(10)
      || coalesce(left(payer_details->>'name', 200), '') || chr(10)
      || coalesce(left(recipient_info->>'fname', 100), '') || ' '
      || coalesce(left(recipient_info->>'lname', 100), ''));
  end $$;

  create domain payment_status as text check (value in (
    'initiated', 'reviewed', 'confirmed', 'processing', 'pending', 'completed', 'failed', 'refunded', 'rejected',
    'canceled'));
  create domain next_action as text check (value in (
    'redirect', 'wait', 'bank_transfer', 'pay_by_link', 'collect_otp', 'check_status'));

  create table payments (
    payment_id uuid primary key,
    transaction_id uuid not null unique,
    org_id uuid not null references organizations on delete cascade,
    user_id uuid not null references users,
    status payment_status not null,
    -- Rises by one with each change. A change is written only on the version that it was decided on.
    version integer not null default 1,
    -- Change that led to this version: after a lost answer, a writer learns here that its write was committed.
    last_change bigint,
    direction payment_direction not null,
    payment_method payment_method not null,
    country country_code not null,

    -- Money
    amount positive_number not null,
    currency currency_code not null,
    target_amount non_negative_number not null,
    target_currency currency_code not null,
    org_rate_id uuid references rate_locks,
    -- In the currency of the organisation's side; null: no fee.
    total_fees non_negative_number,
    fee_ids uuid[] not null default '{}',
    -- Ledger account that pays, or that gets the money; null: the organisation's settlement account.
    funding text,
    -- True while the money is on the organisation's held account: from the first attempt until the payment ends.
    holds boolean not null default false,
    -- Parts that went back, or were asked to, in the order of the requests.
    refunds jsonb not null default '[]',
    -- Terms of the reserve when a payin was initiated, and its parts once it is completed; null: none.
    reserve jsonb,
    -- What the reserve holds of it, in the target's currency.
    reserve_held non_negative_number not null default 0,
    -- When the next part is looked at for its release; null: all are released.
    release_at timestamptz(3),
    -- What of it the payer has again, by its movements.
    refunded_amount numeric not null default 0,
    -- Attempt that collected the money, or was asked to.
    taken_by uuid,

    -- Request
    client_reference text,
    description text,
    beneficiary_id uuid,
    payer_details jsonb not null default '{}',
    mobile_money_details jsonb not null default '{}',
    card_details jsonb not null default '{}',
    bank_account jsonb not null default '{}',
    recipient_info jsonb not null default '{}',
    search_text text generated always as (payment_search_text(client_reference, payer_details, recipient_info)) stored,
    metadata jsonb not null default '{}',
    -- User who initiated the payment, and the role.
    user_metadata jsonb not null default '{}',
    return_url text,
    -- Facts of an on-ramp or off-ramp; null: not a ramp.
    ramp jsonb,
    -- Until when the customer may pay; null: for as long as the provider allows.
    expires_at timestamptz(3),

    -- Provider
    provider text,
    -- Configuration whose account at the provider was used; null: the platform's account.
    account uuid,
    provider_payment_id text,
    provider_status text,
    provider_data jsonb not null default '{}',
    -- Last callback of the provider.
    webhook_metadata jsonb not null default '{}',
    -- Attempt that pays out.
    payout_id text,
    next_action next_action,
    action_data jsonb not null default '{}',
    -- Wrong one-time passwords so far, those being checked included.
    otp_failures non_negative_count not null default 0,
    -- Failure code and message; null unless the payment failed.
    failure jsonb,
    comments text,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    foreign key (org_id, beneficiary_id) references beneficiaries (org_id, beneficiary_id),
    constraint payments_ramp check (ramp is null or direction = 'external')
  -- Vacuumed early: space of old versions is reused.
  ) with (autovacuum_vacuum_scale_factor = 0.02);
  -- Indexes end in created_at, ascending: new rows are added at the end, which fills pages. Lists read them backwards.
  -- The text lets a search read the index alone.
  create index payments_newest on payments (org_id, created_at) include (search_text);
  create index payments_all_newest on payments (created_at);
  create index payments_reference on payments (client_reference, org_id, created_at) where client_reference is not null;
  create index payments_rate_lock on payments (org_rate_id) where org_rate_id is not null;
  create index payments_release on payments (release_at) where release_at is not null;
  create index payments_reserved on payments (org_id, release_at) where release_at is not null;
  create index payments_beneficiary on payments (beneficiary_id) where beneficiary_id is not null;

  -- Status changes that are allowed. payments_change_status refuses the others.
  create table payment_transitions (
    from_status text not null,
    to_status text not null,
    primary key (from_status, to_status)
  );
  insert into payment_transitions values
    ('initiated', 'reviewed'), ('initiated', 'confirmed'), ('initiated', 'processing'), ('initiated', 'pending'),
    ('initiated', 'completed'), ('initiated', 'failed'), ('initiated', 'rejected'), ('initiated', 'canceled'),
    ('reviewed', 'confirmed'), ('reviewed', 'rejected'), ('reviewed', 'canceled'),
    ('confirmed', 'processing'), ('confirmed', 'pending'), ('confirmed', 'completed'), ('confirmed', 'failed'),
    ('confirmed', 'canceled'),
    ('processing', 'pending'), ('processing', 'completed'), ('processing', 'failed'), ('processing', 'canceled'),
    ('pending', 'processing'), ('pending', 'completed'), ('pending', 'failed'), ('pending', 'canceled'),
    ('completed', 'refunded'),
    -- By an operator only: a ramp that was settled after it had failed.
    ('failed', 'completed');

  -- One row for each change of a payment's status.
  create table payment_history (
    payment_id uuid not null references payments on delete cascade,
    version integer not null,
    org_id uuid not null,
    from_status text,
    to_status text not null,
    cause text not null,
    at timestamptz(3) not null,
    primary key (payment_id, version)
  );

  create table payment_fees (
    fee_id uuid primary key,
    payment_id uuid not null references payments on delete cascade,
    org_id uuid not null,
    fee_rule_id uuid,
    amount non_negative_number not null,
    currency text not null,
    created_at timestamptz(3) not null
  );
  create index payment_fees_payment on payment_fees (payment_id);

  -- Payins that wait for the customer's card, with their expiry. They have no attempt yet that could carry a timer.
  create table card_waits (
    payment_id uuid primary key,
    org_id uuid not null,
    expires_at timestamptz not null
  );
  create index card_waits_due on card_waits (expires_at);

  -- Mobile money prompts sent to a phone number, for their limits.
  create table phone_prompts (
    -- Keyed hash of the number.
    counted text primary key,
    sent timestamptz[] not null,
    last_at timestamptz not null
  );
  create index phone_prompts_last on phone_prompts (last_at);`

const rules = `
  -- Limits on payments. Cached by the version of the terms, as fee rules are.
  create table risk_rules (
    -- Null: the platform's, for payments of every organisation.
    org_id uuid references organizations on delete cascade,
    name text not null,
    kind text not null check (kind in ('velocity', 'structuring')),
    subject text not null check (subject in (
      'phone', 'email', 'card', 'ip_address', 'wallet_address', 'beneficiary', 'payer')),
    direction payment_direction,
    max_count integer check (max_count >= 0),
    max_amount non_negative_number,
    currency text,
    window_seconds integer not null check (window_seconds > 0),
    action text not null check (action in ('refuse', 'hold', 'alert')),
    is_active boolean not null,
    created_at timestamptz(3) not null default now(),
    updated_at timestamptz(3) not null default now(),
    unique nulls not distinct (org_id, name),
    constraint risk_rules_currency check ((max_amount is null) = (currency is null))
  );
  create trigger risk_rules_terms after insert or update or delete on risk_rules
    for each row execute function terms_changed();

  -- Block and allow lists.
  create table risk_list_entries (
    entry_id uuid primary key,
    -- Null: the platform's.
    org_id uuid references organizations on delete cascade,
    list text not null check (list in ('block', 'allow')),
    subject text not null check (subject in (
      'phone', 'email', 'card', 'ip_address', 'wallet_address', 'beneficiary', 'name')),
    -- As it is compared; of a card its fingerprint.
    value text not null,
    note text,
    created_at timestamptz(3) not null default now(),
    unique nulls not distinct (org_id, list, subject, value)
  );
  create index risk_list_entries_value on risk_list_entries (value, subject);
  create index risk_list_entries_newest on risk_list_entries (org_id, created_at desc, entry_id desc);
  create trigger risk_list_entries_terms after insert or update or delete on risk_list_entries
    for each row execute function terms_changed();

  -- Payments by what identifies their parties, for the counts of rules. Written only while there are rules.
  create table payment_subjects (
    -- Keyed hash of owner, subject and value.
    key text not null,
    -- Whose rules count it; null: the platform's.
    owner uuid,
    subject text not null,
    payment_id uuid not null,
    org_id uuid not null references organizations on delete cascade,
    created_at timestamptz not null default clock_timestamp()
  );
  create index payment_subjects_key on payment_subjects (key, created_at);
  create index payment_subjects_payment on payment_subjects (payment_id);
  create index payment_subjects_old on payment_subjects (created_at);`

const lists = `
  -- Status, direction and method of each payment as one number, for filtered lists. A table of its own: an index on
  -- payments.status would make each change of a payment write all of its indexes.
  create function payment_mark(status text, direction text, payment_method text) returns smallint
  language sql immutable parallel safe as $$
    select (100 * array_position(array['initiated', 'reviewed', 'confirmed', 'processing', 'pending', 'completed', 'failed',
        'refunded', 'rejected', 'canceled'], status)
      + 10 * array_position(array['inbound', 'outbound', 'external'], direction)
      + array_position(array['bank_transfer', 'card', 'mobile_money', 'crypto', 'wallet'], payment_method))::smallint
  $$;
  create table payment_marks (
    org_id uuid not null,
    payment_id uuid not null,
    created_at timestamptz(3) not null,
    mark smallint not null
  ) with (autovacuum_vacuum_scale_factor = 0.02);
  create index payment_marks_own on payment_marks (org_id, mark, created_at);
  -- For lists over all organisations. The cast keeps the planner from using it for the lists of one.
  create index payment_marks_all on payment_marks ((mark::int), created_at);

  -- Triggers that keep payment_marks in step with payments: after insert, update and delete.
  create function payments_mark() returns trigger language plpgsql as $$
  begin
    insert into payment_marks
      select org_id, payment_id, created_at, payment_mark(status, direction, payment_method) from inserted;
    return null;
  end $$;
  create trigger payments_marked after insert on payments
    referencing new table as inserted for each statement execute function payments_mark();

  -- Refuses status changes that are not allowed, too. A trigger before the update of a row would make each statement
  -- compute the generated column again.
  create function payments_change_status() returns trigger language plpgsql as $$
  declare
    wrong text;
  begin
    select format('payment %s cannot go from %s to %s', w.payment_id, w.status, n.status) into wrong
    from was w join updated n on n.payment_id = w.payment_id and n.status <> w.status
    where not exists (select from payment_transitions t where t.from_status = w.status and t.to_status = n.status)
    limit 1;
    if wrong is not null then
      raise exception '%', wrong using errcode = 'check_violation';
    end if;

    update payment_marks m set mark = payment_mark(n.status, n.direction, n.payment_method)
    from was w join updated n on n.payment_id = w.payment_id and n.status <> w.status
    where m.org_id = w.org_id and m.mark = payment_mark(w.status, w.direction, w.payment_method)
      and m.created_at = w.created_at and m.payment_id = w.payment_id;
    return null;
  end $$;
  create trigger payments_status after update on payments
    referencing old table as was new table as updated for each statement execute function payments_change_status();

  create function payments_unmark() returns trigger language plpgsql as $$
  begin
    delete from payment_marks m using gone g
    where m.org_id = g.org_id and m.mark = payment_mark(g.status, g.direction, g.payment_method)
      and m.created_at = g.created_at and m.payment_id = g.payment_id;
    return null;
  end $$;
  create trigger payments_unmarked after delete on payments
    referencing old table as gone for each statement execute function payments_unmark();

  -- Search by the customer's address or number: hashes without case and without the signs that people write differently.
  -- customer_*: within an organisation; anyones_*: in all of them.
  create function customer_email(org_id uuid, email text) returns bigint language sql immutable parallel safe as $$
    select hashtextextended(org_id::text || lower(email), 0)
  $$;
  create function customer_phone(org_id uuid, phone text) returns bigint language sql immutable parallel safe as $$
    select hashtextextended(org_id::text || regexp_replace(phone, '\\D', '', 'g'), 0)
  $$;
  create function anyones_email(email text) returns bigint language sql immutable parallel safe as $$
    select hashtextextended(lower(email), 0)
  $$;
  create function anyones_phone(phone text) returns bigint language sql immutable parallel safe as $$
    select hashtextextended(regexp_replace(phone, '\\D', '', 'g'), 0)
  $$;
  -- By the first address and the first number of a payment. A second or third one that differs has an index of its own,
  -- which few payments are in.
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
    where coalesce(payer_details->>'phone', mobile_money_details->>'phone_number') <> recipient_info->>'phone_number';
  create index payments_all_email on payments (
    anyones_email(coalesce(payer_details->>'email', recipient_info->>'email')), created_at)
    where coalesce(payer_details->>'email', recipient_info->>'email') is not null;
  create index payments_all_other_email on payments (anyones_email(recipient_info->>'email'), created_at)
    where payer_details->>'email' <> recipient_info->>'email';
  create index payments_all_phone on payments (anyones_phone(
    coalesce(payer_details->>'phone', mobile_money_details->>'phone_number', recipient_info->>'phone_number')), created_at)
    where coalesce(payer_details->>'phone', mobile_money_details->>'phone_number', recipient_info->>'phone_number') is not null;
  create index payments_all_other_phone on payments (anyones_phone(mobile_money_details->>'phone_number'), created_at)
    where payer_details->>'phone' <> mobile_money_details->>'phone_number';
  create index payments_all_third_phone on payments (anyones_phone(recipient_info->>'phone_number'), created_at)
    where coalesce(payer_details->>'phone', mobile_money_details->>'phone_number') <> recipient_info->>'phone_number';

  -- Search by amount and by a card's last four digits, within an organisation: hashes, as of the customer.
  create index payments_amount on payments (
    hash_numeric_extended(amount, uuid_hash_extended(org_id, 0)), created_at);
  create index payments_target_amount on payments (
    hash_numeric_extended(target_amount, uuid_hash_extended(org_id, 0)), created_at) where target_amount <> amount;
  create index payments_card on payments (
    hashtextextended(card_details->>'last4', uuid_hash_extended(org_id, 0)), created_at)
    where card_details->>'last4' is not null;

  -- Filters of the list that the people of an organisation share.
  create table saved_views (
    view_id uuid primary key,
    org_id uuid not null references organizations on delete cascade,
    name text not null,
    filters jsonb not null,
    -- Null: an operator with the command line.
    created_by uuid references users,
    created_at timestamptz(3) not null default now(),
    updated_at timestamptz(3) not null default now(),
    constraint saved_views_name unique (org_id, name)
  );`

const links = `
  -- Hosted payment links. When a link was paid is read from the history of its payments.
  create table payment_links (
    link_id uuid primary key,
    org_id uuid not null references organizations on delete cascade,
    created_by uuid not null references users,
    -- In the link's address.
    link_ref text not null unique,
    email text,
    amount_type text not null check (amount_type in ('fixed', 'open')),
    amount positive_number,
    currency fiat_code not null,
    payer_currency fiat_code not null,
    country country_code not null,
    description text,
    client_reference text,
    return_url text,
    -- Its payments credit this account; null: the settlement balance.
    virtual_account_id uuid,
    brand_name text,
    brand_color text check (brand_color ~ '^#[0-9a-f]{6}$'),
    brand_logo bytea check (octet_length(brand_logo) <= 65536),
    expires_at timestamptz(3),
    canceled_at timestamptz(3),
    -- Latest payment. A fixed link takes another one only in its place.
    payment_id uuid,
    created_at timestamptz(3) not null default now(),
    unique (org_id, link_id),
    constraint payment_links_amount check (amount_type = 'open' or amount is not null)
  );
  create index payment_links_newest on payment_links (org_id, created_at desc, link_id desc);

  -- Payments made through a link.
  create table payment_link_payments (
    payment_id uuid primary key references payments on delete cascade,
    link_id uuid not null,
    org_id uuid not null,
    -- Token of the form: a form that is sent twice pays once.
    submission text not null,
    unique (link_id, submission),
    foreign key (org_id, link_id) references payment_links (org_id, link_id) on delete cascade
  );
  -- First payments of a link, among which it was first paid.
  create index payment_link_payments_first on payment_link_payments (link_id, payment_id);
  -- Deferred: the payment is written in the same transaction, after the link.
  alter table payment_links add constraint payment_links_latest
    foreign key (payment_id) references payment_link_payments on delete set null deferrable initially deferred;`

export default transaction({ besidePrevious: false }, beneficiaries, payments, rules, lists, links)
