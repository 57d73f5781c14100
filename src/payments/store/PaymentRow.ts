/** Payments between code and table: amounts as exact decimal text, everything else as it is. */
import { AttemptId, BeneficiaryId, ConfigId, OrgId, PaymentId, TransactionId, UserId } from "../../domain/Ids.ts"
import { CryptoNetwork, isAnyCurrencyCode } from "../../domain/CryptoAsset.ts"
import { flows, paymentMethods, providerNames } from "../../domain/Corridor.ts"
import { isCountryCode } from "../../domain/Country.ts"
import { parseExactJson } from "../../domain/ExactJson.ts"
import { type FailureCode, failureCodes, paymentStatuses } from "../../domain/PaymentStatus.ts"
import { chargedSide } from "../../domain/Fee.ts"
import { LedgerAccount } from "../../domain/Ledger.ts"
import { moneyOf } from "../../platform/database/Query.ts"
import {
  fields,
  idOf,
  json,
  listOf,
  nullable,
  number,
  oneOf,
  optional,
  recognised,
  recordOf,
  type RowOf,
  rowOf,
  text,
  time,
  truth
} from "./Columns.ts"
import type { JsonObject, Payment, Refund } from "./Payment.ts"

const currency = recognised("a currency", isAnyCurrencyCode)
const provider = oneOf(...providerNames)

const ramp = fields({
  direction: oneOf("on_ramp", "off_ramp"),
  network: oneOf(...CryptoNetwork.literals),
  wallet_address: nullable(text),
  collection: oneOf("bank_transfer", "mobile_money", "crypto"),
  settlement: oneOf("bank_transfer", "mobile_money", "wallet", "crypto"),
  rate: text,
  client_rate: text,
  customer_type: oneOf("retail", "institution"),
  business_id: nullable(text),
  business_name: nullable(text),
  collected: nullable(text)
})

const refund = fields({
  refund_id: idOf(AttemptId),
  amount: text,
  target: text,
  rate: optional(fields({ basis: oneOf("original", "live"), value: text })),
  state: oneOf("open", "completed", "failed"),
  reason: nullable(text),
  created_at: text,
  settled_at: nullable(text),
  collection_id: optional(text),
  of: optional(fields({ attempt_id: idOf(AttemptId), from: oneOf("clearing", "ramp"), currency }))
})

type RefundRow = NonNullable<(typeof refund)["holds"]>

const paymentTable = {
  payment_id: idOf(PaymentId),
  transaction_id: idOf(TransactionId),
  org_id: idOf(OrgId),
  user_id: idOf(UserId),
  status: oneOf(...paymentStatuses),
  version: number,
  direction: oneOf(...flows),
  payment_method: oneOf(...paymentMethods),
  country: recognised("a country", isCountryCode),
  amount: text,
  currency,
  target_amount: text,
  target_currency: currency,
  org_rate_id: nullable(text),
  client_reference: nullable(text),
  description: nullable(text),
  beneficiary_id: nullable(idOf(BeneficiaryId)),
  payer_details: json,
  mobile_money_details: json,
  card_details: json,
  bank_account: json,
  recipient_info: json,
  /** Read as text: a double would lose digits of its numbers. */
  metadata: text,
  user_metadata: json,
  webhook_metadata: json,
  return_url: nullable(text),
  provider: nullable(provider),
  account: nullable(idOf(ConfigId)),
  provider_payment_id: nullable(text),
  provider_status: nullable(text),
  provider_data: json,
  next_action: nullable(oneOf("redirect", "wait", "bank_transfer", "pay_by_link", "collect_otp", "check_status")),
  action_data: recordOf(nullable(text)),
  comments: nullable(text),
  failure: nullable(
    fields({
      code: oneOf(...(Object.keys(failureCodes) as ReadonlyArray<FailureCode>)),
      message: text,
      provider: nullable(provider)
    })
  ),
  refunds: listOf(refund),
  refunded_amount: text,
  taken_by: nullable(idOf(AttemptId)),
  payout_id: nullable(text),
  otp_failures: number,
  fee_ids: listOf(text),
  total_fees: nullable(text),
  funding: nullable(text),
  holds: truth,
  ramp: nullable(ramp),
  expires_at: nullable(time),
  created_at: time,
  updated_at: time
}

type PaymentRow = RowOf<typeof paymentTable>

export const paymentColumns = Object.keys(paymentTable) as ReadonlyArray<keyof PaymentRow>

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

const paymentRow = rowOf(paymentTable)

/** Of a row with the selected columns, whatever else it has. */
export const paymentOf = (selected: object): Payment => {
  const row = paymentRow(selected)
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
