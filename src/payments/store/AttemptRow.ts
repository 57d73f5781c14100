/** Attempts as they are read, alone or beside their payment. */
import { AttemptId, ConfigId, OrgId, PaymentId } from "../../domain/Ids.ts"
import { providerNames } from "../../domain/Corridor.ts"
import {
  idOf,
  listOf,
  nullable,
  number,
  oneOf,
  prefixed,
  rowOf,
  text,
  time,
  truth,
  fields,
  recognised
} from "./Columns.ts"
import type { Attempt, DueAttempt, Allocation, Books } from "./Payment.ts"
import type { AttemptOfPayment } from "./PaymentStore.ts"
import { paymentOf, selectedColumns } from "./PaymentRow.ts"
import { isAnyCurrencyCode } from "../../domain/CryptoAsset.ts"
import { LedgerAccount } from "../../domain/Ledger.ts"
import { type HeardMovement, movementKinds, movementSources, movementStates } from "../../domain/Movement.ts"
import { moneyOf } from "../../platform/database/Query.ts"

/** Movements and allocations of a payment between code and tables. */
const currency = recognised("a currency", isAnyCurrencyCode)

const movement = fields({
  provider: oneOf(...providerNames),
  account: nullable(idOf(ConfigId)),
  kind: oneOf(...movementKinds),
  movement_id: text,
  attempt_id: idOf(AttemptId),
  refund_id: nullable(idOf(AttemptId)),
  amount: text,
  currency,
  state: oneOf(...movementStates),
  is_total: truth,
  source: oneOf(...movementSources),
  heard_at: text
})

const allocation = fields({
  allocation_id: text,
  attempt_id: idOf(AttemptId),
  origin: oneOf("clearing", "ramp"),
  amount: text,
  currency,
  account: text,
  own_amount: text,
  own_currency: currency,
  note: text,
  decided_by: nullable(text),
  at: text
})

/** Of a payment, whose table's name and a point are given: as two columns, each null where there is nothing. */
export const booksColumns = (payment: string): string =>
  `(select jsonb_agg(jsonb_build_object('provider', m.provider, 'account', m.account, 'kind', m.kind, 'movement_id', m.movement_id,
      'attempt_id', m.attempt_id, 'refund_id', m.refund_id, 'amount', m.amount::text, 'currency', m.currency, 'state', m.state,
      'is_total', m.is_total, 'source', m.source, 'heard_at', m.heard_at) order by m.heard_at, m.kind, m.movement_id)
    from movements m where m.payment_id = ${payment}payment_id) as movements,
  (select jsonb_agg(jsonb_build_object('allocation_id', l.allocation_id, 'attempt_id', l.attempt_id, 'origin', l.origin,
      'amount', l.amount::text, 'currency', l.currency, 'account', l.account, 'own_amount', l.own_amount::text,
      'own_currency', l.own_currency, 'note', l.note, 'decided_by', l.decided_by, 'at', l.at) order by l.at, l.allocation_id)
    from allocations l where l.payment_id = ${payment}payment_id) as allocations`

const booksRow = rowOf({ movements: nullable(listOf(movement)), allocations: nullable(listOf(allocation)) })

export const booksOf = (selected: object): Books => {
  const row = booksRow(selected)
  return {
    movements: (row.movements ?? []).map(({ amount, currency, heard_at, ...one }) => ({
      ...one,
      amount: moneyOf(amount, currency),
      heard_at: new Date(heard_at)
    })),
    allocations: (row.allocations ?? []).map((one) => ({
      allocation_id: one.allocation_id,
      attempt_id: one.attempt_id,
      from: one.origin,
      amount: moneyOf(one.amount, one.currency),
      account: LedgerAccount.stored(one.account),
      own: moneyOf(one.own_amount, one.own_currency),
      note: one.note,
      by: one.decided_by,
      at: new Date(one.at)
    }))
  }
}

export const movementRow = ({ amount, replaces, ...one }: HeardMovement) => ({
  ...one,
  amount: amount.toNumericText(),
  currency: amount.currency,
  replaces: replaces ?? null
})

export const allocationRow = ({ amount, by, from, own, ...one }: Allocation) => ({
  ...one,
  origin: from,
  amount: amount.toNumericText(),
  currency: amount.currency,
  own_amount: own.toNumericText(),
  own_currency: own.currency,
  decided_by: by
})

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
