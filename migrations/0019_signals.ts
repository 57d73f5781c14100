import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { transaction } from "../src/platform/database/Migration.ts"

/**
 * What is known of an attempt besides its outcome: when it was last sent and how often, who is asking about it, what has
 * arrived. Callbacks that came too early keep what they said. Refunds and failures stand on the payment itself.
 */
export default transaction(
  { besidePrevious: false },
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.unsafe(`
    alter table attempts
      -- 0: committed, and to be sent by whichever instance claims it first.
      add column sends integer not null default 1 check (sends >= 0),
      add column sent_at timestamptz(3) not null default now(),
      add column asked_at timestamptz(3),
      add column hint_at timestamptz(3),
      add column leased_until timestamptz(3),
      add column lease_token uuid,
      add column received jsonb not null default '{}',
      add column said jsonb,
      -- What the provider was asked for, where a person has settled for less since.
      add column ordered jsonb,
      -- Of money on its way back: the attempt that had brought it.
      add column of_attempt uuid;
    update attempts set sent_at = started_at;
    update attempts a set received = m.received
    from (
      select reference, jsonb_object_agg(currency, abs(total)::text) as received
      from (
        select reference, currency, sum(amount) as total from ledger_postings
        where kind in ('suspense', 'ramp_collect') and account like 'provider/%' group by reference, currency
      ) sums where total <> 0 group by reference
    ) m where m.reference = a.attempt_id::text;
    alter table attempts drop constraint attempts_leg_check;
    alter table attempts add constraint attempts_leg_check
      check (leg in ('payment', 'collection', 'settlement', 'refund', 'return'));
    drop index attempts_one_open;
    create unique index attempts_one_open on attempts (payment_id, leg)
      where outcome is distinct from 'declined' and leg not in ('refund', 'return');
    drop index attempts_enquiry;
    create index attempts_enquiry on attempts (provider, (least(next_enquiry_at, hint_at)))
      where next_enquiry_at is not null or hint_at is not null;
    create index attempts_unsent on attempts (started_at) where sends = 0;

    alter table provider_callbacks
      add column provider_payment_id text,
      add column word jsonb;
    create index provider_callbacks_strays on provider_callbacks (received_at) where payment_id is null;

    alter table operator_items drop constraint operator_items_kind_check;
    alter table operator_items add constraint operator_items_kind_check
      check (kind in ('unknown_outcome', 'suspense', 'review', 'resolution'));

    alter table payments
      add column failure jsonb,
      add column refunds jsonb not null default '[]';
    update payments p set refunds = r.parts
    from (
      select payment_id, jsonb_agg(jsonb_build_object(
        'refund_id', refund_id, 'amount', amount::text, 'target', target_amount::text, 'state', state, 'reason', null,
        'created_at', created_at, 'settled_at', settled_at) order by created_at, refund_id) as parts
      from refunds group by payment_id
    ) r where r.payment_id = p.payment_id;
    drop table refunds;
  `)
  )
)
