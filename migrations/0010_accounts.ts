import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { transaction } from "../src/platform/database/Migration.ts"

/** Virtual accounts and what went through them. What is on one stands only in the books. */
export default transaction(
  { besidePrevious: false },
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.unsafe(`
    create table virtual_accounts (
      account_id uuid primary key,
      org_id uuid not null references organizations on delete cascade,
      user_id uuid not null references users,
      customer_id text check (length(customer_id) <= 255),
      currency text not null check (currency ~ '^[A-Z]{3,4}$'),
      virtual_account_name text not null,
      account_type text not null default 'currency' check (account_type in ('currency')),
      status text not null default 'active' check (status in ('active', 'frozen', 'closed')),
      frozen_reason text,
      provider text not null default 'fiat',
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now(),
      unique (org_id, account_id)
    );
    create index virtual_accounts_newest on virtual_accounts (org_id, created_at desc, account_id desc);
    create index virtual_accounts_all_newest on virtual_accounts (created_at desc, account_id desc);

    create table virtual_transactions (
      transaction_id uuid primary key,
      account_id uuid not null,
      org_id uuid not null,
      user_id uuid not null references users,
      type text not null check (type in ('credit', 'debit')),
      -- Of a row with a payment it is the payment that tells.
      status text not null check (status in ('pending', 'completed', 'failed', 'reversed')),
      amount numeric not null check (amount > 0),
      fee numeric not null default 0 check (fee >= 0),
      currency text not null check (currency ~ '^[A-Z]{3,4}$'),
      description text,
      payment_rail text not null check (payment_rail in ('bank_transfer', 'mobile_money', 'wallet', 'internal', 'escrow')),
      reference text not null,
      payment_id uuid unique,
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now(),
      foreign key (org_id, account_id) references virtual_accounts (org_id, account_id) on delete cascade,
      foreign key (org_id, payment_id) references payments (org_id, payment_id) on delete cascade
    );
    create index virtual_transactions_newest
      on virtual_transactions (account_id, created_at desc, transaction_id desc);
  `)
  )
)
