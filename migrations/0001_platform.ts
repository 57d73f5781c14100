/** Platform: monthly partitions, the identity and keys of the database, versions of the terms, limits, metrics. */
import { transaction } from "../src/platform/database/Migration.ts"

const partitions = `
  -- Monthly partitions that exist, with their bounds. A null bound is open. Default partitions are left out.
  create view table_months as
    select p.relname::text as parent, c.relname::text as name,
      (regexp_match(b.bound, $r$FROM \\('([^']+)'\\)$r$))[1]::timestamptz as from_at,
      (regexp_match(b.bound, $r$TO \\('([^']+)'\\)$r$))[1]::timestamptz as to_at
    from pg_inherits i
    join pg_class p on p.oid = i.inhparent and p.relkind = 'p' and p.relnamespace = current_schema()::regnamespace
    join pg_class c on c.oid = i.inhrelid
    cross join lateral (select pg_get_expr(c.relpartbound, c.oid) as bound) b
    where b.bound <> 'DEFAULT';

  -- Creates the partition of one UTC month, and moves the month's rows there from the default partition.
  -- Returns false if a partition covers the month already.
  create function make_month(of_table text, by_column text, a_time timestamptz) returns boolean language plpgsql as $$
  declare
    first_at timestamptz := date_trunc('month', a_time at time zone 'UTC') at time zone 'UTC';
    next_at timestamptz := (date_trunc('month', a_time at time zone 'UTC') + interval '1 month') at time zone 'UTC';
    name text := of_table || to_char(first_at at time zone 'UTC', '_YYYY_MM');
  begin
    if exists (select from table_months m where m.parent = of_table
      and coalesce(m.from_at, '-infinity') < next_at and coalesce(m.to_at, 'infinity') > first_at) then
      return false;
    end if;
    execute format('lock table %I in access exclusive mode', of_table || '_default');
    execute format('create table %I (like %I including defaults including constraints including storage)', name, of_table);
    execute format('with moved as (delete from %I where %I >= $1 and %I < $2 returning *) insert into %I select * from moved',
      of_table || '_default', by_column, by_column, name) using first_at, next_at;
    execute format('alter table %I attach partition %I for values from (%L) to (%L)', of_table, name, first_at, next_at);
    return true;
  end $$;`

const domains = `
  -- Types of columns in many tables. What writes to such a column is checked by the plan of its statement; a check of the
  -- table would be parsed and planned again by each statement that writes to the table, whichever columns it changes.
  create domain country_code as text check (value ~ '^[A-Z]{2}$');
  create domain currency_code as text check (value ~ '^[A-Z]{3,4}$');
  create domain fiat_code as text check (value ~ '^[A-Z]{3}$');
  create domain payment_method as text check (value in ('bank_transfer', 'card', 'mobile_money', 'crypto', 'wallet'));
  create domain payment_direction as text check (value in ('inbound', 'outbound', 'external'));
  create domain positive_number as numeric check (value > 0);
  create domain non_negative_number as numeric check (value >= 0);
  create domain non_negative_count as integer check (value >= 0);`

const identity = `
  -- Identity of this database. One row.
  create table database_identity (
    singleton boolean primary key default true check (singleton),
    -- Compared by "corridor doctor" with the id that a running server answers.
    database_id uuid not null default gen_random_uuid(),
    -- Master key of a sandbox whose DATABASE_URL has no password to derive one from.
    sandbox_key text,
    -- PostgreSQL cluster that the database was last used on, and the highest timeline seen there.
    -- An instance that meets another cluster or a lower timeline does not start.
    system_identifier text,
    timeline bigint
  );
  insert into database_identity default values;

  -- Master key that the secrets are sealed under. One row.
  create table master_key (
    singleton boolean primary key default true check (singleton),
    key_id text not null,
    -- Keyed digest by which a process proves that it has the same key.
    check_value text not null
  );

  -- Secrets of the service itself, sealed under the master key.
  create table secrets (
    name text primary key,
    sealed text not null,
    updated_at timestamptz(3) not null default now()
  );`

const terms = `
  -- Version of the terms that an organisation's payments go by: its settings, fee and risk rules, provider configurations.
  -- Instances cache the terms and read them again only when the version differs.
  create table terms (
    -- The nil id stands for the terms of every organisation.
    org_id uuid primary key,
    -- Random, not counted: after a failover that lost a change, the next change gets a version of its own.
    version uuid not null
  );

  create function change_terms(org uuid) returns void language sql as $$
    insert into terms (org_id, version)
    values (coalesce(org, '00000000-0000-0000-0000-000000000000'), gen_random_uuid())
    on conflict (org_id) do update set version = excluded.version
  $$;

  -- Row trigger of organizations, fee_rules, risk_rules, risk_list_entries and provider_configs: a new version in the transaction of the change.
  create function terms_changed() returns trigger language plpgsql as $$
  begin
    if tg_op <> 'DELETE' then
      perform change_terms(new.org_id);
    end if;
    if tg_op = 'DELETE' or (tg_op = 'UPDATE' and old.org_id is distinct from new.org_id) then
      perform change_terms(old.org_id);
    end if;
    return null;
  end $$;

  -- Statement trigger of provider_accounts, which have no org_id: a new version for every organisation.
  create function accounts_changed() returns trigger language plpgsql as $$
  begin
    perform change_terms(null);
    return null;
  end $$;`

const limits = `
  -- Messages sent in a time window, for the limits of outgoing mail.
  create table message_counts (
    -- An organisation, a recipient (hashed), or both.
    counted text not null,
    window_start timestamptz not null,
    messages integer not null check (messages > 0),
    primary key (counted, window_start)
  );
  create index message_counts_old on message_counts (window_start);

  -- Requests that an instance let through, for the rate limits of the other instances.
  -- Unlogged: the rows are worthless after a crash.
  create unlogged table spent_tokens (
    instance_id uuid not null,
    batch integer not null,
    spent jsonb not null,
    told_at timestamptz not null default clock_timestamp(),
    primary key (instance_id, batch)
  );
  create index spent_tokens_told on spent_tokens (told_at);`

const metrics = `
  -- Queue lengths and ages for /metrics, read by one instance for all. One row.
  create table figures (
    only_one boolean primary key default true check (only_one),
    taken_at timestamptz(3) not null,
    figures jsonb
  );
  insert into figures (taken_at) values ('-infinity');`

export default transaction({ besidePrevious: false }, partitions, domains, identity, terms, limits, metrics)
