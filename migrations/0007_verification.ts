import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { transaction } from "../src/platform/database/Migration.ts"

/** The sandbox's outbox, requests to verify a person, and what the KYB provider has said of organisations. */
export default transaction(
  { besidePrevious: false },
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.unsafe(`
    create table notifications (
      notification_id uuid primary key,
      org_id uuid references organizations on delete cascade,
      kind text not null check (kind in ('invitation', 'verification_request')),
      priority text not null check (priority in ('low', 'medium', 'high', 'urgent')),
      recipient text not null,
      subject text not null,
      text text not null,
      created_at timestamptz(3) not null default now()
    );
    create index notifications_newest on notifications (org_id, created_at desc, notification_id desc);
    create index notifications_all_newest on notifications (created_at desc, notification_id desc);

    create table verification_requests (
      request_id uuid primary key,
      org_id uuid not null references organizations on delete cascade,
      requested_by uuid not null references users,
      target text not null check (target in ('beneficiary', 'sender')),
      -- As it was asked for: one that names nobody is kept too, as failed.
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
    create index verification_requests_transaction on verification_requests (transaction_id);

    -- One for every time that KYB was started: what is said of an earlier one does not touch a later one.
    create table kyb_applications (
      customer_id text primary key check (length(customer_id) between 1 and 255),
      org_id uuid not null references organizations on delete cascade,
      created_at timestamptz(3) not null default now()
    );
    create index kyb_applications_org on kyb_applications (org_id);

    create table kyb_callbacks (
      customer_id text not null references kyb_applications on delete cascade,
      -- The provider's own id of it, or a digest of its bytes.
      event_key text not null,
      status text not null check (status in ('approved', 'rejected')),
      reason text,
      occurred_at timestamptz(3),
      received_at timestamptz(3) not null default now(),
      primary key (customer_id, event_key)
    );
  `)
  )
)
