import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { transaction } from "../src/platform/database/Migration.ts"

/**
 * What is kept for a time only lies in a table for each month, so that a month goes as a whole. What was there before
 * becomes one such part as it stands. Rows of a month that has none go to the default part: no row is ever refused for it.
 */
const months = `
  create view table_months as
    select p.relname::text as parent, c.relname::text as name,
      (regexp_match(b.bound, $r$FROM \\('([^']+)'\\)$r$))[1]::timestamptz as from_at,
      (regexp_match(b.bound, $r$TO \\('([^']+)'\\)$r$))[1]::timestamptz as to_at
    from pg_inherits i
    join pg_class p on p.oid = i.inhparent and p.relkind = 'p' and p.relnamespace = current_schema()::regnamespace
    join pg_class c on c.oid = i.inhrelid
    cross join lateral (select pg_get_expr(c.relpartbound, c.oid) as bound) b
    where b.bound <> 'DEFAULT';

  -- False: there is one already. What has waited for it in the default part moves into it.
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
  end $$;

  -- Only for this migration: the table of before becomes the part of all months until now, if it has any rows.
  create function part_by_month(of_table text, by_column text) returns void language plpgsql as $$
  declare
    next_at timestamptz := (date_trunc('month', now() at time zone 'UTC') + interval '1 month') at time zone 'UTC';
    used boolean;
    ahead integer;
  begin
    execute format('create table %I partition of %I default', of_table || '_default', of_table);
    execute format('with later as (delete from %I where %I >= $1 returning *) insert into %I select * from later',
      of_table || '_before', by_column, of_table || '_default') using next_at;
    execute format('select exists (select from %I)', of_table || '_before') into used;
    if used then
      execute format('alter table %I attach partition %I for values from (minvalue) to (%L)',
        of_table, of_table || '_before', next_at);
    else
      execute format('drop table %I', of_table || '_before');
    end if;
    for ahead in 0..2 loop
      perform make_month(of_table, by_column, now() + ahead * interval '1 month');
    end loop;
  end $$;`

/**
 * The text of an event begins with what stands in its other columns, and the events of one change tell the same: the rest
 * is kept, and once. Where a text is of another shape, all of it is kept, as in the rows of before.
 */
const events = `
  drop trigger events_receivers on events;
  alter table webhook_queue drop constraint webhook_queue_delivery_id_fkey;
  alter table webhook_attempts drop constraint webhook_attempts_delivery_id_fkey;
  alter table webhook_deliveries drop constraint webhook_deliveries_event_id_fkey;

  drop index events_newest;
  drop index events_by_type;
  drop index events_all_newest;
  alter table events drop constraint events_pkey;
  alter table events
    add column data text,
    add column same_as uuid,
    alter column payload drop not null,
    -- With what stands before and after it.
    add constraint events_data_size check (octet_length(data) + octet_length(event_type) + 163 <= 65536),
    add constraint events_told check (num_nonnulls(payload, data, same_as) = 1);
  alter table events rename to events_before;
  create table events (like events_before including defaults including constraints including storage)
    partition by range (created_at);
  alter table events add primary key (event_id, created_at);
  alter table events add constraint events_org_id_fkey foreign key (org_id) references organizations on delete cascade;
  create index events_newest on events (org_id, created_at);
  create index events_by_type on events (org_id, event_type, created_at);
  create index events_all_newest on events (created_at);
  select part_by_month('events', 'created_at');

  create function event_payload(e events) returns text language sql stable as $$
    select coalesce(e.payload, '{"event_id":"' || e.event_id || '","event_type":"' || e.event_type || '","org_id":"' || e.org_id
      || '","created_at":"' || to_char(e.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '","data":'
      || coalesce(e.data, (select s.data from events s where s.event_id = e.same_as and s.created_at = e.created_at)) || '}')
  $$;`

