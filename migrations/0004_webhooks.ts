import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { transaction } from "../src/platform/database/Migration.ts"

/** Webhook endpoints, and the queue between an event and its receivers: every event finds them in its own transaction. */
export default transaction(
  { besidePrevious: false },
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.unsafe(`
    create table webhooks (
      webhook_id uuid primary key,
      org_id uuid not null references organizations on delete cascade,
      endpoint_url text not null check (length(endpoint_url) <= 2000),
      events text[] not null default '{*}' check (cardinality(events) > 0),
      status text not null default 'active' check (status in ('active', 'disabled')),
      disabled_reason text,
      secret_sealed text not null,
      previous_secret_sealed text,
      previous_secret_until timestamptz(3),
      failing_since timestamptz(3),
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now(),
      check ((previous_secret_sealed is null) = (previous_secret_until is null))
    );
    create index webhooks_newest on webhooks (org_id, created_at desc, webhook_id desc);
    create index webhooks_all_newest on webhooks (created_at desc, webhook_id desc);

    alter table events add column test boolean not null default false;
    alter table events add constraint events_payload_size check (octet_length(payload) <= 65536);
    create index events_all_newest on events (created_at desc, event_id desc);

    -- Version 7 on every supported server: the time in milliseconds, then the random part of a version 4.
    create function uuid_v7() returns uuid language sql volatile as $$
      select (lpad(to_hex((extract(epoch from clock_timestamp()) * 1000)::bigint), 12, '0') || '7'
        || substr(random, 14))::uuid
      from (select replace(gen_random_uuid()::text, '-', '') as random) v4
    $$;

    create table webhook_deliveries (
      delivery_id uuid primary key default uuid_v7(),
      org_id uuid not null references organizations on delete cascade,
      webhook_id uuid not null references webhooks on delete cascade,
      event_id uuid not null references events on delete cascade,
      event_type text not null,
      status text not null default 'pending' check (status in ('pending', 'delivered', 'dead')),
      attempts integer not null default 0,
      last_status_code integer,
      last_error text,
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now(),
      unique (webhook_id, event_id)
    );
    create index webhook_deliveries_newest on webhook_deliveries (org_id, created_at desc, delivery_id desc);
    create index webhook_deliveries_all_newest on webhook_deliveries (created_at desc, delivery_id desc);
    create index webhook_deliveries_dead on webhook_deliveries (webhook_id, created_at) where status = 'dead';

    -- Narrow, and deleted when done: what is here is what is left to send.
    create table webhook_queue (
      delivery_id uuid primary key references webhook_deliveries on delete cascade,
      webhook_id uuid not null references webhooks on delete cascade,
      attempt integer not null default 0,
      next_at timestamptz(3) not null default now(),
      lease_token uuid
    );
    create index webhook_queue_lanes on webhook_queue (webhook_id, next_at, delivery_id);

    create table webhook_attempts (
      delivery_id uuid not null references webhook_deliveries on delete cascade,
      attempt integer not null,
      at timestamptz(3) not null,
      status_code integer,
      error text,
      latency_ms integer not null,
      answer text
    );
    create index webhook_attempts_delivery on webhook_attempts (delivery_id, at);

    create function webhook_wants(patterns text[], event_type text) returns boolean language sql immutable as $$
      select '*' = any (patterns) or event_type = any (patterns)
        or (split_part(event_type, '.', 1) || '.*') = any (patterns)
    $$;

    create function events_find_receivers() returns trigger language plpgsql as $$
    begin
      with found as (
        insert into webhook_deliveries (org_id, webhook_id, event_id, event_type)
        select e.org_id, w.webhook_id, e.event_id, e.event_type
        from inserted e
        join webhooks w on w.org_id = e.org_id and w.status = 'active' and (e.test or webhook_wants(w.events, e.event_type))
        returning delivery_id, webhook_id
      )
      insert into webhook_queue (delivery_id, webhook_id) select delivery_id, webhook_id from found;
      return null;
    end $$;
    create trigger events_receivers after insert on events
      referencing new table as inserted for each statement execute function events_find_receivers();
  `)
  )
)
