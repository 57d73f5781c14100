import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { transaction } from "../src/platform/database/Migration.ts"

/** Payments with their attempts, history and events; beneficiaries; locked rates; what the built-in rails remember. */
export default transaction(
  { besidePrevious: false },
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.unsafe(`
    create table beneficiaries (
      beneficiary_id uuid primary key,
      org_id uuid not null references organizations on delete cascade,
      beneficiary_of uuid not null references users,
      account_type text not null check (account_type in ('bank', 'mobile_money', 'wallet')),
      beneficiary_type text not null check (beneficiary_type in ('individual', 'business', 'loan_client')),
      country text not null check (country ~ '^[A-Z]{2}$'),
      currency text not null check (currency ~ '^[A-Z]{3,4}$'),
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
      -- Finished payments still refer to a beneficiary that is gone for everyone else.
      deleted_at timestamptz(3),
      unique (org_id, beneficiary_id)
    );
    create index beneficiaries_newest on beneficiaries (org_id, created_at desc, beneficiary_id desc)
      where deleted_at is null;
    create index beneficiaries_all_newest on beneficiaries (created_at desc, beneficiary_id desc)
      where deleted_at is null;

    create table rate_locks (
      org_rate_id uuid primary key,
      org_id uuid not null references organizations on delete cascade,
      from_currency text not null check (from_currency ~ '^[A-Z]{3,4}$'),
      to_currency text not null check (to_currency ~ '^[A-Z]{3,4}$'),
      rate numeric not null check (rate > 0),
      expires_at timestamptz(3) not null,
      created_at timestamptz(3) not null default now()
    );
    create index rate_locks_expiry on rate_locks (expires_at);

    create table payments (
      payment_id uuid primary key,
      transaction_id uuid not null unique,
      org_id uuid not null references organizations on delete cascade,
      user_id uuid not null references users,
      status text not null check (status in (
        'initiated', 'reviewed', 'confirmed', 'processing', 'pending', 'completed', 'failed', 'refunded', 'rejected',
        'canceled')),
      version integer not null default 1,
      direction text not null check (direction in ('inbound', 'outbound', 'external')),
      payment_method text not null check (payment_method in ('bank_transfer', 'card', 'mobile_money', 'crypto', 'wallet')),
      country text not null check (country ~ '^[A-Z]{2}$'),
      amount numeric not null check (amount > 0),
      currency text not null check (currency ~ '^[A-Z]{3,4}$'),
      target_amount numeric not null check (target_amount >= 0),
      target_currency text not null check (target_currency ~ '^[A-Z]{3,4}$'),
      org_rate_id uuid references rate_locks,
      client_reference text,
      description text,
      beneficiary_id uuid,
      payer_details jsonb not null default '{}',
      mobile_money_details jsonb not null default '{}',
      card_details jsonb not null default '{}',
      bank_account jsonb not null default '{}',
      recipient_info jsonb not null default '{}',
      metadata jsonb not null default '{}',
      user_metadata jsonb not null default '{}',
      webhook_metadata jsonb not null default '{}',
      return_url text,
      provider text,
      provider_payment_id text,
      provider_status text,
      provider_data jsonb not null default '{}',
      next_action text check (next_action in ('redirect', 'wait', 'bank_transfer', 'pay_by_link', 'collect_otp', 'check_status')),
      action_data jsonb not null default '{}',
      comments text,
      payout_id text,
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      unique (org_id, payment_id),
      foreign key (org_id, beneficiary_id) references beneficiaries (org_id, beneficiary_id)
    );
    create index payments_newest on payments (org_id, created_at desc, payment_id desc);
    create index payments_all_newest on payments (created_at desc, payment_id desc);
    create index payments_reference on payments (org_id, client_reference) where client_reference is not null;
    create index payments_rate_lock on payments (org_rate_id) where org_rate_id is not null;
    create index payments_beneficiary on payments (beneficiary_id) where beneficiary_id is not null;

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
      ('completed', 'refunded');

    create function payments_hold_transitions() returns trigger language plpgsql as $$
    begin
      if new.status <> old.status and not exists (
        select 1 from payment_transitions where from_status = old.status and to_status = new.status
      ) then
        raise exception 'payment % cannot go from % to %', old.payment_id, old.status, new.status
          using errcode = 'check_violation';
      end if;
      return new;
    end $$;
    create trigger payments_transitions before update of status on payments
      for each row when (new.status is distinct from old.status) execute function payments_hold_transitions();

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

    create table attempts (
      attempt_id uuid primary key,
      payment_id uuid not null references payments on delete cascade,
      org_id uuid not null,
      leg text not null default 'payment' check (leg in ('payment', 'collection', 'settlement', 'refund')),
      provider text not null,
      config_id uuid,
      outcome text check (outcome in ('accepted', 'declined', 'unknown')),
      reason text,
      provider_payment_id text,
      started_at timestamptz(3) not null,
      answered_at timestamptz(3),
      enquiries integer not null default 0,
      next_enquiry_at timestamptz(3)
    );
    -- An attempt that is open, unknown or accepted bars every other attempt of its leg: money cannot move twice.
    create unique index attempts_one_open on attempts (payment_id, leg)
      where outcome is distinct from 'declined' and leg <> 'refund';
    create index attempts_payment on attempts (payment_id);
    create index attempts_enquiry on attempts (next_enquiry_at) where next_enquiry_at is not null;
    create index attempts_provider_payment on attempts (provider, provider_payment_id);

    create table provider_callbacks (
      callback_id uuid primary key,
      provider text not null,
      event_key text not null,
      payment_id uuid references payments on delete cascade,
      attempt_id uuid,
      org_id uuid,
      report text not null,
      effect text not null,
      received_at timestamptz(3) not null,
      unique (provider, event_key)
    );
    create index provider_callbacks_payment on provider_callbacks (payment_id);

    create table events (
      event_id uuid primary key,
      org_id uuid not null references organizations on delete cascade,
      event_type text not null,
      payment_id uuid,
      payload text not null,
      created_at timestamptz(3) not null
    );
    create index events_newest on events (org_id, created_at desc, event_id desc);

    create table operator_items (
      item_id uuid primary key,
      org_id uuid not null references organizations on delete cascade,
      kind text not null check (kind in ('unknown_outcome', 'suspense', 'review')),
      payment_id uuid not null references payments on delete cascade,
      attempt_id uuid,
      detail text not null,
      opened_at timestamptz(3) not null,
      closed_at timestamptz(3),
      closed_by text
    );
    create unique index operator_items_open on operator_items (payment_id, kind, attempt_id) nulls not distinct
      where closed_at is null;
    create index operator_items_newest on operator_items (org_id, opened_at desc, item_id desc) where closed_at is null;

    create table rail_payments (
      reference uuid primary key,
      rail text not null check (rail in ('fiat', 'crypto', 'hybrid', 'manual')),
      state text not null check (state in ('pending', 'processing', 'completed', 'failed')),
      behaviour text not null,
      amount numeric not null,
      currency text not null,
      reason text,
      detail jsonb not null default '{}',
      created_at timestamptz(3) not null default now()
    );

    create table rail_timers (
      timer_id uuid primary key,
      rail text not null,
      reference uuid not null references rail_payments on delete cascade,
      report text not null check (report in ('pending', 'processing', 'completed', 'failed')),
      event_id uuid not null,
      reason text,
      occurred_at timestamptz(3) not null,
      due_at timestamptz(3) not null,
      lease_token uuid
    );
    create index rail_timers_due on rail_timers (due_at);
    create index rail_timers_reference on rail_timers (reference);
  `)
  )
)
