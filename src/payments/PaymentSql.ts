/** The two statements that write payments. Each takes any number of rows as JSON, and is its own transaction. */
import { postingColumns, postingNames, postingRecord } from "../ledger/PostingSql.ts"
import type { Change, PaymentPatch } from "./Payment.ts"
import { paymentColumns } from "./PaymentRow.ts"

const columns = paymentColumns.join(", ")

const attemptFields = `attempt_id uuid, leg text, provider text, config_id uuid, started_at timestamptz, enquire_in float8`

const insertAttempt = `insert into attempts (attempt_id, payment_id, org_id, leg, provider, config_id, started_at, next_enquiry_at)`

/** What a change may set on a payment besides its status, with the type of its column. */
const changeable = {
  provider: "text",
  provider_payment_id: "text",
  provider_status: "text",
  provider_data: "jsonb",
  next_action: "text",
  action_data: "jsonb",
  comments: "text",
  payout_id: "text",
  otp_failures: "integer",
  webhook_metadata: "jsonb",
  card_details: "jsonb",
  holds: "boolean",
  ramp: "jsonb"
} satisfies Record<keyof PaymentPatch, string>

const changeableNames = Object.keys(changeable) as ReadonlyArray<keyof PaymentPatch>

/** They alone travel to the database: the rest of a payment never changes. */
export const changedColumns = ({ patch, payment }: Pick<Change, "patch" | "payment">) => {
  const columns: Record<string, unknown> = {}
  for (const name of changeableNames) columns[name] = name in patch ? patch[name] : payment[name]
  return columns
}

const enquiryTime = (seconds: string) => `now() + make_interval(secs => ${seconds})`

/** An entry that the books have already is left out: the same event may be told twice. */
const insertPostings = (source: string, rows: string) => `insert into ledger_postings (${postingColumns})
    select ${postingNames.map((name) => `b.${name}`).join(", ")}
    from ${source} cross join lateral jsonb_to_recordset(${rows}) as b (${postingRecord})
    on conflict do nothing`

/** $1: [{...payment columns, attempt, fees, item, idempotency, postings}]. The first attempt is committed with the payment, before any socket opens. */
export const createStatement = `
  with input as (
    select * from jsonb_array_elements($1::jsonb) as i (body)
  ), created as (
    insert into payments (${columns})
    select ${paymentColumns.map((name) => `p.${name}`).join(", ")}
    from input cross join lateral jsonb_populate_record(null::payments, body) p
    returning payment_id, org_id, status, version, created_at
  ), history as (
    insert into payment_history (payment_id, version, org_id, from_status, to_status, cause, at)
    select c.payment_id, c.version, c.org_id, null, c.status, 'initiated by the caller', c.created_at from created c
  ), keyed as (
    insert into idempotency_keys (org_id, operation, key, body_digest, payment_id)
    select c.org_id, k.operation, k.key, k.body_digest, c.payment_id
    from input
    cross join lateral jsonb_to_record(body -> 'idempotency') as k (operation text, key text, body_digest text)
    join created c on c.payment_id = (body ->> 'payment_id')::uuid
    where jsonb_typeof(body -> 'idempotency') = 'object'
  ), charged as (
    insert into payment_fees (fee_id, payment_id, org_id, fee_rule_id, amount, currency, created_at)
    select f.fee_id, c.payment_id, c.org_id, f.fee_rule_id, f.amount, f.currency, c.created_at
    from input
    cross join lateral jsonb_to_recordset(body -> 'fees') as f (
      fee_id uuid, fee_rule_id uuid, amount numeric, currency text)
    join created c on c.payment_id = (body ->> 'payment_id')::uuid
  ), posted as (
    ${insertPostings("input", "body -> 'postings'")}
  ), held as (
    insert into operator_items (item_id, org_id, kind, payment_id, attempt_id, detail, opened_at)
    select o.item_id, c.org_id, o.kind, c.payment_id, null, o.detail, c.created_at
    from input
    cross join lateral jsonb_to_record(body -> 'item') as o (item_id uuid, kind text, detail text)
    join created c on c.payment_id = (body ->> 'payment_id')::uuid
    where jsonb_typeof(body -> 'item') = 'object'
  )
  ${insertAttempt}
  select a.attempt_id, c.payment_id, c.org_id, a.leg, a.provider, a.config_id, a.started_at, ${enquiryTime("a.enquire_in")}
  from input
  cross join lateral jsonb_to_record(body -> 'attempt') as a (${attemptFields})
  join created c on c.payment_id = (body ->> 'payment_id')::uuid
  where jsonb_typeof(body -> 'attempt') = 'object'`

