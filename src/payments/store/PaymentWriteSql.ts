/**
 * The two statements that write payments. Each takes any number of rows as JSON, and is its own transaction. A
 * statement has only the parts that its rows need: PostgreSQL opens the tables and indexes of every part, even without
 * rows.
 */
import { patience, statementsOfParts } from "../../platform/database/Batcher.ts"
import { batchTable, sameOrg } from "../../platform/database/Query.ts"
import { postingColumns, postingNames, postingRecord } from "../../money/ledger/LedgerSql.ts"
import { freeLocks, spendLocks } from "../../money/rates/RateLockStore.ts"
import { movementColumns, movementNames, movementRecord, paymentColumns, recordOf, toRow } from "./PaymentRow.ts"
import type { Payment } from "./Payment.ts"
import { type Change, freedLock, type NewPayment, type PaymentPatch } from "./Change.ts"

const columns = paymentColumns.join(", ")

const enquiryTime = (seconds: string) => `now() + make_interval(secs => ${seconds})`

const attemptFields = `attempt_id uuid, leg text, provider text, config_id uuid, account uuid, own_account boolean,
    started_at timestamptz, enquire_in float8, of_attempt uuid, traceparent text`

const insertAttempt = `insert into attempts (attempt_id, payment_id, org_id, leg, provider, config_id, account, own, started_at,
      next_enquiry_at, sends, of_attempt, traceparent)`

/** Counts as sent by the instance that commits it, unless it has no time of a poll yet. */
const attemptValues = (from: string) => `${from}.attempt_id, c.payment_id, c.org_id, ${from}.leg, ${from}.provider,
      ${from}.config_id, ${from}.account, ${from}.own_account, ${from}.started_at, ${enquiryTime(`${from}.enquire_in`)},
      case when ${from}.enquire_in is null then 0 else 1 end, ${from}.of_attempt, ${from}.traceparent`

/** The provider's id of an attempt stays as it was first written, unless the provider gave it up. */
const OWN_ID =
  "case when x.renamed then x.provider_payment_id else coalesce(a.provider_payment_id, x.provider_payment_id) end"

type Column = Exclude<keyof PaymentPatch, "target" | "refunded"> | "target_amount" | "refunded_amount"

/** Columns that reports of providers set, with their types. Every change sets them. */
const reported = {
  provider: "text",
  account: "uuid",
  provider_payment_id: "text",
  provider_status: "text",
  provider_data: "jsonb",
  next_action: "text",
  action_data: "jsonb",
  comments: "text",
  webhook_metadata: "jsonb",
  refunded_amount: "numeric",
  taken_by: "uuid"
} satisfies Partial<Record<Column, string>>

/** The others that a change may set besides the status. */
const terms = {
  payout_id: "text",
  otp_failures: "integer",
  card_details: "jsonb",
  funding: "text",
  holds: "boolean",
  ramp: "jsonb",
  failure: "jsonb",
  refunds: "jsonb",
  total_fees: "numeric",
  fee_ids: "uuid[]",
  amount: "numeric",
  target_amount: "numeric",
  org_rate_id: "uuid",
  expires_at: "timestamptz",
  reserve: "jsonb"
} satisfies Record<Exclude<Column, keyof typeof reported>, string>

const termNames = Object.keys(terms) as ReadonlyArray<keyof typeof terms>

/** Whether a change sets one of these columns. A patch may repeat the payment's value. */
const setsTerms = ({ patch, payment }: Change): boolean =>
  ["target" as const, ...termNames].some(
    (name) => name !== "target_amount" && patch[name] !== undefined && patch[name] !== payment[name]
  )

/** Columns of a payment that a change may set besides those of reports. */
export const termsOf = (after: Payment): Partial<Record<keyof typeof terms, unknown>> => {
  const row = toRow(after)
  return Object.fromEntries(termNames.map((name) => [name, row[name]]))
}

const allocationFields = {
  allocation_id: "uuid",
  attempt_id: "uuid",
  origin: "text",
  amount: "numeric",
  currency: "text",
  account: "text",
  own_amount: "numeric",
  own_currency: "text",
  note: "text",
  decided_by: "text",
  at: "timestamptz"
}
const allocationNames = Object.keys(allocationFields)
  .map((name) => `x.${name}`)
  .join(", ")
const allocationRecord = recordOf(allocationFields)

/** `conflict`: what becomes of an entry that the books have already; by itself it is refused. */
const insertPostings = (
  source: string,
  rows: string,
  conflict: string
) => `insert into ledger_postings (${postingColumns})
    select ${postingNames.map((name) => `b.${name}`).join(", ")}
    from ${source} cross join lateral jsonb_to_recordset(${rows}) as b (${postingRecord})
    ${conflict}`

