/** Movements and allocations of a payment between code and tables. */
import { AttemptId, ConfigId } from "../../domain/Identifiers.ts"
import { isAnyCurrencyCode } from "../../domain/CryptoAsset.ts"
import { providerNames } from "../../domain/Corridor.ts"
import { LedgerAccount } from "../../domain/Ledger.ts"
import { type HeardMovement, movementKinds, movementSources, movementStates } from "../../domain/Movement.ts"
import { moneyOf } from "../../platform/database/StoredMoney.ts"
import { fields, idOf, listOf, nullable, oneOf, recognised, rowOf, text, truth } from "./Columns.ts"
import type { Allocation, Books } from "./Payment.ts"

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
