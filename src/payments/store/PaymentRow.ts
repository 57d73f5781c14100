/** Payments between code and table: amounts as exact decimal text, everything else as it is. */
import type { SqlError } from "@effect/sql"
import { Effect, Either, ParseResult, Schema } from "effect"
import { compileDecoder } from "../../platform/schema/CompiledSchema.ts"
import { AttemptId, ConfigId } from "../../domain/Ids.ts"
import { AnyCurrencyCode } from "../../domain/Currency.ts"
import { ProviderName } from "../../domain/Corridor.ts"
import { parseExactJson } from "../../domain/Decimal.ts"
import { chargedSide } from "../../domain/Fee.ts"
import { LedgerAccount } from "../../domain/Ledger.ts"
import type { Money } from "../../domain/Money.ts"
import { type PaymentReserve, ReserveTerms } from "../../domain/Reserve.ts"
import { type MovementToWrite, movementKinds, movementSources, movementStates } from "../../domain/Movement.ts"
import { orDatabaseFailure, type Stored } from "../../platform/database/DatabaseFailure.ts"
import { moneyOf, UnexpectedRow } from "../../platform/database/Query.ts"
import {
  type Allocation,
  type Attempt,
  AttemptFields,
  type Books,
  type DueAttempt,
  DueFields,
  type JsonObject,
  type Payment,
  PaymentFields,
  type Refund
} from "./Payment.ts"
import type { AttemptOfPayment } from "./PaymentStore.ts"

/** Decodes one row by a compiled schema. A value that does not fit is a defect that names its column, not its content. */
const rowDecoder = <A, I>(schema: Schema.Schema<A, I>): ((row: unknown) => A) => {
  const decode = compileDecoder(schema)
  return (row) =>
    Either.getOrThrowWith(decode(row), (issue) => {
      const paths = ParseResult.ArrayFormatter.formatIssueSync(issue).map(({ path }) => path.join("."))
      const column = paths.reduce((longest, path) => (path.length > longest.length ? path : longest), "")
      return new UnexpectedRow({ message: `${column}: unexpected value` })
    })
}

/** Runs a statement, and reads each of its rows. */
export const readRows =
  <A>(read: (row: object) => A) =>
  (statement: Effect.Effect<ReadonlyArray<object>, SqlError.SqlError>): Stored<ReadonlyArray<A>> =>
    orDatabaseFailure(Effect.map(statement, (rows) => rows.map(read)))

const Currency = Schema.typeSchema(AnyCurrencyCode)

const Text = Schema.NullOr(Schema.String)

const RefundRow = Schema.Struct({
  refund_id: AttemptId,
  amount: Schema.String,
  target: Schema.String,
  rate: Schema.optional(Schema.Struct({ basis: Schema.Literal("original", "live"), value: Schema.String })),
  state: Schema.Literal("open", "completed", "failed"),
  reason: Text,
  requested_by: Schema.optional(Schema.String),
  created_at: Schema.String,
  settled_at: Text,
  collection_id: Schema.optional(Schema.String),
  of: Schema.optional(
    Schema.Struct({ attempt_id: AttemptId, from: Schema.Literal("clearing", "ramp"), currency: Currency })
  )
})
type RefundRow = typeof RefundRow.Type

const ReserveRow = Schema.Struct({
  ...ReserveTerms.fields,
  parts: Schema.Array(
    Schema.Struct({ amount: Schema.String, release_at: Schema.String, released_at: Text, released: Text })
  )
})
type ReserveRow = typeof ReserveRow.Type

const PaymentRow = Schema.Struct({
  ...PaymentFields.fields,
  amount: Schema.String,
  currency: Currency,
  target_amount: Schema.String,
  target_currency: Currency,
  /** Read as text: a double would lose digits of its numbers. */
  metadata: Schema.String,
  refunds: Schema.Array(RefundRow),
  refunded_amount: Schema.String,
  total_fees: Text,
  reserve: Schema.NullOr(ReserveRow),
  funding: Text
})
type PaymentRow = typeof PaymentRow.Type

export const paymentColumns = Object.keys(PaymentRow.fields) as ReadonlyArray<keyof PaymentRow>

/** As they are read, with the table's name and a point before each if it is given. */
export const selectedColumns = (prefix = ""): string =>
  paymentColumns.map((name) => (name === "metadata" ? `${prefix}metadata::text as metadata` : prefix + name)).join(", ")

const refundRows = (refunds: ReadonlyArray<Refund>): ReadonlyArray<RefundRow> =>
  refunds.map(({ amount, collection_id, created_at, of, rate, settled_at, target, ...part }) => ({
    ...part,
    rate,
    collection_id,
    of: of === undefined ? undefined : { ...of, currency: amount.currency },
    amount: amount.toNumericText(),
    target: target.toNumericText(),
    created_at: created_at.toISOString(),
    settled_at: settled_at === null ? null : settled_at.toISOString()
  }))

