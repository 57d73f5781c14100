/** Operations: the audit log, outgoing messages, idempotency keys, verification requests, daily totals. */
import { monthly, transaction } from "../src/platform/database/Migration.ts"

const records = `
  create table audit_log (
    audit_id uuid not null,
    -- Null: an action of the platform.
    org_id uuid references organizations on delete cascade,
    actor_type text not null check (actor_type in ('user', 'api_key', 'operator')),
    actor_id text not null,
    actor_name text,
    action text not null,
    subject_type text not null,
    subject_id text not null,
    detail jsonb not null default '{}',
    created_at timestamptz(3) not null default now(),
    primary key (audit_id, created_at)
  ) partition by range (created_at);
  create index audit_log_newest on audit_log (org_id, created_at, audit_id);
  create index audit_log_all_newest on audit_log (created_at, audit_id);
  create index audit_log_action on audit_log (org_id, action, created_at, audit_id);
  create index audit_log_all_action on audit_log (action, created_at, audit_id);
  create index audit_log_actor on audit_log (org_id, actor_id, created_at, audit_id);
  create index audit_log_all_actor on audit_log (actor_id, created_at, audit_id);
  create index audit_log_subject on audit_log (org_id, subject_id, created_at, audit_id);
  create index audit_log_all_subject on audit_log (subject_id, created_at, audit_id);
  ${monthly("audit_log", "created_at")}

  -- Messages to people, in a sandbox instead of mail.
  create table notifications (
    notification_id uuid not null,
    org_id uuid references organizations on delete cascade,
    kind text not null check (kind in ('invitation', 'verification_request', 'receipt')),
    priority text not null check (priority in ('low', 'medium', 'high', 'urgent')),
    recipient text not null,
    subject text not null,
    text text not null,
    created_at timestamptz(3) not null default now(),
    primary key (notification_id, created_at)
  ) partition by range (created_at);
  create index notifications_newest on notifications (org_id, created_at, notification_id);
  create index notifications_all_newest on notifications (created_at, notification_id);
  ${monthly("notifications", "created_at")}`

const requests = `
  -- Idempotency keys, kept for a day. Not partitioned: a key is refused across the end of a month too.
  create table idempotency_keys (
    org_id uuid not null references organizations on delete cascade,
    operation text not null,
    key text not null,
    -- The same key with another body is refused.
    body_digest text not null,
    -- Request that wrote the row: it alone stores its answer here, or removes the row.
    claim uuid,
    payment_id uuid references payments on delete cascade,
    -- Answer; null: the request still runs, or its answer is made anew from the payment.
    status integer,
    response text,
    created_at timestamptz(3) not null default now(),
    primary key (org_id, operation, key)
  );
  create index idempotency_keys_age on idempotency_keys (created_at);

  -- Requests to verify the identity of a payment's sender or beneficiary.
  create table verification_requests (
    request_id uuid primary key,
    org_id uuid not null references organizations on delete cascade,
    requested_by uuid not null references users,
    target text not null check (target in ('beneficiary', 'sender')),
    -- As requested. A request for an unknown user is kept, as failed.
    user_id text not null check (length(user_id) between 1 and 100),
    transaction_id uuid not null references payments (transaction_id) on delete cascade,
    verification_type text not null check (verification_type in ('bvn', 'nin')),
    triggered_by text not null check (length(triggered_by) between 1 and 200),
    priority text not null check (priority in ('low', 'medium', 'high', 'urgent')),
    status text not null check (status in ('pending', 'approved', 'rejected', 'failed')),
    created_at timestamptz(3) not null default now(),
    updated_at timestamptz(3) not null default now()
  );
  create index verification_requests_newest on verification_requests (org_id, created_at desc, request_id desc);
  create index verification_requests_all_newest on verification_requests (created_at desc, request_id desc);
  create index verification_requests_transaction on verification_requests (transaction_id);`

const analytics = `
  -- Payments that were created on a day before counted_to are in its totals, except those in analytics_open_payments.
  -- Later ones are summed up when they are asked for.
  create table analytics_days (
    date date primary key,
    counted_to timestamptz(3) not null
  );

  create table analytics_day_totals (
    date date not null references analytics_days on delete cascade,
    org_id uuid not null references organizations on delete cascade,
    currency text not null,
    count integer not null,
    completed integer not null,
    failed integer not null,
    volume numeric not null,
    primary key (date, org_id, currency)
  );
  create index analytics_day_totals_org on analytics_day_totals (org_id, date);

  -- Payments whose counts could still change when their time was counted. No foreign key to payments: it would lock them.
  create table analytics_open_payments (
    payment_id uuid primary key,
    org_id uuid not null references organizations on delete cascade,
    date date not null
  );
  create index analytics_open_payments_org on analytics_open_payments (org_id, date);
  create index analytics_open_payments_date on analytics_open_payments (date);

  -- A payment of a time that is counted already is looked at with the open ones: the clock of its instance was behind, or
  -- the instance was suspended. The advisory lock waits for an instance that counts.
  create function payments_counted_late() returns trigger language plpgsql as $$
  begin
    perform pg_advisory_xact_lock_shared(7402118621);
    insert into analytics_open_payments (payment_id, org_id, date)
    select new.payment_id, new.org_id, date from analytics_days
    where date = (new.created_at at time zone 'UTC')::date and new.created_at < counted_to;
    return null;
  end $$;
  create trigger payments_late after insert on payments for each row
    when (new.created_at < clock_timestamp() - interval '10 minutes') execute function payments_counted_late();`

export default transaction({ besidePrevious: false }, records, requests, analytics)