/**
 * $1: [{seq, payment_id, org_id, version, from_status, status, …}]. Nothing of a change is written unless the payment
 * still has the version it was decided on; answers with the `seq` of each change that was written.
 */
export const applyStatement = `
  with input as (
    select * from jsonb_to_recordset($1::jsonb) as i (
      seq integer, payment_id uuid, org_id uuid, version integer, from_status text, status text, cause text, at timestamptz,
      ${changeableNames.map((name) => `${name} ${changeable[name]}`).join(", ")},
      postings jsonb, attempt jsonb, next_attempt jsonb, new_refund jsonb, settled_refund jsonb, events jsonb,
      callback jsonb, open_item jsonb, close_items jsonb)
  ), changed as (
    update payments p set status = i.status, version = p.version + 1, updated_at = i.at,
      ${changeableNames.map((name) => `${name} = i.${name}`).join(", ")}
    from input i
    where p.payment_id = i.payment_id and p.org_id = i.org_id and p.version = i.version
    returning i.*
  ), history as (
    insert into payment_history (payment_id, version, org_id, from_status, to_status, cause, at)
    select payment_id, version + 1, org_id, from_status, status, cause, at from changed where status <> from_status
  ), answered as (
    update attempts a set outcome = x.outcome, reason = x.reason, provider_payment_id = x.provider_payment_id,
      answered_at = x.answered_at, enquiries = x.enquiries, next_enquiry_at = ${enquiryTime("x.enquire_in")}
    from changed c cross join lateral jsonb_to_record(c.attempt) as x (
      attempt_id uuid, outcome text, reason text, provider_payment_id text, answered_at timestamptz,
      enquiries integer, enquire_in float8)
    where a.attempt_id = x.attempt_id and a.payment_id = c.payment_id
    returning a.payment_id
  ), followed as (
    -- The join makes the declined attempt give way first: only one attempt of a leg may be open at a time.
    ${insertAttempt}
    select n.attempt_id, c.payment_id, c.org_id, n.leg, n.provider, n.config_id, n.started_at, ${enquiryTime("n.enquire_in")}
    from changed c left join answered on answered.payment_id = c.payment_id
    cross join lateral jsonb_to_record(c.next_attempt) as n (${attemptFields})
    where jsonb_typeof(c.next_attempt) = 'object'
  ), refunding as (
    insert into refunds (refund_id, payment_id, org_id, amount, target_amount, created_at)
    select r.refund_id, c.payment_id, c.org_id, r.amount, r.target_amount, c.at
    from changed c cross join lateral jsonb_to_record(c.new_refund) as r (
      refund_id uuid, amount numeric, target_amount numeric)
    where jsonb_typeof(c.new_refund) = 'object'
  ), settled as (
    update refunds r set state = c.settled_refund ->> 'state', settled_at = c.at
    from changed c
    where jsonb_typeof(c.settled_refund) = 'object' and r.payment_id = c.payment_id
      and r.refund_id = (c.settled_refund ->> 'refund_id')::uuid
  ), told as (
    insert into events (event_id, org_id, event_type, payment_id, payload, created_at)
    select e.event_id, c.org_id, e.event_type, c.payment_id, e.payload, c.at
    from changed c cross join lateral jsonb_to_recordset(c.events) as e (event_id uuid, event_type text, payload text)
  ), posted as (
    ${insertPostings("changed c", "c.postings")}
  ), called as (
    insert into provider_callbacks (callback_id, provider, event_key, payment_id, attempt_id, org_id, report, effect, received_at)
    select k.callback_id, k.provider, k.event_key, c.payment_id, k.attempt_id, c.org_id, k.report, k.effect, c.at
    from changed c cross join lateral jsonb_to_record(c.callback) as k (
      callback_id uuid, provider text, event_key text, attempt_id uuid, report text, effect text)
    where jsonb_typeof(c.callback) = 'object'
  ), closed as (
    update operator_items o set closed_at = c.at, closed_by = c.close_items ->> 'by'
    from changed c
    where jsonb_typeof(c.close_items) = 'object' and o.payment_id = c.payment_id and o.closed_at is null
      and o.kind = c.close_items ->> 'kind'
      and o.attempt_id is not distinct from coalesce((c.close_items ->> 'attempt_id')::uuid, o.attempt_id)
  ), opened as (
    insert into operator_items (item_id, org_id, kind, payment_id, attempt_id, detail, opened_at)
    select o.item_id, c.org_id, o.kind, c.payment_id, o.attempt_id, o.detail, c.at
    from changed c cross join lateral jsonb_to_record(c.open_item) as o (
      item_id uuid, kind text, attempt_id uuid, detail text)
    where jsonb_typeof(c.open_item) = 'object'
    on conflict do nothing
  )
  select seq from changed`
