import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { transaction } from "../src/platform/database/Migration.ts"

/**
 * Payouts to escrow parties as intents: committed with the disbursement, turned into payments by a worker. Statuses:
 * waiting (to be sent), sent (its payment exists), paid, blocked (needs a person) and closed (nothing more is sent).
 */
export default transaction(
  { besidePrevious: true },
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.unsafe(`
    create table escrow_payouts (
      payout_id uuid primary key,
      org_id uuid not null,
      escrow_id uuid not null,
      -- Null: asked for by itself, not by a disbursement.
      milestone_id uuid,
      party_id uuid not null,
      beneficiary_id uuid not null,
      -- What the payout and its fee may take from the party's ledger account.
      amount numeric not null check (amount > 0),
      currency text not null,
      description text not null,
      -- Chosen with the row. A payment of this id is created in the transaction that sets sent_at.
      payment_id uuid not null unique,
      transaction_id uuid not null,
      -- Who asked for it: the initiator of the payment, for reviews and the audit log.
      initiator jsonb not null,
      status text not null check (status in ('waiting', 'sent', 'paid', 'blocked', 'closed')),
      reason text,
      -- Payments created for this payout so far.
      sends integer not null default 0,
      sent_at timestamptz(3),
      -- When a worker takes the row up next. Null: never by itself.
      due_at timestamptz default now(),
      -- Of the worker that took the row up last; of a new row, its own id.
      lease_token uuid not null,
      -- Times a worker has taken the row up since it was last made to wait.
      tries integer not null default 0,
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now(),
      foreign key (org_id, escrow_id) references escrows (org_id, escrow_id) on delete cascade
    );
    create index escrow_payouts_due on escrow_payouts (org_id, due_at) where due_at is not null;
    create index escrow_payouts_party on escrow_payouts (party_id) where status in ('waiting', 'blocked');
    create index escrow_payouts_escrow on escrow_payouts (escrow_id);
    create index escrow_payouts_blocked on escrow_payouts (org_id, updated_at desc, payout_id desc)
      where status = 'blocked';
    create index escrow_payouts_all_blocked on escrow_payouts (updated_at desc, payout_id desc)
      where status = 'blocked';
  `)
  )
)
