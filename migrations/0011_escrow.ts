import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { transaction } from "../src/platform/database/Migration.ts"

/** Escrows, whom they pay, and when. Their money stands in the books; what is kept here says how far each has come. */
export default transaction(
  { besidePrevious: false },
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.unsafe(`
    create table escrows (
      escrow_id uuid primary key,
      org_id uuid not null references organizations on delete cascade,
      name text not null,
      currency text not null check (currency ~ '^[A-Z]{3}$'),
      account_id uuid not null,
      status text not null check (status in ('active', 'completed', 'canceled')),
      total_amount numeric not null check (total_amount > 0),
      funded_amount numeric not null default 0,
      disbursed_amount numeric not null default 0,
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now(),
      unique (org_id, escrow_id),
      foreign key (org_id, account_id) references virtual_accounts (org_id, account_id),
      constraint escrows_amounts check (
        0 <= disbursed_amount and disbursed_amount <= funded_amount and funded_amount <= total_amount),
      -- An escrow that is over holds nothing.
      constraint escrows_over check (status = 'active' or funded_amount = disbursed_amount)
    );
    create index escrows_newest on escrows (org_id, created_at desc, escrow_id desc);
    create index escrows_all_newest on escrows (created_at desc, escrow_id desc);

    create table escrow_parties (
      party_id uuid primary key,
      org_id uuid not null,
      escrow_id uuid not null,
      position integer not null,
      name text not null,
      beneficiary_id uuid,
      account_id uuid,
      email text,
      unique (escrow_id, party_id),
      unique (escrow_id, name),
      foreign key (org_id, escrow_id) references escrows (org_id, escrow_id) on delete cascade,
      foreign key (org_id, account_id) references virtual_accounts (org_id, account_id)
    );

    create table escrow_milestones (
      milestone_id uuid primary key,
      org_id uuid not null,
      escrow_id uuid not null,
      sequence integer not null,
      label text not null,
      description text,
      due_date text,
      expected_disbursement numeric not null check (expected_disbursement > 0),
      status text not null check (status in ('pending', 'contract_submitted', 'disbursed', 'canceled')),
      contract_reference text,
      contract_submitted_at timestamptz(3),
      disbursed_at timestamptz(3),
      unique (escrow_id, milestone_id),
      unique (escrow_id, sequence),
      foreign key (org_id, escrow_id) references escrows (org_id, escrow_id) on delete cascade,
      constraint escrow_milestones_disbursed check ((status = 'disbursed') = (disbursed_at is not null))
    );

    create table escrow_splits (
      milestone_id uuid not null,
      party_id uuid not null,
      org_id uuid not null,
      escrow_id uuid not null,
      position integer not null,
      split_type text not null check (split_type in ('percentage', 'fixed')),
      split_value numeric not null check (split_value > 0),
      primary key (milestone_id, party_id),
      foreign key (org_id, escrow_id) references escrows (org_id, escrow_id) on delete cascade,
      foreign key (escrow_id, milestone_id) references escrow_milestones (escrow_id, milestone_id) on delete cascade,
      foreign key (escrow_id, party_id) references escrow_parties (escrow_id, party_id) on delete cascade
    );
    create index escrow_splits_escrow on escrow_splits (escrow_id);
  `)
  )
)
