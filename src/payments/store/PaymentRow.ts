/** Payments between code and table: amounts as exact decimal text, everything else as it is. */
import { Either, ParseResult, Schema } from "effect"
import { compileDecoder } from "../../platform/schema/CompiledSchema.ts"
import { AttemptId, BeneficiaryId, ConfigId, OrgId, PaymentId, TransactionId, UserId } from "../../domain/Ids.ts"
import { AnyCurrencyCode, CryptoNetwork } from "../../domain/CryptoAsset.ts"
import { Flow, PaymentMethod, ProviderName } from "../../domain/Corridor.ts"
import { CountryCode } from "../../domain/Country.ts"
import { parseExactJson } from "../../domain/ExactJson.ts"
import { type FailureCode, failureCodes, paymentStatuses } from "../../domain/PaymentStatus.ts"
import { chargedSide } from "../../domain/Fee.ts"
import { LedgerAccount } from "../../domain/Ledger.ts"
import { moneyOf, UnexpectedRow } from "../../platform/database/Query.ts"
import type { JsonObject, Payment, Refund } from "./Payment.ts"

/** Decodes one row by a compiled schema. A value that does not fit is a defect that names its column, not its content. */
export const rowDecoder = <A, I>(schema: Schema.Schema<A, I>): ((row: unknown) => A) => {
  const decode = compileDecoder(schema)
  return (row) =>
    Either.getOrThrowWith(decode(row), (issue) => {
      const paths = ParseResult.ArrayFormatter.formatIssueSync(issue).map(({ path }) => path.join("."))
      const column = paths.reduce((longest, path) => (path.length > longest.length ? path : longest), "")
      return new UnexpectedRow({ message: `${column}: unexpected value` })
    })
}

export const Currency = Schema.typeSchema(AnyCurrencyCode)

const Json = Schema.Record({ key: Schema.String, value: Schema.Unknown })
const Text = Schema.NullOr(Schema.String)

const RampFactsRow = Schema.Struct({
  direction: Schema.Literal("on_ramp", "off_ramp"),
  network: CryptoNetwork,
  wallet_address: Text,
  collection: Schema.Literal("bank_transfer", "mobile_money", "crypto"),
  settlement: Schema.Literal("bank_transfer", "mobile_money", "wallet", "crypto"),
  rate: Schema.String,
  client_rate: Schema.String,
  customer_type: Schema.Literal("retail", "institution"),
  business_id: Text,
  business_name: Text,
  collected: Text
})

const RefundRow = Schema.Struct({
  refund_id: AttemptId,
  amount: Schema.String,
  target: Schema.String,
  rate: Schema.optional(Schema.Struct({ basis: Schema.Literal("original", "live"), value: Schema.String })),
  state: Schema.Literal("open", "completed", "failed"),
  reason: Text,
  created_at: Schema.String,
  settled_at: Text,
  collection_id: Schema.optional(Schema.String),
  of: Schema.optional(
    Schema.Struct({ attempt_id: AttemptId, from: Schema.Literal("clearing", "ramp"), currency: Currency })
  )
})
type RefundRow = typeof RefundRow.Type

const PaymentRow = Schema.Struct({
  payment_id: PaymentId,
  transaction_id: TransactionId,
  org_id: OrgId,
  user_id: UserId,
  status: Schema.Literal(...paymentStatuses),
  version: Schema.Number,
  direction: Flow,
  payment_method: PaymentMethod,
  country: CountryCode,
  amount: Schema.String,
  currency: Currency,
  target_amount: Schema.String,
  target_currency: Currency,
  org_rate_id: Text,
  client_reference: Text,
  description: Text,
  beneficiary_id: Schema.NullOr(BeneficiaryId),
  payer_details: Json,
  mobile_money_details: Json,
  card_details: Json,
  bank_account: Json,
  recipient_info: Json,
  /** Read as text: a double would lose digits of its numbers. */
  metadata: Schema.String,
  user_metadata: Json,
  webhook_metadata: Json,
  return_url: Text,
  provider: Schema.NullOr(ProviderName),
  account: Schema.NullOr(ConfigId),
  provider_payment_id: Text,
  provider_status: Text,
  provider_data: Json,
  next_action: Schema.NullOr(
    Schema.Literal("redirect", "wait", "bank_transfer", "pay_by_link", "collect_otp", "check_status")
  ),
  action_data: Schema.Record({ key: Schema.String, value: Text }),
  comments: Text,
  failure: Schema.NullOr(
    Schema.Struct({
      code: Schema.Literal(...(Object.keys(failureCodes) as ReadonlyArray<FailureCode>)),
      message: Schema.String,
      provider: Schema.NullOr(ProviderName)
    })
  ),
  refunds: Schema.Array(RefundRow),
  refunded_amount: Schema.String,
  taken_by: Schema.NullOr(AttemptId),
  payout_id: Text,
  otp_failures: Schema.Number,
  fee_ids: Schema.Array(Schema.String),
  total_fees: Text,
  funding: Text,
  holds: Schema.Boolean,
  ramp: Schema.NullOr(RampFactsRow),
  expires_at: Schema.NullOr(Schema.DateFromSelf),
  created_at: Schema.DateFromSelf,
  updated_at: Schema.DateFromSelf
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

/** As it is written. */
export const toRow = ({
  amount,
  refunded,
  refunds,
  target,
  total_fees,
  ...payment
}: Payment): Omit<PaymentRow, "metadata"> & { readonly metadata: JsonObject } => ({
  ...payment,
  refunds: refundRows(refunds),
  refunded_amount: refunded.toNumericText(),
  amount: amount.toNumericText(),
  currency: amount.currency,
  target_amount: target.toNumericText(),
  target_currency: target.currency,
  total_fees: total_fees === null ? null : total_fees.toNumericText()
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
    funding: row.funding === null ? null : LedgerAccount.stored(row.funding),
    holds: row.holds,
    ramp: row.ramp,
    expires_at: row.expires_at,
    created_at: row.created_at,
    updated_at: row.updated_at
  }
}
