/** Treasury: virtual accounts with their statements, and escrows. Their money is in the ledger. */
import { transaction } from "../src/platform/database/Migration.ts"

const accounts = `
  create table virtual_accounts (
    account_id uuid primary key,
    org_id uuid not null references organizations on delete cascade,
    user_id uuid not null references users,
    -- The organisation's own id of its customer.
    customer_id text check (length(customer_id) <= 255),
    currency currency_code not null,
    virtual_account_name text not null,
    account_type text not null default 'currency' check (account_type in ('currency')),
    status text not null default 'active' check (status in ('active', 'frozen', 'closed')),
    frozen_reason text,
    -- The provider that issued its details; null: none.
    provider text check (provider <> ''),
    -- Rail that its details are for; null: none was asked for.
    payment_rail text check (payment_rail in ('bank_transfer', 'wallet')),
    details_status text not null default 'none' check (details_status in ('none', 'pending', 'issued', 'refused')),
    -- What payers need to send money to the account.
    details jsonb,
    -- Why there are none, for the organisation.
    details_message text,
    -- Person or company that they are issued for.
    holder jsonb,
    -- The provider that is asked for them or issued them, and its id of the account.
    issuer text check (issuer <> ''),
    issuer_reference text check (length(issuer_reference) between 1 and 255),
    -- When a worker asks for the details next. Null: never.
    details_due_at timestamptz,
    details_tries integer not null default 0,
    created_at timestamptz(3) not null default now(),
    updated_at timestamptz(3) not null default now(),
    unique (org_id, account_id),
    unique (issuer, issuer_reference),
    constraint virtual_accounts_details check ((details_status = 'issued') = (details is not null))
  );
  create index virtual_accounts_due_own on virtual_accounts (issuer, org_id, details_due_at) where details_due_at is not null;
  create index virtual_accounts_due on virtual_accounts (details_due_at) where details_due_at is not null;
  create index virtual_accounts_newest on virtual_accounts (org_id, created_at desc, account_id desc);
  create index virtual_accounts_all_newest on virtual_accounts (created_at desc, account_id desc);

  -- Statement lines of an account.
  create table virtual_transactions (
    transaction_id uuid primary key,
    account_id uuid not null,
    org_id uuid not null,
    user_id uuid not null references users,
    type text not null check (type in ('credit', 'debit')),
    -- Not read for a line with a payment: the payment's status counts.
    status text not null check (status in ('pending', 'completed', 'failed', 'reversed')),
    amount positive_number not null,
    fee non_negative_number not null default 0,
    currency currency_code not null,
    -- Worth of one unit of the debited currency in the credited one; null: nothing was exchanged.
    -- Kept here since locks are deleted, and the check of the ledger needs it.
    rate positive_number,
    description text,
    payment_rail text not null check (payment_rail in ('bank_transfer', 'card', 'mobile_money', 'wallet', 'internal', 'escrow')),
    reference text not null,
    payment_id uuid unique references payments on delete cascade,
    created_at timestamptz(3) not null default now(),
    updated_at timestamptz(3) not null default now(),
    foreign key (org_id, account_id) references virtual_accounts (org_id, account_id) on delete cascade
  );
  create index virtual_transactions_newest
    on virtual_transactions (account_id, created_at desc, transaction_id desc);

  -- Refuses a payment of another organisation. A trigger, since a foreign key on (org_id, payment_id) would need one more
  -- unique index on payments. No index serves uuid_eq, so the payment is found by its id even without statistics.
  create function virtual_transactions_own_payment() returns trigger language plpgsql as $$
  begin
    if not exists (select from payments where payment_id = new.payment_id and uuid_eq(org_id, new.org_id)) then
      raise exception 'payment % is not of organisation %', new.payment_id, new.org_id
        using errcode = 'foreign_key_violation', constraint = 'virtual_transactions_own_payment', table = 'virtual_transactions';
    end if;
    return null;
  end $$;
  create trigger virtual_transactions_payment after insert or update of org_id, payment_id on virtual_transactions
    for each row when (new.payment_id is not null) execute function virtual_transactions_own_payment();`

