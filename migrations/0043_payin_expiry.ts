import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { transaction } from "../src/platform/database/Migration.ts"

/**
 * Every payin that waits for its customer has an end. A payin whose card its customer has yet to give has no attempt to
 * carry a timer: it stands in a table of its own, since an index over the status would be written with every change.
 * Payins from before that are not asked about any more are asked once: the answer gives them their end. The version before
 * would take that answer and plan nothing, and does not know the failure code EXPIRED.
 */
export default transaction(
  { besidePrevious: false },
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.unsafe(`
    create table card_waits (
      payment_id uuid primary key,
      org_id uuid not null,
      expires_at timestamptz not null
    );
    create index card_waits_due on card_waits (expires_at);

    insert into card_waits (payment_id, org_id, expires_at)
      select payment_id, org_id, now() + interval '24 hours' from payments p
      where status = 'pending' and direction = 'inbound' and payment_method = 'card' and next_action = 'redirect'
        and provider is null;
    update payments p set expires_at = w.expires_at
      from card_waits w where w.payment_id = p.payment_id and p.expires_at is null;

    update attempts a set next_enquiry_at = now()
      from payments p
      where p.payment_id = a.payment_id and a.leg = 'payment' and a.outcome = 'accepted' and a.next_enquiry_at is null
        and a.hint_at is null and p.status = 'pending' and p.direction = 'inbound';
  `)
  )
)