const refundOf = (
  { amount, created_at, of, settled_at, target, ...part }: RefundRow,
  payment: Pick<Payment, "amount" | "target">
): Refund => ({
  ...part,
  ...(of === undefined ? {} : { of: { attempt_id: of.attempt_id, from: of.from } }),
  amount: moneyOf(amount, of?.currency ?? payment.amount.currency),
  target: moneyOf(target, of?.currency ?? payment.target.currency),
  created_at: new Date(created_at),
  settled_at: settled_at === null ? null : new Date(settled_at)
})

const reserveRow = ({ parts, ...terms }: PaymentReserve): ReserveRow => ({
  ...terms,
  parts: parts.map(({ amount, release_at, released, released_at }) => ({
    amount: amount.toNumericText(),
    release_at: release_at.toISOString(),
    released_at: released_at === null ? null : released_at.toISOString(),
    released: released === null ? null : released.toNumericText()
  }))
})

const reserveOf = ({ parts, ...terms }: ReserveRow, { currency }: Money): PaymentReserve => ({
  ...terms,
  parts: parts.map(({ amount, release_at, released, released_at }) => ({
    amount: moneyOf(amount, currency),
    release_at: new Date(release_at),
    released_at: released_at === null ? null : new Date(released_at),
    released: released === null ? null : moneyOf(released, currency)
  }))
})

/** As it is written. Written out like `paymentOf`: an object that is spread and gets other fields takes V8 100 µs. */
export const toRow = (payment: Payment): Omit<PaymentRow, "metadata"> & { readonly metadata: JsonObject } => ({
  payment_id: payment.payment_id,
  transaction_id: payment.transaction_id,
  org_id: payment.org_id,
  user_id: payment.user_id,
  status: payment.status,
  version: payment.version,
  direction: payment.direction,
  payment_method: payment.payment_method,
  country: payment.country,
  amount: payment.amount.toNumericText(),
  currency: payment.amount.currency,
  target_amount: payment.target.toNumericText(),
  target_currency: payment.target.currency,
  org_rate_id: payment.org_rate_id,
  client_reference: payment.client_reference,
  description: payment.description,
  beneficiary_id: payment.beneficiary_id,
  payer_details: payment.payer_details,
  mobile_money_details: payment.mobile_money_details,
  card_details: payment.card_details,
  bank_account: payment.bank_account,
  recipient_info: payment.recipient_info,
  metadata: payment.metadata,
  user_metadata: payment.user_metadata,
  webhook_metadata: payment.webhook_metadata,
  return_url: payment.return_url,
  provider: payment.provider,
  account: payment.account,
  provider_payment_id: payment.provider_payment_id,
  provider_status: payment.provider_status,
  provider_data: payment.provider_data,
  next_action: payment.next_action,
  action_data: payment.action_data,
  comments: payment.comments,
  failure: payment.failure,
  refunds: refundRows(payment.refunds),
  refunded_amount: payment.refunded.toNumericText(),
  taken_by: payment.taken_by,
  payout_id: payment.payout_id,
  otp_failures: payment.otp_failures,
  fee_ids: payment.fee_ids,
  total_fees: payment.total_fees === null ? null : payment.total_fees.toNumericText(),
  reserve: payment.reserve === null ? null : reserveRow(payment.reserve),
  funding: payment.funding,
  holds: payment.holds,
  ramp: payment.ramp,
  expires_at: payment.expires_at,
  created_at: payment.created_at,
  updated_at: payment.updated_at
})

const decodePayment = rowDecoder(PaymentRow)

