/** Settlement: orders to providers, their callbacks, and items for operators. */
import { transaction } from "../src/platform/database/Migration.ts"

const attempts = `
  create domain attempt_leg as text check (value in ('payment', 'collection', 'settlement', 'refund', 'return'));
  create domain attempt_outcome as text check (value in ('accepted', 'declined', 'unknown'));

  -- Orders to providers. Each is committed before it is sent.
  create table attempts (
    attempt_id uuid primary key,
    payment_id uuid not null references payments on delete cascade,
    org_id uuid not null,
    -- collection, settlement: the two legs of a ramp. return: money that the payment has no use for, back to its sender.
    leg attempt_leg not null default 'payment',
    -- Of a refund or return: the attempt that brought the money.
    of_attempt uuid,
    provider text not null,
    -- Configuration that routing chose.
    config_id uuid,
    -- Configuration whose account at the provider is used; null: the platform's account.
    account uuid,
    -- The account is the organisation's own: its money is not the platform's to pay out.
    own boolean not null default false,
    provider_payment_id text,
    -- Null: not answered yet.
    outcome attempt_outcome,
    reason text,

    -- Sending
    -- Times sent; 0: waits for an instance to send it.
    sends non_negative_count not null default 1,
    started_at timestamptz(3) not null,
    sent_at timestamptz(3) not null default now(),
    answered_at timestamptz(3),
    traceparent text,

    -- Status enquiries
    enquiries integer not null default 0,
    -- Null: none is planned.
    next_enquiry_at timestamptz(3),
    asked_at timestamptz(3),
    -- Enquiry that an unverified callback asks for.
    hint_at timestamptz(3),
    -- Enquiries in a row that such a callback caused in vain. Each makes the next one later.
    hints smallint not null default 0,
    -- Ids that unverified callbacks named while provider_payment_id is unknown. The next enquiry tries them.
    hinted_ids text[],
    -- Instance that sends or enquires now.
    leased_until timestamptz(3),
    lease_token uuid
  ) with (autovacuum_vacuum_scale_factor = 0.02);
  -- One attempt of a leg that is open, unknown or accepted: money cannot move twice. Refunds, returns and declined
  -- attempts have null here, which is never equal to null. The index finds all attempts of a payment too.
  create unique index attempts_one_open on attempts (
    payment_id, (case when outcome is distinct from 'declined' and leg not in ('refund', 'return') then leg end));
  create index attempts_provider_payment on attempts using hash (provider_payment_id);
  -- Due enquiries: by provider, and by provider and organisation for fair turns.
  create index attempts_enquiry on attempts (provider, (least(next_enquiry_at, hint_at)))
    where next_enquiry_at is not null or hint_at is not null;
  create index attempts_enquiry_own on attempts (provider, org_id, (least(next_enquiry_at, hint_at)))
    where next_enquiry_at is not null or hint_at is not null;
  -- Attempts to be sent, in the same two ways.
  create index attempts_unsent on attempts (provider, started_at) where sends = 0 and outcome is null;
  create index attempts_unsent_own on attempts (provider, org_id, started_at)
    where sends = 0 and outcome is null;
  create index attempts_unknown on attempts (provider, started_at) where outcome = 'unknown';`

const callbacks = `
  -- Callbacks of providers. The key lets a repeated callback count once.
  create table provider_callbacks (
    callback_id uuid not null,
    provider text not null,
    -- The provider's id of the callback.
    event_key text not null,
    -- Null: no payment is known for it yet.
    payment_id uuid references payments on delete cascade,
    attempt_id uuid,
    org_id uuid,
    -- Configuration through whose account it came; null: the platform's account.
    account uuid,
    provider_payment_id text,
    -- Reported status, and what came of it.
    report text not null,
    effect text not null,
    -- All that an unmatched callback reported, to be recorded when its payment is known.
    word jsonb,
    received_at timestamptz(3) not null,
    primary key (provider, event_key)
  );
  create index provider_callbacks_payment on provider_callbacks (payment_id);
  create index provider_callbacks_strays on provider_callbacks (received_at) where payment_id is null;
  -- Oldest unmatched callbacks of an account: beyond a bound they are deleted.
  create index provider_callbacks_of_account on provider_callbacks
    (provider, coalesce(account, '00000000-0000-0000-0000-000000000000'), received_at desc) where payment_id is null;`

const items = `
  -- Items that need an operator's decision. A resolution is one that was made, closed from the start.
  create table operator_items (
    item_id uuid primary key,
    org_id uuid not null references organizations on delete cascade,
    kind text not null check (kind in ('unknown_outcome', 'review', 'resolution')),
    payment_id uuid not null references payments on delete cascade,
    attempt_id uuid,
    detail text not null,
    -- Of a review: only a platform admin may release the payment.
    by_platform boolean not null default false,
    opened_at timestamptz(3) not null,
    closed_at timestamptz(3),
    closed_by text
  );
  create unique index operator_items_open on operator_items (payment_id, kind, attempt_id) nulls not distinct
    where closed_at is null;
  create index operator_items_newest on operator_items (org_id, opened_at desc, item_id desc) where closed_at is null;
  create index operator_items_all_newest on operator_items (opened_at desc, item_id desc) where closed_at is null;
  create index operator_items_payment on operator_items (payment_id);`

const movements = `
  create domain movement_kind as text check (
    value in ('collection', 'disbursement', 'refund', 'reversal', 'reinstatement'));
  create domain movement_id as text check (length(value) between 1 and 500);
  create domain movement_state as text check (value in ('pending', 'settled', 'failed'));
  create domain movement_source as text check (value in ('answer', 'callback', 'enquiry', 'operator'));

  -- Money at providers: one row for each transfer, under the provider's own id. All else about a payment's money follows.
  create table movements (
    provider text not null,
    -- The configuration whose account moved the money; null: the platform's.
    account uuid,
    kind movement_kind not null,
    movement_id movement_id not null,
    payment_id uuid not null references payments on delete cascade,
    org_id uuid not null,
    -- The attempt whose money it is, and the refund or return that it carries out.
    attempt_id uuid not null,
    refund_id uuid,
    amount positive_number not null,
    currency text not null,
    state movement_state not null,
    is_total boolean not null default false,
    source movement_source not null,
    heard_at timestamptz(3) not null
  );
  -- One transfer belongs to one payment, whoever names it.
  create unique index movements_identity on movements
    (provider, coalesce(account, '00000000-0000-0000-0000-000000000000'), kind, movement_id);
  create index movements_payment on movements (payment_id);

  create table allocations (
    allocation_id uuid primary key,
    payment_id uuid not null references payments on delete cascade,
    org_id uuid not null,
    attempt_id uuid not null,
    origin text not null check (origin in ('clearing', 'ramp')),
    -- Above zero the organisation gets it, below zero it bears it.
    amount numeric not null,
    currency text not null,
    account text not null,
    own_amount numeric not null,
    own_currency text not null,
    note text not null,
    -- Null: a rule.
    decided_by text,
    at timestamptz(3) not null
  );
  create index allocations_payment on allocations (payment_id);

  create function allocations_refuse_change() returns trigger language plpgsql as $$
  begin
    raise exception 'allocations are never changed: a second one undoes the first'
      using errcode = 'restrict_violation';
  end $$;
  create trigger allocations_final before update on allocations
    for each statement execute function allocations_refuse_change();`

export default transaction({ besidePrevious: false }, attempts, callbacks, items, movements)