/** Transfers that providers received for virtual accounts, outside of any payment. */
const transfers = `
  create table incoming_transfers (
    transfer_id uuid primary key,
    provider text not null,
    -- The configuration whose account received the money; null: the platform's.
    account uuid,
    kind text not null check (kind in ('collection', 'reversal', 'reinstatement')),
    -- The provider's id of the transfer.
    movement_id text not null check (length(movement_id) between 1 and 500),
    -- The provider's id of the virtual account, as the transfer names it.
    issuer_reference text check (length(issuer_reference) <= 255),
    amount positive_number not null,
    currency text not null,
    sender text,
    -- Where the money is; null: in suspense.
    org_id uuid references organizations on delete cascade,
    account_id uuid,
    -- suspense: an operator decides. receivable: the account could not bear a return.
    -- resolved: by an operator, or by a later transfer that undid it.
    state text not null check (state in ('credited', 'suspense', 'receivable', 'resolved')),
    -- Why it is in suspense, or why an operator decided so.
    reason text,
    decided_by text,
    -- Part of a return that its account could not bear and still owes its organisation.
    owed numeric not null default 0 check (owed between 0 and amount),
    -- Another amount that the provider told for the same transfer; it is not booked.
    told_otherwise text,
    created_at timestamptz(3) not null default now(),
    updated_at timestamptz(3) not null default now()
  );
  create unique index incoming_transfers_identity on incoming_transfers
    (provider, coalesce(account, '00000000-0000-0000-0000-000000000000'), kind, movement_id);
  create index incoming_transfers_open on incoming_transfers (created_at desc, transfer_id desc)
    where state = 'suspense';
  create index incoming_transfers_owing on incoming_transfers (account_id, transfer_id) where owed > 0;
  create index incoming_transfers_stated on incoming_transfers (provider, transfer_id)
    where movement_id like 'operator:%';

  -- Time up to which the transfers of a provider were listed.
  create table incoming_transfer_lists (
    provider text primary key,
    listed_until timestamptz(3) not null,
    due_at timestamptz not null
  );`

const escrows = `
  create table escrows (
    escrow_id uuid primary key,
    org_id uuid not null references organizations on delete cascade,
    name text not null,
    currency fiat_code not null,
    -- Virtual account that funds it.
    account_id uuid not null,
    status text not null check (status in ('active', 'completed', 'canceled')),
    total_amount positive_number not null,
    funded_amount numeric not null default 0,
    disbursed_amount numeric not null default 0,
    created_at timestamptz(3) not null default now(),
    updated_at timestamptz(3) not null default now(),
    unique (org_id, escrow_id),
    foreign key (org_id, account_id) references virtual_accounts (org_id, account_id),
    constraint escrows_amounts check (
      0 <= disbursed_amount and disbursed_amount <= funded_amount and funded_amount <= total_amount),
    -- An escrow that has ended holds no money.
    constraint escrows_over check (status = 'active' or funded_amount = disbursed_amount)
  );
  create index escrows_newest on escrows (org_id, created_at desc, escrow_id desc);
  create index escrows_all_newest on escrows (created_at desc, escrow_id desc);
  create index escrows_account on escrows (account_id, created_at desc, escrow_id desc);
  create index escrows_status on escrows (org_id, status, created_at desc, escrow_id desc);
  create index escrows_all_status on escrows (status, created_at desc, escrow_id desc);

  -- Parties that an escrow pays, to a beneficiary or a virtual account.
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
    expected_disbursement positive_number not null,
    status text not null check (status in ('pending', 'contract_submitted', 'disbursed', 'canceled')),
    contract_reference text,
    contract_submitted_at timestamptz(3),
    disbursed_at timestamptz(3),
    unique (escrow_id, milestone_id),
    unique (escrow_id, sequence),
    foreign key (org_id, escrow_id) references escrows (org_id, escrow_id) on delete cascade,
    constraint escrow_milestones_disbursed check ((status = 'disbursed') = (disbursed_at is not null))
  );

  -- Share of a party in a milestone.
  create table escrow_splits (
    milestone_id uuid not null,
    party_id uuid not null,
    org_id uuid not null,
    escrow_id uuid not null,
    position integer not null,
    split_type text not null check (split_type in ('percentage', 'fixed')),
    split_value positive_number not null,
    primary key (milestone_id, party_id),
    foreign key (org_id, escrow_id) references escrows (org_id, escrow_id) on delete cascade,
    foreign key (escrow_id, milestone_id) references escrow_milestones (escrow_id, milestone_id) on delete cascade,
    foreign key (escrow_id, party_id) references escrow_parties (escrow_id, party_id) on delete cascade
  );
  create index escrow_splits_escrow on escrow_splits (escrow_id);`

const payouts = `
  -- Payouts to escrow parties, committed with the disbursement and turned into payments by a worker. Statuses:
  -- waiting (to be sent), sent (its payment exists), paid, blocked (needs a person) and closed (nothing more is sent).
  create table escrow_payouts (
    payout_id uuid primary key,
    org_id uuid not null,
    escrow_id uuid not null,
    -- Null: asked for by itself, not by a disbursement.
    milestone_id uuid,
    party_id uuid not null,
    beneficiary_id uuid not null,
    -- What the payout and its fee may take from the party's ledger account.
    amount positive_number not null,
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
  create index escrow_payouts_next on escrow_payouts (due_at) where due_at is not null;
  create index escrow_payouts_party on escrow_payouts (party_id) where status in ('waiting', 'blocked');
  create index escrow_payouts_escrow on escrow_payouts (escrow_id);
  create index escrow_payouts_blocked on escrow_payouts (org_id, updated_at desc, payout_id desc)
    where status = 'blocked';
  create index escrow_payouts_all_blocked on escrow_payouts (updated_at desc, payout_id desc)
    where status = 'blocked';`

export default transaction({ besidePrevious: false }, accounts, transfers, escrows, payouts)
