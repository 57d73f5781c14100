/** Attempts as they are read, alone or beside their payment. */
import { Schema } from "effect"
import { AttemptId, ConfigId, OrgId, PaymentId } from "../../domain/Ids.ts"
import { ProviderName } from "../../domain/Corridor.ts"
import type { Attempt, DueAttempt, Allocation, Books } from "./Payment.ts"
import type { AttemptOfPayment } from "./PaymentStore.ts"
import { Currency, paymentOf, rowDecoder, selectedColumns } from "./PaymentRow.ts"
import { LedgerAccount } from "../../domain/Ledger.ts"
import { type HeardMovement, movementKinds, movementSources, movementStates } from "../../domain/Movement.ts"
import { moneyOf } from "../../platform/database/Query.ts"

const MovementRow = Schema.Struct({
  provider: ProviderName,
  account: Schema.NullOr(ConfigId),
  kind: Schema.Literal(...movementKinds),
  movement_id: Schema.String,
  attempt_id: AttemptId,
  refund_id: Schema.NullOr(AttemptId),
  amount: Schema.String,
  currency: Currency,
  state: Schema.Literal(...movementStates),
  is_total: Schema.Boolean,
  source: Schema.Literal(...movementSources),
  heard_at: Schema.String
})

const AllocationRow = Schema.Struct({
  allocation_id: Schema.String,
  attempt_id: AttemptId,
  origin: Schema.Literal("clearing", "ramp"),
  amount: Schema.String,
  currency: Currency,
  account: Schema.String,
  own_amount: Schema.String,
  own_currency: Currency,
  note: Schema.String,
  decided_by: Schema.NullOr(Schema.String),
  at: Schema.String
})

/** Two columns with a payment's movements and allocations as JSON; null: none. `payment`: table prefix with a point. */
export const booksColumns = (payment: string): string =>
  `(select jsonb_agg(jsonb_build_object('provider', m.provider, 'account', m.account, 'kind', m.kind, 'movement_id', m.movement_id,
      'attempt_id', m.attempt_id, 'refund_id', m.refund_id, 'amount', m.amount::text, 'currency', m.currency, 'state', m.state,
      'is_total', m.is_total, 'source', m.source, 'heard_at', m.heard_at) order by m.heard_at, m.kind, m.movement_id)
    from movements m where m.payment_id = ${payment}payment_id) as movements,
  (select jsonb_agg(jsonb_build_object('allocation_id', l.allocation_id, 'attempt_id', l.attempt_id, 'origin', l.origin,
      'amount', l.amount::text, 'currency', l.currency, 'account', l.account, 'own_amount', l.own_amount::text,
      'own_currency', l.own_currency, 'note', l.note, 'decided_by', l.decided_by, 'at', l.at) order by l.at, l.allocation_id)
    from allocations l where l.payment_id = ${payment}payment_id) as allocations`

const decodeBooks = rowDecoder(
  Schema.Struct({
    movements: Schema.NullOr(Schema.Array(MovementRow)),
    allocations: Schema.NullOr(Schema.Array(AllocationRow))
  })
)

export const booksOf = (selected: object): Books => {
  const row = decodeBooks(selected)
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

const AttemptRow = Schema.Struct({
  attempt_id: AttemptId,
  payment_id: PaymentId,
  org_id: OrgId,
  leg: Schema.Literal("payment", "collection", "settlement", "refund", "return"),
  provider: ProviderName,
  config_id: Schema.NullOr(ConfigId),
  account: Schema.NullOr(ConfigId),
  own: Schema.Boolean,
  outcome: Schema.NullOr(Schema.Literal("accepted", "declined", "unknown")),
  reason: Schema.NullOr(Schema.String),
  provider_payment_id: Schema.NullOr(Schema.String),
  started_at: Schema.DateFromSelf,
  answered_at: Schema.NullOr(Schema.DateFromSelf),
  enquiries: Schema.Number,
  next_enquiry_at: Schema.NullOr(Schema.DateFromSelf),
  sends: Schema.Number,
  sent_at: Schema.DateFromSelf,
  of_attempt: Schema.NullOr(AttemptId),
  traceparent: Schema.NullOr(Schema.String)
})

const attemptNames = Object.keys(AttemptRow.fields)

export const attemptColumns = (prefix = ""): string => attemptNames.map((name) => prefix + name).join(", ")

/** As `kindOfAttempt` has it, of an attempt `a` and its payment `p`. */
export const KIND_OF_ATTEMPT = `case when a.leg in ('refund', 'return') then 'refund'
    when a.leg = 'collection' or (a.leg = 'payment' and p.direction = 'inbound') then 'payin' else 'payout' end`

const decodeAttempt = rowDecoder(AttemptRow)

export const attemptOf = (selected: object): Attempt => {
  const { traceparent, ...attempt } = decodeAttempt(selected)
  return traceparent === null ? attempt : { ...attempt, traceparent }
}

const decodeDue = rowDecoder(
  Schema.Struct({
    lease_token: Schema.String,
    sent_ago: Schema.Number,
    hinted: Schema.Boolean,
    has_hint: Schema.Boolean,
    hints: Schema.Number,
    hinted_ids: Schema.NullOr(Schema.Array(Schema.String))
  })
)

export const dueAttemptOf = (selected: object): DueAttempt => ({ ...attemptOf(selected), ...decodeDue(selected) })

/** A payment `p`, its attempt `a`, and what is recorded of the payment's money, in one row. */
export const attemptOfPaymentColumns = `${selectedColumns("p.")}, ${attemptNames.map((name) => `a.${name} as a_${name}`).join(", ")}, ${booksColumns("p.")}`

export const attemptOfPayment = (selected: object): AttemptOfPayment => {
  const row = selected as Readonly<Record<string, unknown>>
  const attempt = attemptOf(Object.fromEntries(attemptNames.map((name) => [name, row[`a_${name}`]])))
  return { payment: paymentOf(selected), attempt, ...booksOf(selected) }
}
