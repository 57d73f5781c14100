/** Providers: which one serves a corridor, accounts at providers, and the sandbox's simulated providers. */
import { transaction } from "../src/platform/database/Migration.ts"

const configurations = `
  -- Provider that serves a corridor (country, payment method, direction). Routing reads these rows.
  create table provider_configs (
    config_id uuid primary key,
    -- Null: for every organisation.
    org_id uuid references organizations on delete cascade,
    -- One of the names that the application declares.
    provider text not null check (provider <> ''),
    country country_code not null,
    payment_method payment_method not null,
    direction payment_direction not null,
    api_version text,
    -- Lower is tried first.
    priority integer not null default 100,
    is_active boolean not null default true,
    webhook_required boolean not null default false,
    -- Amounts that the provider takes in this corridor; null: no bound.
    min_amount non_negative_number,
    max_amount non_negative_number,
    description text,
    webhook_url text,
    created_at timestamptz(3) not null default now(),
    updated_at timestamptz(3) not null default now(),
    check (min_amount is null or max_amount is null or min_amount <= max_amount)
  );
  create index provider_configs_corridor on provider_configs (country, payment_method, direction, org_id);
  create index provider_configs_newest on provider_configs (created_at desc, config_id desc);
  create trigger provider_configs_terms after insert or update or delete on provider_configs
    for each row execute function terms_changed();`

const accounts = `
  -- Accounts at providers that configurations bring. No reference to the configuration: an account outlives it,
  -- since enquiries, refunds and callbacks of what was sent through the account still need it.
  create table provider_accounts (
    config_id uuid primary key,
    provider text not null check (provider <> ''),
    -- Credentials, sealed under the master key.
    sealed text not null check (sealed <> ''),
    version integer not null default 1 check (version > 0),
    tested_at timestamptz(3),
    updated_at timestamptz(3) not null default now()
  );
  create trigger provider_accounts_terms after insert or update or delete on provider_accounts
    for each statement execute function accounts_changed();

  -- Credentials of before a change, with which callbacks are still verified for a day.
  create table replaced_credentials (
    config_id uuid not null,
    version integer not null check (version > 0),
    sealed text not null check (sealed <> ''),
    until timestamptz(3) not null,
    primary key (config_id, version)
  );
  create index replaced_credentials_until on replaced_credentials (until);

  -- Accounts that the settings of instances have named, by a keyed fingerprint of their credentials.
  -- An attempt that was sent through one account is not looked up in another.
  create table platform_accounts (
    provider text not null check (provider <> ''),
    fingerprint text not null check (fingerprint ~ '^[0-9a-f]{64}$'),
    first_seen_at timestamptz(3) not null default now(),
    last_seen_at timestamptz(3) not null default now() check (last_seen_at >= first_seen_at),
    primary key (provider, fingerprint)
  );`

const simulators = `
  create domain rail as text check (value in ('fiat', 'crypto', 'hybrid', 'manual'));
  create domain rail_state as text check (value in ('pending', 'processing', 'completed', 'failed'));

  -- Payments as the simulated providers of the sandbox hold them.
  create table rail_payments (
    -- The attempt's id.
    reference uuid primary key,
    rail rail not null,
    state rail_state not null,
    -- Scenario that the card, phone or account number stands for, such as a decline.
    behaviour text not null,
    amount numeric not null,
    currency text not null,
    reason text,
    detail jsonb not null default '{}',
    created_at timestamptz(3) not null default now()
  );

  -- Callbacks that a simulated provider will send.
  create table rail_timers (
    timer_id uuid primary key,
    rail text not null,
    reference uuid not null references rail_payments on delete cascade,
    report rail_state not null,
    event_id uuid not null,
    reason text,
    occurred_at timestamptz(3) not null,
    due_at timestamptz(3) not null,
    -- Instance that sends the callback now.
    lease_token uuid
  );
  create index rail_timers_due on rail_timers (due_at);
  create index rail_timers_reference on rail_timers (reference);`

export default transaction({ besidePrevious: false }, configurations, accounts, simulators)
