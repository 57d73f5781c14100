/** Attempts as they are read, alone or beside their payment. */
import { AttemptId, ConfigId, OrgId, PaymentId } from "../../domain/Identifiers.ts"
import { providerNames } from "../../domain/Corridor.ts"
import { idOf, listOf, nullable, number, oneOf, prefixed, rowOf, text, time, truth } from "./Columns.ts"
import { booksColumns, booksOf } from "./BooksRow.ts"
import type { Attempt, DueAttempt } from "./Payment.ts"
import type { AttemptOfPayment } from "./PaymentStore.ts"
import { paymentOf, selectedColumns } from "./PaymentRow.ts"

const outcome = nullable(oneOf("accepted", "declined", "unknown"))

const attemptTable = {
  attempt_id: idOf(AttemptId),
  payment_id: idOf(PaymentId),
  org_id: idOf(OrgId),
  leg: oneOf("payment", "collection", "settlement", "refund", "return"),
  provider: oneOf(...providerNames),
  config_id: nullable(idOf(ConfigId)),
  account: nullable(idOf(ConfigId)),
  own: truth,
  outcome,
  reason: nullable(text),
  provider_payment_id: nullable(text),
  started_at: time,
  answered_at: nullable(time),
  enquiries: number,
  next_enquiry_at: nullable(time),
  sends: number,
  sent_at: time,
  of_attempt: nullable(idOf(AttemptId)),
  traceparent: nullable(text)
}

const attemptNames = Object.keys(attemptTable)

export const attemptColumns = (prefix = ""): string => attemptNames.map((name) => prefix + name).join(", ")

/** As `kindOfAttempt` has it, of an attempt `a` and its payment `p`. */
export const KIND_OF_ATTEMPT = `case when a.leg in ('refund', 'return') then 'refund'
    when a.leg = 'collection' or (a.leg = 'payment' and p.direction = 'inbound') then 'payin' else 'payout' end`

const attemptRow = rowOf(attemptTable)

export const attemptOf = (selected: object): Attempt => {
  const row = attemptRow(selected)
  return {
    attempt_id: row.attempt_id,
    payment_id: row.payment_id,
    org_id: row.org_id,
    leg: row.leg,
    provider: row.provider,
    config_id: row.config_id,
    account: row.account,
    own: row.own,
    outcome: row.outcome,
    reason: row.reason,
    provider_payment_id: row.provider_payment_id,
    started_at: row.started_at,
    answered_at: row.answered_at,
    enquiries: row.enquiries,
    next_enquiry_at: row.next_enquiry_at,
    sends: row.sends,
    sent_at: row.sent_at,
    of_attempt: row.of_attempt,
    ...(row.traceparent === null ? {} : { traceparent: row.traceparent })
  }
}

const dueRow = rowOf({
  lease_token: text,
  sent_ago: number,
  hinted: truth,
  has_hint: truth,
  hints: number,
  hinted_ids: nullable(listOf(text))
})

export const dueAttemptOf = (selected: object): DueAttempt => {
  return { ...attemptOf(selected), ...dueRow(selected) }
}

/** A payment `p`, its attempt `a`, and what is recorded of the payment's money, in one row. */
export const attemptOfPaymentColumns = `${selectedColumns("p.")}, ${attemptNames.map((name) => `a.${name} as a_${name}`).join(", ")}, ${booksColumns("p.")}`

const attemptBeside = rowOf(prefixed(attemptTable, "a_"))

export const attemptOfPayment = (selected: object): AttemptOfPayment => {
  const row = attemptBeside(selected)
  const attempt = {
    attempt_id: row.a_attempt_id,
    payment_id: row.a_payment_id,
    org_id: row.a_org_id,
    leg: row.a_leg,
    provider: row.a_provider,
    config_id: row.a_config_id,
    account: row.a_account,
    own: row.a_own,
    outcome: row.a_outcome,
    reason: row.a_reason,
    provider_payment_id: row.a_provider_payment_id,
    started_at: row.a_started_at,
    answered_at: row.a_answered_at,
    enquiries: row.a_enquiries,
    next_enquiry_at: row.a_next_enquiry_at,
    sends: row.a_sends,
    sent_at: row.a_sent_at,
    of_attempt: row.a_of_attempt,
    ...(row.a_traceparent === null ? {} : { traceparent: row.a_traceparent })
  }
  return { payment: paymentOf(selected), attempt, ...booksOf(selected) }
}
