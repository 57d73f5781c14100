/** Webhooks: events, endpoints, deliveries and the queue between an event and its endpoints. */
import { monthly, transaction } from "../src/platform/database/Migration.ts"

const events = `
  -- Events of organisations. Written in the transaction of the change that they tell of.
  create table events (
    event_id uuid not null,
    org_id uuid not null references organizations on delete cascade,
    event_type text not null,
    payment_id uuid,
    -- The event's text is in one of these three; event_payload puts it together.
    -- payload: all of it, where its shape is unusual.
    payload text constraint events_payload_size check (octet_length(payload) <= 65536),
    -- data: its "data" member; of a payment's event only the values, one on each line.
    data text,
    -- same_as: the event of the same change that has the same data.
    same_as uuid,
    -- Sent by "test" of an endpoint: goes to every endpoint, whatever it subscribes to.
    test boolean not null default false,
    traceparent text,
    created_at timestamptz(3) not null,
    primary key (event_id, created_at),
    -- 163: length of the text around the data.
    constraint events_data_size check (octet_length(data) + octet_length(event_type) + 163 <= 65536),
    constraint events_told check (num_nonnulls(payload, data, same_as) = 1)
  ) partition by range (created_at);
  create index events_newest on events (org_id, created_at);
  create index events_by_type on events (org_id, event_type, created_at);
  create index events_all_newest on events (created_at);
  ${monthly("events", "created_at")}

  -- The "data" of an event: of several lines, the values of a payment's event in the order below.
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
  -- The text of an event as it is delivered, for people who read the tables. The service does the same in EventPayloadStorage.ts.
  create function event_payload(e events) returns text language sql stable as $$
    select coalesce(e.payload, '{"event_id":"' || e.event_id || '","event_type":"' || e.event_type || '","org_id":"' || e.org_id
      || '","created_at":"' || to_char(e.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '","data":'
      || event_data(coalesce(e.data,
        (select s.data from events s where s.event_id = e.same_as and s.created_at = e.created_at)), e.payment_id, e.created_at)
      || '}')
  $$;`

const endpoints = `
  create table webhooks (
    webhook_id uuid primary key,
    org_id uuid not null references organizations on delete cascade,
    endpoint_url text not null check (length(endpoint_url) <= 2000),
    -- Event types, or patterns such as payment.* and *.
    events text[] not null default '{*}' check (cardinality(events) > 0),
    status text not null default 'active' check (status in ('active', 'disabled')),
    disabled_reason text,
    secret_sealed text not null,
    -- Secret of before a rotation: deliveries are signed with both until its time is over.
    previous_secret_sealed text,
    previous_secret_until timestamptz(3),
    -- First failure since the last success; null: the last delivery succeeded.
    failing_since timestamptz(3),
    created_at timestamptz(3) not null default now(),
    updated_at timestamptz(3) not null default now(),
    check ((previous_secret_sealed is null) = (previous_secret_until is null))
  );
  create index webhooks_newest on webhooks (org_id, created_at desc, webhook_id desc);
  create index webhooks_all_newest on webhooks (created_at desc, webhook_id desc);`

