import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { transaction } from "../src/platform/database/Migration.ts"

/** Actions on payments (one-time passwords, refunds, reviews), fees, and idempotency keys. */
export default transaction(
  { besidePrevious: false },
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.unsafe(`
    alter table payments
      add column otp_failures integer not null default 0 check (otp_failures >= 0),
      add column total_fees numeric check (total_fees >= 0),
      add column fee_ids uuid[] not null default '{}';

    create table refunds (
      refund_id uuid primary key references attempts on delete cascade,
      payment_id uuid not null references payments on delete cascade,
      org_id uuid not null,
      amount numeric not null check (amount > 0),
      target_amount numeric not null check (target_amount >= 0),
      state text not null default 'open' check (state in ('open', 'completed', 'failed')),
      created_at timestamptz(3) not null,
      settled_at timestamptz(3)
    );
    create index refunds_payment on refunds (payment_id);

    create table fee_rules (
      fee_rule_id uuid primary key,
      org_id uuid not null references organizations on delete cascade,
      payment_method text not null check (payment_method in ('bank_transfer', 'card', 'mobile_money', 'crypto', 'wallet')),
      direction text not null check (direction in ('inbound', 'outbound', 'external')),
      basis_points integer not null default 0 check (basis_points between 0 and 10000),
      fixed_amount numeric not null default 0 check (fixed_amount >= 0),
      fixed_currency text check (fixed_currency ~ '^[A-Z]{3,4}$'),
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now(),
      unique (org_id, payment_method, direction),
      check (fixed_amount = 0 or fixed_currency is not null)
    );

    create table payment_fees (
      fee_id uuid primary key,
      payment_id uuid not null references payments on delete cascade,
      org_id uuid not null,
      fee_rule_id uuid,
      amount numeric not null check (amount >= 0),
      currency text not null,
      created_at timestamptz(3) not null
    );
    create index payment_fees_payment on payment_fees (payment_id);

    create table idempotency_keys (
      org_id uuid not null references organizations on delete cascade,
      operation text not null,
      key text not null,
      body_digest text not null,
      payment_id uuid references payments on delete cascade,
      status integer,
      response text,
      created_at timestamptz(3) not null default now(),
      primary key (org_id, operation, key)
    );
    create index idempotency_keys_age on idempotency_keys (created_at);
  `)
  )
)