const deliveries = `
  drop index webhook_deliveries_all_newest;
  drop index webhook_deliveries_event;
  drop index webhook_deliveries_status;
  drop index webhook_deliveries_endpoint;
  alter table webhook_deliveries drop constraint webhook_deliveries_webhook_id_event_id_key;

  -- Where a delivery and its event are, so that nobody looks for them in every month.
  alter table webhook_queue
    add column delivery_at timestamptz(3),
    add column event_id uuid,
    add column event_at timestamptz(3);
  update webhook_queue q set delivery_at = d.created_at, event_id = d.event_id, event_at = e.created_at
    from webhook_deliveries d join events e on e.event_id = d.event_id where d.delivery_id = q.delivery_id;
  alter table webhook_queue
    alter column delivery_at set not null, alter column event_id set not null, alter column event_at set not null;

  alter table webhook_deliveries drop constraint webhook_deliveries_pkey;
  alter table webhook_deliveries rename to webhook_deliveries_before;
  create table webhook_deliveries (like webhook_deliveries_before including defaults including constraints including storage)
    partition by range (created_at);
  alter table webhook_deliveries add primary key (delivery_id, created_at);
  alter table webhook_deliveries
    add constraint webhook_deliveries_org_id_fkey foreign key (org_id) references organizations on delete cascade,
    add constraint webhook_deliveries_webhook_id_fkey foreign key (webhook_id) references webhooks on delete cascade,
    -- A delivery is written by the statement that writes its event, which no statement writes twice.
    add constraint webhook_deliveries_once unique (event_id, webhook_id, created_at);
  create index webhook_deliveries_status on webhook_deliveries (org_id, status, created_at, delivery_id);
  create index webhook_deliveries_endpoint on webhook_deliveries (webhook_id, status, created_at, delivery_id);
  select part_by_month('webhook_deliveries', 'created_at');
  create index webhook_deliveries_default_oldest on webhook_deliveries_default (created_at, delivery_id);

  drop index webhook_attempts_delivery;
  alter table webhook_attempts rename to webhook_attempts_before;
  create table webhook_attempts (like webhook_attempts_before including defaults including constraints including storage)
    partition by range (at);
  create index webhook_attempts_delivery on webhook_attempts (delivery_id, at);
  select part_by_month('webhook_attempts', 'at');

  -- An endpoint that goes takes its deliveries with it, and they take their place in the queue and their attempts.
  create function webhook_deliveries_go() returns trigger language plpgsql as $$
  begin
    delete from webhook_queue where delivery_id = any (array(select delivery_id from gone));
    delete from webhook_attempts where delivery_id = any (array(select delivery_id from gone));
    return null;
  end $$;
  create trigger webhook_deliveries_gone after delete on webhook_deliveries
    referencing old table as gone for each statement execute function webhook_deliveries_go();

  create or replace function events_find_receivers() returns trigger language plpgsql as $$
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

const records = `
  drop index notifications_newest;
  drop index notifications_all_newest;
  alter table notifications drop constraint notifications_pkey;
  alter table notifications rename to notifications_before;
  create table notifications (like notifications_before including defaults including constraints including storage)
    partition by range (created_at);
  alter table notifications add primary key (notification_id, created_at);
  alter table notifications
    add constraint notifications_org_id_fkey foreign key (org_id) references organizations on delete cascade;
  create index notifications_newest on notifications (org_id, created_at, notification_id);
  create index notifications_all_newest on notifications (created_at, notification_id);
  select part_by_month('notifications', 'created_at');

  drop index audit_log_newest;
  drop index audit_log_all_newest;
  drop index audit_log_action;
  drop index audit_log_all_action;
  alter table audit_log drop constraint audit_log_pkey;
  alter table audit_log rename to audit_log_before;
  create table audit_log (like audit_log_before including defaults including constraints including storage)
    partition by range (created_at);
  alter table audit_log add primary key (audit_id, created_at);
  alter table audit_log
    add constraint audit_log_org_id_fkey foreign key (org_id) references organizations on delete cascade;
  create index audit_log_newest on audit_log (org_id, created_at, audit_id);
  create index audit_log_all_newest on audit_log (created_at, audit_id);
  create index audit_log_action on audit_log (org_id, action, created_at, audit_id);
  create index audit_log_all_action on audit_log (action, created_at, audit_id);
  select part_by_month('audit_log', 'created_at');`

/**
 * An index that new rows enter at its end fills its pages, one that they enter at its beginning leaves them half empty: it
 * is read backwards as fast. What a payment is now is a number beside it, not three words.
 */
const narrower = `
  drop index payments_newest;
  drop index payments_all_newest;
  drop index payments_reference;
  create index payments_newest on payments (org_id, created_at, payment_id);
  create index payments_all_newest on payments (created_at, payment_id);
  create index payments_reference on payments (org_id, client_reference, created_at, payment_id)
    where client_reference is not null;
  drop index ledger_postings_newest;
  create index ledger_postings_newest on ledger_postings (account, created_at, entry_id) include (amount);
  drop index attempts_provider_payment;
  create index attempts_provider_payment on attempts (provider, provider_payment_id)
    where provider_payment_id is not null;

  -- What changes leave behind is used again before long.
  alter table payments set (autovacuum_vacuum_scale_factor = 0.02);
  alter table attempts set (autovacuum_vacuum_scale_factor = 0.02);

  -- A callback is told from another by what its provider calls it.
  alter table provider_callbacks drop constraint provider_callbacks_pkey;
  alter table provider_callbacks drop constraint provider_callbacks_provider_event_key_key;
  alter table provider_callbacks add primary key (provider, event_key);

  drop table payment_marks;
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
    mark smallint not null,
    primary key (org_id, mark, created_at, payment_id)
  ) with (autovacuum_vacuum_scale_factor = 0.02);
  insert into payment_marks
    select org_id, payment_id, created_at, payment_mark(status, direction, payment_method) as mark from payments
    order by org_id, mark, created_at, payment_id;
  -- For everybody's alone: who looks for those of one organisation must not come upon it.
  create index payment_marks_all on payment_marks ((mark::int), created_at, payment_id);

  create or replace function payments_mark() returns trigger language plpgsql as $$
  begin
    insert into payment_marks
      select org_id, payment_id, created_at, payment_mark(status, direction, payment_method) from inserted;
    return null;
  end $$;
  create or replace function payments_mark_again() returns trigger language plpgsql as $$
  begin
    update payment_marks m set mark = payment_mark(n.status, n.direction, n.payment_method)
    from was w join updated n on n.payment_id = w.payment_id and n.status <> w.status
    where m.org_id = w.org_id and m.mark = payment_mark(w.status, w.direction, w.payment_method)
      and m.created_at = w.created_at and m.payment_id = w.payment_id;
    return null;
  end $$;
  create or replace function payments_unmark() returns trigger language plpgsql as $$
  begin
    delete from payment_marks m using gone g
    where m.org_id = g.org_id and m.mark = payment_mark(g.status, g.direction, g.payment_method)
      and m.created_at = g.created_at and m.payment_id = g.payment_id;
    return null;
  end $$;`

export default transaction(
  { besidePrevious: false },
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.unsafe([months, events, deliveries, records, narrower, "drop function part_by_month(text, text)"].join(";\n"))
  )
)
