/**
 * Statements that write payments: one prepared statement and one commit for each step. This is faster than single
 * inserts in a transaction. `is true` keeps a plan made on empty tables from scanning all payments of an
 * organisation.
 */
import { randomBytes } from "node:crypto"

const enquireIn = (parameter: string) => `now() + make_interval(secs => ${parameter})`

/** Commit 1: payment, history and attempt, before the provider is called. */
export const createPayment = `
  with created as (
    insert into payments (payment_id, transaction_id, org_id, user_id, status, version, direction, payment_method,
      country, amount, currency, target_amount, target_currency, client_reference, description, payer_details,
      mobile_money_details, metadata, user_metadata, return_url, created_at, updated_at)
    values ($1, $2, $3, $4, 'initiated', 1, 'inbound', 'mobile_money', $5, $6, $7, $8, $9, $10, $11, $12, $13, $14,
      $15, $16, $17, $17)
  ), history as (
    insert into payment_history (payment_id, version, org_id, from_status, to_status, cause, at)
    values ($1, 1, $3, null, 'initiated', 'initiated by the caller', $17)
  )
  insert into attempts (attempt_id, payment_id, org_id, leg, provider, config_id, started_at, next_enquiry_at)
  values ($18, $1, $3, 'payment', $19, $20, $17, ${enquireIn("45")})`

/** The second event refers to the data of the first. */
const reported = (ids: string, types: string, data: string, at: string) => `
  insert into events (event_id, org_id, event_type, payment_id, data, same_as, created_at)
  select e.event_id, c.org_id, e.event_type, c.payment_id, case when e.nth = 1 then ${data}::text end,
    case when e.nth > 1 then (${ids}::uuid[])[1] end, ${at}
  from changed c cross join unnest(${ids}::uuid[], ${types}::text[]) with ordinality as e (event_id, event_type, nth)`

/** Commit 2: the provider's answer. */
export const acceptPayment = `
  with changed as (
    update payments set status = 'processing', version = version + 1, updated_at = $4, provider = $5,
      provider_payment_id = $6, provider_status = 'processing', provider_data = $7, next_action = 'wait', taken_by = $3
    where payment_id = $1 and (org_id = $2) is true and version = 1
    returning payment_id, org_id, version
  ), history as (
    insert into payment_history (payment_id, version, org_id, from_status, to_status, cause, at)
    select payment_id, version, org_id, 'initiated', 'processing', $8, $4 from changed
  ), answered as (
    update attempts a set outcome = 'accepted', provider_payment_id = $6, answered_at = $4,
      next_enquiry_at = ${enquireIn("10")}
    from changed c where a.attempt_id = $3 and a.payment_id = c.payment_id
  ), told as (${reported("$9", "$10", "$11", "$4")})
  select payment_id from changed`

export const paymentOfAttempt = `
  select p.payment_id, p.transaction_id, p.org_id, p.status, p.version, p.direction, p.payment_method, p.amount,
    p.currency, p.target_amount, p.target_currency, p.provider, p.client_reference
  from attempts a join payments p on p.payment_id = a.payment_id and (p.org_id = a.org_id) is true
  where a.attempt_id = $1 and a.provider = $2`

/** The completion. A repeated callback fails on its unique key. */
export const completePayment = `
  with changed as (
    update payments set status = 'completed', version = version + 1, updated_at = $5, provider_status = 'completed',
      next_action = null, webhook_metadata = $6
    where payment_id = $1 and (org_id = $2) is true and version = $4
    returning payment_id, org_id, version, amount, currency, provider_payment_id
  ), history as (
    insert into payment_history (payment_id, version, org_id, from_status, to_status, cause, at)
    select payment_id, version, org_id, $7, 'completed', $8, $5 from changed
  ), answered as (
    update attempts a set outcome = 'accepted', next_enquiry_at = null
    from changed c where a.attempt_id = $3 and a.payment_id = c.payment_id
  ), called as (
    insert into provider_callbacks (callback_id, provider, event_key, payment_id, attempt_id, org_id, report, effect,
      received_at)
    select $9, $10, $11, c.payment_id, $3, c.org_id, 'completed', 'applied', $5 from changed c
  ), moved as (
    insert into movements (provider, kind, movement_id, payment_id, org_id, attempt_id, amount, currency, state, source,
      heard_at)
    select $10, 'collection', c.provider_payment_id, c.payment_id, c.org_id, $3, c.amount, c.currency, 'settled',
      'callback', $5 from changed c
  ), told as (${reported("$12", "$13", "$14", "$5")}
  ), posted as (
    insert into ledger_postings (entry_id, org_id, account, currency, amount, kind, payment_id, reference)
    select c.payment_id, c.org_id, b.account, c.currency, b.amount, 'payin', c.payment_id, c.payment_id::text
    from changed c cross join lateral (values
      ('provider/' || $10 || '/' || c.currency, -c.amount),
      ('settlement/' || c.org_id || '/' || c.currency, c.amount)) b (account, amount)
  )
  select payment_id from changed`

const recorded = `
  select payment_id, transaction_id, org_id, user_id, status, direction, payment_method, country, amount, currency,
    target_amount, target_currency, client_reference, description, beneficiary_id, payer_details, mobile_money_details,
    card_details, bank_account, recipient_info, metadata, user_metadata, webhook_metadata, provider,
    provider_payment_id, provider_status, provider_data, next_action, action_data, comments, payout_id, total_fees,
    fee_ids, created_at, updated_at
  from payments`

export const recordByTransaction = `${recorded} where transaction_id = $1 and (org_id = $2) is true`

export const newestRecords = `${recorded} where org_id = $1 order by created_at desc, payment_id desc limit $2`

/** UUIDv7. */
export const uuidv7 = (): string => {
  const bytes = randomBytes(16)
  bytes.writeUIntBE(Date.now(), 0, 6)
  bytes[6] = 0x70 | (bytes[6]! & 0x0f)
  bytes[8] = 0x80 | (bytes[8]! & 0x3f)
  const hex = bytes.toString("hex")
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

/** Events of a status change. */
export interface PaymentFacts {
  readonly payment_id: string
  readonly transaction_id: string
  readonly org_id: string
  readonly status: string
  readonly amount: number
  readonly currency: string
  readonly target_amount: number
  readonly target_currency: string
  readonly direction: string
  readonly payment_method: string
  readonly provider: string | null
  readonly client_reference: string | null
}

/** Event data without the columns that the row has itself. */
export const eventsOf = (types: ReadonlyArray<string>, facts: PaymentFacts, previous: string) => {
  const values = [
    facts.transaction_id,
    facts.status,
    previous,
    facts.amount,
    facts.currency,
    facts.target_amount,
    facts.target_currency,
    facts.direction,
    facts.payment_method,
    facts.provider,
    facts.client_reference
  ]
  return { ids: types.map(() => uuidv7()), types, data: values.map((value) => JSON.stringify(value)).join("\n") }
}
