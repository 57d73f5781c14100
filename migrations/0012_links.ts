import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { transaction } from "../src/platform/database/Migration.ts"

/**
 * Payment links and the payments made through them. When a link was paid is not kept here: it is the moment at which
 * the history of one of its payments says completed, so that no completion can be missed.
 */
export default transaction(
  { besidePrevious: false },
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.unsafe(`
    create table payment_links (
      link_id uuid primary key,
      org_id uuid not null references organizations on delete cascade,
      created_by uuid not null references users,
      link_ref text not null unique,
      email text,
      amount_type text not null check (amount_type in ('fixed', 'open')),
      amount numeric check (amount > 0),
      currency text not null check (currency ~ '^[A-Z]{3}$'),
      payer_currency text not null check (payer_currency ~ '^[A-Z]{3}$'),
      country text not null check (country ~ '^[A-Z]{2}$'),
      description text,
      expires_at timestamptz(3),
      canceled_at timestamptz(3),
      -- The latest payment. A fixed link takes another only in the place of the one that is named here.
      payment_id uuid,
      created_at timestamptz(3) not null default now(),
      unique (org_id, link_id),
      constraint payment_links_amount check (amount_type = 'open' or amount is not null)
    );
    create index payment_links_newest on payment_links (org_id, created_at desc, link_id desc);

    create table payment_link_payments (
      payment_id uuid primary key references payments on delete cascade,
      link_id uuid not null,
      org_id uuid not null,
      -- What the form carried: a form that is sent twice pays once.
      submission text not null,
      unique (link_id, submission),
      foreign key (org_id, link_id) references payment_links (org_id, link_id) on delete cascade
    );
    alter table payment_links add constraint payment_links_latest
      foreign key (payment_id) references payment_link_payments on delete set null deferrable initially deferred;
  `)
  )
)