const creationParts = ["key", "fees", "postings", "item", "attempt", "lock"] as const
export type CreationPart = (typeof creationParts)[number]

/** Parts of the statement that a new payment needs. `postings`: whether there are any. */
export const partsOfCreation = (
  { attempt, fees = [], item, key, lock }: NewPayment,
  postings: boolean
): ReadonlyArray<CreationPart> => {
  const needed: Record<CreationPart, boolean> = {
    // A lock is spent after the key was taken.
    key: key !== undefined || lock !== undefined,
    fees: fees.length > 0,
    postings,
    item: item !== undefined,
    attempt: attempt !== null,
    lock: lock !== undefined
  }
  return creationParts.filter((part) => needed[part])
}

/**
 * $1: [{payment, attempt, fees, item, idempotency, postings, lock}]. The first attempt is committed with the payment,
 * before any socket opens. A payment that is there already was written by the same statement, whose answer was lost:
 * nothing of it is written again.
 */
export const createStatement = statementsOfParts(creationParts, (has) => {
  const only = (part: CreationPart, text: string) => (has(part) ? text : "")
  return `
  with ${patience("$2")}, input as (
    select i.* from patience cross join jsonb_to_recordset($1::jsonb) as i (
      payment jsonb, attempt jsonb, fees jsonb, item jsonb, idempotency jsonb, postings jsonb, lock jsonb)
  ), created as (
    insert into payments (${columns})
    select ${paymentColumns.map((name) => `p.${name}`).join(", ")}
    from input cross join lateral jsonb_populate_record(null::payments, payment) p
    on conflict (payment_id) do nothing
    returning payment_id, org_id, status, version, created_at
  ), history as (
    insert into payment_history (payment_id, version, org_id, from_status, to_status, cause, at)
    select c.payment_id, c.version, c.org_id, null, c.status, 'initiated by the caller', c.created_at from created c
  )${only(
    "key",
    `, keyed as (
    insert into idempotency_keys (org_id, operation, key, body_digest, claim, payment_id)
    select k.org_id, k.operation, k.key, k.body_digest, k.claim, c.payment_id
    from input
    cross join lateral jsonb_to_record(idempotency) as k (
      org_id uuid, operation text, key text, body_digest text, claim uuid)
    join created c on c.payment_id = (payment ->> 'payment_id')::uuid
    where jsonb_typeof(idempotency) = 'object'
    returning payment_id
  )`
  )}${only("lock", `, spent as (${spendLocks}\n  )`)}${only(
    "fees",
    `, charged as (
    insert into payment_fees (fee_id, payment_id, org_id, fee_rule_id, amount, currency, created_at)
    select f.fee_id, c.payment_id, c.org_id, f.fee_rule_id, f.amount, f.currency, c.created_at
    from input
    cross join lateral jsonb_to_recordset(fees) as f (
      fee_id uuid, fee_rule_id uuid, amount numeric, currency text)
    join created c on c.payment_id = (payment ->> 'payment_id')::uuid
  )`
  )}${only(
    "postings",
    `, posted as (
    ${insertPostings("input", "postings", "on conflict do nothing")}
  )`
  )}${only(
    "item",
    `, item_written as (
    insert into operator_items (item_id, org_id, kind, payment_id, attempt_id, detail, by_platform, opened_at)
    select o.item_id, c.org_id, o.kind, c.payment_id, null, o.detail, coalesce(o.by_platform, false), c.created_at
    from input
    cross join lateral jsonb_to_record(item) as o (item_id uuid, kind text, detail text, by_platform boolean)
    join created c on c.payment_id = (payment ->> 'payment_id')::uuid
    where jsonb_typeof(item) = 'object'
  )`
  )}
  ${
    has("attempt")
      ? `${insertAttempt}
  select ${attemptValues("a")}
  from input
  cross join lateral jsonb_to_record(attempt) as a (${attemptFields})
  join created c on c.payment_id = (payment ->> 'payment_id')::uuid
  where jsonb_typeof(attempt) = 'object'`
      : "select payment_id from created"
  }`
})

const changeParts = [
  "terms",
  "next_attempt",
  "events",
  "replaced",
  "movements",
  "allocations",
  "postings",
  "callback",
  "adopted",
  "close_items",
  "open_items",
  "lock"
] as const
export type ChangePart = (typeof changeParts)[number]