/** Reads a payment from a row with at least the selected columns. Written out, since a spread of 45 fields takes 30 µs. */
export const paymentOf = (selected: object): Payment => {
  const row = decodePayment(selected)
  const amount = moneyOf(row.amount, row.currency)
  const target = moneyOf(row.target_amount, row.target_currency)
  const charged = chargedSide({ direction: row.direction, amount, target })
  return {
    payment_id: row.payment_id,
    transaction_id: row.transaction_id,
    org_id: row.org_id,
    user_id: row.user_id,
    status: row.status,
    version: row.version,
    direction: row.direction,
    payment_method: row.payment_method,
    country: row.country,
    amount,
    target,
    org_rate_id: row.org_rate_id,
    client_reference: row.client_reference,
    description: row.description,
    beneficiary_id: row.beneficiary_id,
    payer_details: row.payer_details,
    mobile_money_details: row.mobile_money_details,
    card_details: row.card_details,
    bank_account: row.bank_account,
    recipient_info: row.recipient_info,
    metadata: parseExactJson(row.metadata) as JsonObject,
    user_metadata: row.user_metadata,
    webhook_metadata: row.webhook_metadata,
    return_url: row.return_url,
    provider: row.provider,
    account: row.account,
    provider_payment_id: row.provider_payment_id,
    provider_status: row.provider_status,
    provider_data: row.provider_data,
    next_action: row.next_action,
    action_data: row.action_data,
    comments: row.comments,
    failure: row.failure,
    refunds: row.refunds.map((one) => refundOf(one, { amount, target })),
    refunded: moneyOf(row.refunded_amount, row.currency),
    taken_by: row.taken_by,
    payout_id: row.payout_id,
    otp_failures: row.otp_failures,
    fee_ids: row.fee_ids,
    total_fees: row.total_fees === null ? null : moneyOf(row.total_fees, charged.currency),
    reserve: row.reserve === null ? null : reserveOf(row.reserve, target),
    funding: row.funding === null ? null : LedgerAccount.stored(row.funding),
    holds: row.holds,
    ramp: row.ramp,
    expires_at: row.expires_at,
    created_at: row.created_at,
    updated_at: row.updated_at
  }
}

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
    allocations: (row.allocations ?? []).map(
      ({ account, amount, at, currency, decided_by, origin, own_amount, own_currency, ...one }) => ({
        ...one,
        from: origin,
        amount: moneyOf(amount, currency),
        account: LedgerAccount.stored(account),
        accountAmount: moneyOf(own_amount, own_currency),
        by: decided_by,
        at: new Date(at)
      })
    )
  }
}

export const movementRow = ({ amount, replaces, ...one }: MovementToWrite) => ({
  ...one,
  amount: amount.toNumericText(),
  currency: amount.currency,
  replaces: replaces ?? null
})

const movementFields = {
  provider: "text",
  account: "uuid",
  kind: "text",
  movement_id: "text",
  attempt_id: "uuid",
  refund_id: "uuid",
  amount: "numeric",
  currency: "text",
  state: "text",
  is_total: "boolean",
  source: "text",
  heard_at: "timestamptz"
}
export const movementColumns = (prefix: string) =>
  Object.keys(movementFields)
    .map((name) => prefix + name)
    .join(", ")
export const movementNames = movementColumns("")
export const recordOf = (fields: Readonly<Record<string, string>>) =>
  Object.entries(fields)
    .map(([name, type]) => `${name} ${type}`)
    .join(", ")
export const movementRecord = recordOf({ ...movementFields, replaces: "text" })

export const allocationRow = ({ amount, by, from, accountAmount, ...one }: Allocation) => ({
  ...one,
  origin: from,
  amount: amount.toNumericText(),
  currency: amount.currency,
  own_amount: accountAmount.toNumericText(),
  own_currency: accountAmount.currency,
  decided_by: by
})

const { own_account: own, ...attemptFields } = AttemptFields.fields

const AttemptRow = Schema.Struct({ ...attemptFields, own, traceparent: Text })

const attemptNames = Object.keys(AttemptRow.fields)

export const attemptColumns = (prefix = ""): string => attemptNames.map((name) => prefix + name).join(", ")

/** As `kindOfAttempt` has it, of an attempt `a` and its payment `p`. */
export const KIND_OF_ATTEMPT = `case when a.leg in ('refund', 'return') then 'refund'
    when a.leg = 'collection' or (a.leg = 'payment' and p.direction = 'inbound') then 'payin' else 'payout' end`

const decodeAttempt = rowDecoder(AttemptRow)

export const attemptOf = (selected: object): Attempt => {
  const { own: own_account, traceparent, ...attempt } = decodeAttempt(selected)
  return { ...attempt, own_account, ...(traceparent === null ? {} : { traceparent }) }
}

const decodeDue = rowDecoder(DueFields)

export const dueAttemptOf = (selected: object): DueAttempt => ({ ...attemptOf(selected), ...decodeDue(selected) })

/** A payment `p`, its attempt `a`, and what is recorded of the payment's money, in one row. */
export const attemptOfPaymentColumns = `${selectedColumns("p.")}, ${attemptNames.map((name) => `a.${name} as a_${name}`).join(", ")}, ${booksColumns("p.")}`

export const attemptOfPayment = (selected: object): AttemptOfPayment => {
  const row = selected as Readonly<Record<string, unknown>>
  const attempt = attemptOf(Object.fromEntries(attemptNames.map((name) => [name, row[`a_${name}`]])))
  return { payment: paymentOf(selected), attempt, ...booksOf(selected) }
}