const deliveries = `
  -- UUID version 7 on every supported server: milliseconds, then the random part of a version 4.
  create function uuid_v7() returns uuid language sql volatile as $$
    select (lpad(to_hex((extract(epoch from clock_timestamp()) * 1000)::bigint), 12, '0') || '7'
      || substr(random, 14))::uuid
    from (select replace(gen_random_uuid()::text, '-', '') as random) v4
  $$;

  -- One event for one endpoint.
  create table webhook_deliveries (
    delivery_id uuid not null default uuid_v7(),
    org_id uuid not null references organizations on delete cascade,
    webhook_id uuid not null references webhooks on delete cascade,
    event_id uuid not null,
    event_type text not null,
    -- dead: given up, waits in the dead letters.
    status text not null default 'pending' check (status in ('pending', 'delivered', 'dead')),
    attempts integer not null default 0,
    last_status_code integer,
    last_error text,
    created_at timestamptz(3) not null default now(),
    updated_at timestamptz(3) not null default now(),
    primary key (delivery_id, created_at),
    constraint webhook_deliveries_once unique (event_id, webhook_id, created_at)
  ) partition by range (created_at);
  create index webhook_deliveries_status on webhook_deliveries (org_id, status, created_at, delivery_id);
  create index webhook_deliveries_endpoint on webhook_deliveries (webhook_id, status, created_at, delivery_id);
  -- For lists over all organisations. lower() keeps the planner from using it for the lists of one.
  create index webhook_deliveries_all on webhook_deliveries (lower(status), created_at);
  ${monthly("webhook_deliveries", "created_at")}
  -- Retention deletes the rows of the default partition one by one, oldest first.
  create index webhook_deliveries_default_oldest on webhook_deliveries_default (created_at, delivery_id);

  -- Attempts at a delivery.
  create table webhook_attempts (
    delivery_id uuid not null,
    attempt integer not null,
    at timestamptz(3) not null,
    status_code integer,
    error text,
    latency_ms integer not null,
    -- Beginning of the answer's body.
    answer text,
    -- Headers that were sent: the second that was signed, then the service's signature followed by those of Standard
    -- Webhooks (32 bytes each, one for each secret), then the trace (version, trace, span, flags).
    signed_at timestamptz(0),
    signatures bytea,
    trace bytea
  ) partition by range (at);
  create index webhook_attempts_delivery on webhook_attempts (delivery_id, at);
  ${monthly("webhook_attempts", "at")}

  -- Deliveries that are to be sent. A row goes when its delivery is done. No foreign keys: they would need indexes, and
  -- the trigger of webhook_deliveries removes the rows.
  create table webhook_queue (
    delivery_id uuid primary key,
    org_id uuid not null,
    webhook_id uuid not null,
    attempt integer not null default 0,
    next_at timestamptz(3) not null default now(),
    -- Instance that sends it now.
    lease_token uuid,
    -- Partitions of the delivery and its event: both are found without looking into every month.
    delivery_at timestamptz(3) not null,
    event_id uuid not null,
    event_at timestamptz(3) not null
  );
  -- Due deliveries of an endpoint, and organisations with due deliveries: turns are shared among organisations.
  create index webhook_queue_lanes on webhook_queue (org_id, webhook_id, next_at, delivery_id);
  create index webhook_queue_organizations on webhook_queue (org_id, next_at);

  -- Removes queue rows and attempts of deleted deliveries, such as those of a deleted endpoint.
  create function webhook_deliveries_go() returns trigger language plpgsql as $$
  begin
    delete from webhook_queue where delivery_id = any (array(select delivery_id from gone));
    delete from webhook_attempts where delivery_id = any (array(select delivery_id from gone));
    return null;
  end $$;
  create trigger webhook_deliveries_gone after delete on webhook_deliveries
    referencing old table as gone for each statement execute function webhook_deliveries_go();

  create function webhook_wants(patterns text[], event_type text) returns boolean language sql immutable as $$
    select '*' = any (patterns) or event_type = any (patterns)
      or (split_part(event_type, '.', 1) || '.*') = any (patterns)
  $$;

  -- Queues each inserted event for the endpoints that subscribe to it, in the event's own transaction.
  create function events_find_receivers() returns trigger language plpgsql as $$
  begin
    with found as (
      insert into webhook_deliveries (org_id, webhook_id, event_id, event_type)
      select e.org_id, w.webhook_id, e.event_id, e.event_type
      from inserted e
      join webhooks w on w.org_id = e.org_id and w.status = 'active' and (e.test or webhook_wants(w.events, e.event_type))
      returning delivery_id, org_id, webhook_id, event_id, created_at
    )
    insert into webhook_queue (delivery_id, org_id, webhook_id, delivery_at, event_id, event_at)
    select f.delivery_id, f.org_id, f.webhook_id, f.created_at, f.event_id, e.created_at
    from found f join inserted e on e.event_id = f.event_id;
    return null;
  end $$;
  create trigger events_receivers after insert on events
    referencing new table as inserted for each statement execute function events_find_receivers();`

export default transaction({ besidePrevious: false }, events, endpoints, deliveries)