/** Parts of the statement that a change needs. `postings`: whether there are any. */
export const partsOfChange = (change: Change, postings: boolean): ReadonlyArray<ChangePart> => {
  const { allocations = [], callback, closeItems = [], events, movements = [], nextAttempt, openItems = [] } = change
  const needed: Record<ChangePart, boolean> = {
    terms: setsTerms(change),
    next_attempt: nextAttempt !== undefined,
    events: events.length > 0,
    replaced: movements.some(({ replaces }) => replaces !== undefined),
    movements: movements.some(({ replaces }) => replaces === undefined),
    allocations: allocations.length > 0,
    postings,
    callback: callback !== undefined && callback.adopted !== true,
    adopted: callback?.adopted === true,
    close_items: closeItems.length > 0,
    open_items: openItems.length > 0,
    lock: freedLock(change) !== null
  }
  return changeParts.filter((part) => needed[part])
}

/** Fields of a change that only these parts read. */
const partFields: Readonly<Record<string, ReadonlyArray<ChangePart>>> = {
  postings: ["postings"],
  movements: ["movements", "replaced"],
  allocations: ["allocations"],
  next_attempt: ["next_attempt"],
  events: ["events"],
  callback: ["callback", "adopted"],
  open_items: ["open_items"],
  close_items: ["close_items"]
}

/** Whether the worker of the webhooks may have something to send. */
const HAS_WEBHOOKS = "exists (select 1 from webhooks w where w.org_id = changed.org_id and w.status = 'active')"

/**
 * $1: [{seq, payment_id, org_id, version, from_status, status, …}]. A change is written only if the payment still has
 * the version that was read. Returns the `seq` of each written change.
 */
