import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { transaction } from "../src/platform/database/Migration.ts"

/** Organisations and their people, credentials, the audit log, provider configurations, rates, sealed secrets. */
export default transaction(
  { besidePrevious: false },
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.unsafe(`
    create table organizations (
      org_id uuid primary key,
      name text not null check (length(name) between 1 and 200),
      country text not null check (country ~ '^[A-Z]{2}$'),
      currency text not null check (currency ~ '^[A-Z]{3}$'),
      email text not null check (length(email) <= 320),
      kyb_status text not null default 'not_started' check (kyb_status in ('not_started', 'pending', 'approved', 'rejected')),
      kyb_customer_id text unique,
      features text[] not null default '{}',
      review_threshold numeric check (review_threshold >= 0),
      spread_bps integer not null default 0 check (spread_bps between 0 and 9999),
      sandbox boolean not null default false,
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now()
    );
    create index organizations_newest on organizations (created_at desc, org_id desc);

    create table users (
      user_id uuid primary key,
      subject text not null unique check (length(subject) between 1 and 255),
      email text not null check (length(email) <= 320),
      country text check (country ~ '^[A-Z]{2}$'),
      is_admin boolean not null default false,
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now()
    );
    create unique index users_email on users (lower(email));
    create index users_newest on users (created_at desc, user_id desc);

    create table memberships (
      org_id uuid not null references organizations on delete cascade,
      user_id uuid not null references users on delete cascade,
      role text not null check (role in ('org-admin', 'staff', 'member')),
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now(),
      primary key (org_id, user_id)
    );
    create index memberships_user on memberships (user_id);

    create table member_permissions (
      org_id uuid not null,
      user_id uuid not null,
      permission text not null check (permission in (
        'payouts', 'payment_links', 'transactions', 'refunds', 'reviews', 'accounts', 'verification', 'webhooks',
        'api_keys', 'members', 'escrow')),
      granted_by text not null,
      created_at timestamptz(3) not null default now(),
      primary key (org_id, user_id, permission),
      foreign key (org_id, user_id) references memberships on delete cascade
    );

    create table api_keys (
      api_key_id uuid primary key,
      org_id uuid not null references organizations on delete cascade,
      user_id uuid not null references users,
      name text not null check (length(name) between 1 and 100),
      role text not null check (role in ('org-admin', 'staff', 'member')),
      mode text not null check (mode in ('test', 'live')),
      prefix text not null check (length(prefix) = 12),
      hash bytea not null unique check (length(hash) = 32),
      status text not null default 'active' check (status in ('active', 'expiring', 'revoked')),
      expires_at timestamptz(3),
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now(),
      check ((status = 'expiring') = (expires_at is not null))
    );
    create index api_keys_newest on api_keys (org_id, created_at desc, api_key_id desc);
    create index api_keys_all_newest on api_keys (created_at desc, api_key_id desc);
    create index api_keys_user on api_keys (org_id, user_id);

    create table audit_log (
      audit_id uuid primary key,
      org_id uuid references organizations on delete cascade,
      actor_type text not null check (actor_type in ('user', 'api_key', 'operator')),
      actor_id text not null,
      action text not null,
      subject_type text not null,
      subject_id text not null,
      detail jsonb not null default '{}',
      created_at timestamptz(3) not null default now()
    );
    create index audit_log_newest on audit_log (org_id, created_at desc, audit_id desc);
    create index audit_log_all_newest on audit_log (created_at desc, audit_id desc);

    create table provider_configs (
      config_id uuid primary key,
      org_id uuid references organizations on delete cascade,
      provider text not null check (provider in (
        'manual', 'crypto', 'fiat', 'hybrid', 'stripe', 'adyen', 'paypal', 'paystack', 'flutterwave', 'mtn_momo',
        'pawapay', 'circle', 'coinbase')),
      country text not null check (country ~ '^[A-Z]{2}$'),
      payment_method text not null check (payment_method in ('bank_transfer', 'card', 'mobile_money', 'crypto', 'wallet')),
      direction text not null check (direction in ('inbound', 'outbound', 'external')),
      api_version text,
      priority integer not null default 100,
      is_active boolean not null default true,
      webhook_required boolean not null default false,
      min_amount numeric check (min_amount >= 0),
      max_amount numeric check (max_amount >= 0),
      description text,
      webhook_url text,
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now(),
      check (min_amount is null or max_amount is null or min_amount <= max_amount)
    );
    create index provider_configs_corridor on provider_configs (country, payment_method, direction, org_id);
    create index provider_configs_newest on provider_configs (created_at desc, config_id desc);

    create table rates (
      from_currency text not null check (from_currency ~ '^[A-Z]{3,4}$'),
      to_currency text not null check (to_currency ~ '^[A-Z]{3,4}$'),
      rate numeric not null check (rate > 0),
      updated_at timestamptz(3) not null default now(),
      primary key (from_currency, to_currency),
      check (from_currency <> to_currency)
    );

    create table secrets (
      name text primary key,
      sealed text not null,
      updated_at timestamptz(3) not null default now()
    );

    create table master_key (
      singleton boolean primary key default true check (singleton),
      key_id text not null,
      check_value text not null
    );
  `)
  )
)