export const applyStatement = statementsOfParts(changeParts, (has) => {
  const only = (part: ChangePart, text: string) => (has(part) ? text : "")
  const changeable: Readonly<Record<string, string>> = has("terms") ? { ...reported, ...terms } : reported
  const names = Object.keys(changeable)
  const fields = Object.keys(partFields).filter((name) => partFields[name]!.some(has))
  return `
  with ${patience("$2")}, input as (
    select i.* from patience cross join ${batchTable(
      "$1",
      `change_id bigint, payment_id uuid, org_id uuid, version integer, from_status text, status text, cause text,
      at timestamptz, reserve_moved numeric, release_at timestamptz,
      ${names.map((name) => `${name} ${changeable[name]}`).join(", ")},
      attempt jsonb, ${fields.map((name) => `${name} jsonb, `).join("")}traceparent text${only("lock", ", frees_lock uuid")}`
    )} i
  ), changed as (
    update payments p set status = i.status, version = p.version + 1, last_change = i.change_id,
      updated_at = greatest(p.created_at, i.at), release_at = i.release_at,
      reserve_held = p.reserve_held + coalesce(i.reserve_moved, 0),
      ${names.map((name) => `${name} = i.${name}`).join(", ")}
    from input i
    where p.payment_id = i.payment_id and ${sameOrg("p.org_id", "i.org_id")} and p.version = i.version
    returning i.*
  ), history as (
    insert into payment_history (payment_id, version, org_id, from_status, to_status, cause, at)
    select payment_id, version + 1, org_id, from_status, status, cause, at from changed where status <> from_status
  ), answered as (
    update attempts a set outcome = x.outcome, reason = x.reason,
      provider_payment_id = ${OWN_ID}, hinted_ids = case when ${OWN_ID} is null then a.hinted_ids end,
      answered_at = x.answered_at,
      next_enquiry_at = case when x.as_planned then a.next_enquiry_at else ${enquiryTime("x.enquire_in")} end,
      hint_at = nullif(a.hint_at, a.leased_until), leased_until = null, lease_token = null
    from changed c cross join lateral jsonb_to_record(c.attempt) as x (
      attempt_id uuid, outcome text, reason text, provider_payment_id text, renamed boolean, answered_at timestamptz,
      enquire_in float8, as_planned boolean)
    where a.attempt_id = x.attempt_id and a.payment_id = c.payment_id
    returning a.payment_id
  )${only(
    "next_attempt",
    `, followed as (
    -- The join makes the declined attempt give way first: only one attempt of a leg may be open at a time.
    ${insertAttempt}
    select ${attemptValues("n")}
    from changed c left join answered on answered.payment_id = c.payment_id
    cross join lateral jsonb_to_record(c.next_attempt) as n (${attemptFields})
    where jsonb_typeof(c.next_attempt) = 'object'
  )`
  )}${only(
    "events",
    `, events_written as (
    insert into events (event_id, org_id, event_type, payment_id, payload, data, same_as, created_at, traceparent)
    select e.event_id, c.org_id, e.event_type, c.payment_id, e.payload, e.data, e.same_as, c.at,
      -- Where no request that is traced has caused it, the one is named that began the payment.
      case when c.traceparent = '' then (
        select a.traceparent from attempts a where a.payment_id = c.payment_id order by a.started_at limit 1
      ) else c.traceparent end
    from changed c cross join lateral jsonb_to_recordset(c.events) as e (
      event_id uuid, event_type text, payload text, data text, same_as uuid)
  )`
  )}${only(
    "replaced",
    `, movement_renamed as (
    -- The provider has named a transfer that an operator had recorded before.
    update movements m set movement_id = x.movement_id, kind = x.kind, is_total = x.is_total,
      source = x.source, heard_at = x.heard_at, refund_id = coalesce(x.refund_id, m.refund_id)
    from changed c cross join lateral jsonb_to_recordset(c.movements) as x (${movementRecord})
    where x.replaces is not null and m.payment_id = c.payment_id and m.movement_id = x.replaces
  )`
  )}${only(
    "movements",
    `, moved as (
    -- A transfer of another payment keeps its own: the amount of nothing is refused.
    insert into movements as m (payment_id, org_id, ${movementNames})
    select c.payment_id, c.org_id, ${movementColumns("x.")}
    from changed c cross join lateral jsonb_to_recordset(c.movements) as x (${movementRecord})
    where x.replaces is null
    on conflict (provider, coalesce(account, '00000000-0000-0000-0000-000000000000'), kind, movement_id) do update set
      amount = case when m.payment_id = excluded.payment_id then excluded.amount end, currency = excluded.currency,
      state = excluded.state, is_total = excluded.is_total, refund_id = excluded.refund_id, heard_at = excluded.heard_at
  )`
  )}${only(
    "allocations",
    `, allocated as (
    insert into allocations (payment_id, org_id, ${Object.keys(allocationFields).join(", ")})
    select c.payment_id, c.org_id, ${allocationNames}
    from changed c cross join lateral jsonb_to_recordset(c.allocations) as x (${allocationRecord})
  )`
  )}${only(
    "postings",
    `, posted as (
    ${insertPostings("changed c", "c.postings", "")}
  )`
  )}${only(
    "callback",
    `, callback_written as (
    insert into provider_callbacks (callback_id, provider, event_key, payment_id, attempt_id, org_id, report, effect, received_at)
    select k.callback_id, k.provider, k.event_key, c.payment_id, k.attempt_id, c.org_id, k.report, k.effect, c.at
    from changed c cross join lateral jsonb_to_record(c.callback) as k (
      callback_id uuid, provider text, event_key text, attempt_id uuid, report text, effect text, adopted boolean)
    where jsonb_typeof(c.callback) = 'object' and k.adopted is not true
  )`
  )}${only(
    "adopted",
    `, adopted as (
    update provider_callbacks k set payment_id = c.payment_id, attempt_id = x.attempt_id, org_id = c.org_id,
      effect = x.effect
    from changed c cross join lateral jsonb_to_record(c.callback) as x (
      callback_id uuid, provider text, event_key text, attempt_id uuid, effect text, adopted boolean)
    where jsonb_typeof(c.callback) = 'object' and x.adopted and k.provider = x.provider and k.event_key = x.event_key
      and k.callback_id = x.callback_id and k.payment_id is null
  )`
  )}${only(
    "close_items",
    `, closed as (
    update operator_items o set closed_at = c.at, closed_by = x.by
    from changed c cross join lateral jsonb_to_recordset(c.close_items) as x (kind text, attempt_id uuid, by text)
    where o.payment_id = c.payment_id and o.closed_at is null and o.kind = x.kind
      and o.attempt_id is not distinct from x.attempt_id
  )`
  )}${only(
    "open_items",
    `, opened as (
    insert into operator_items (item_id, org_id, kind, payment_id, attempt_id, detail, opened_at, closed_at, closed_by)
    select o.item_id, c.org_id, o.kind, c.payment_id, o.attempt_id, o.detail, c.at,
      case when o.closed_by is null then null else c.at end, o.closed_by
    from changed c cross join lateral jsonb_to_recordset(c.open_items) as o (
      item_id uuid, kind text, attempt_id uuid, detail text, closed_by text)
    on conflict (payment_id, kind, attempt_id) where closed_at is null do update set detail = excluded.detail
  )`
  )}${only("lock", `, freed as (${freeLocks}\n  )`)}
  select seq, ${has("events") ? HAS_WEBHOOKS : "false"} as has_webhooks from changed`
})

/**
 * $1: [{seq, change_id, payment_id, org_id, next_attempt_id}] of changes that found another version. Answers with the `seq` of each
 * that is the cause of it: written by the same statement, whose answer was lost.
 */
export const ownChangesStatement = `
  select i.seq from ${batchTable("$1", "change_id bigint, payment_id uuid, org_id uuid, next_attempt_id uuid")} i
  where exists (
      select from payments p where p.payment_id = i.payment_id and ${sameOrg("p.org_id", "i.org_id")} and p.last_change = i.change_id)
    or exists (select from attempts a where a.attempt_id = i.next_attempt_id and ${sameOrg("a.org_id", "i.org_id")})`
