/** Payments between code and table: amounts as exact decimal text, everything else as it is. */
import { moneyOf } from "../../platform/database/StoredMoney.ts"
import type { AnyCurrencyCode } from "../../domain/CryptoAsset.ts"
import { parseExactJson } from "../../domain/ExactJson.ts"
import { chargedSide } from "../../domain/Fee.ts"
import type { Attempt, JsonObject, Payment, Refund } from "./Payment.ts"

interface RefundRow extends Omit<Refund, "amount" | "target" | "created_at" | "settled_at"> {
  readonly amount: string
  readonly target: string
  readonly created_at: string
  readonly settled_at: string | null
}

export interface PaymentRow extends Omit<Payment, "amount" | "target" | "total_fees" | "refunds" | "metadata"> {
  readonly refunds: ReadonlyArray<RefundRow>
  /** Read as text: a double would lose digits of its numbers. */
  readonly metadata: JsonObject | string
  readonly amount: string
  readonly currency: AnyCurrencyCode
  readonly target_amount: string
  readonly target_currency: AnyCurrencyCode
  readonly total_fees: string | null
}

export const paymentColumns = [
  "payment_id",
  "transaction_id",
  "org_id",
  "user_id",
  "status",
  "version",
  "direction",
  "payment_method",
  "country",
  "amount",
  "currency",
  "target_amount",
  "target_currency",
  "org_rate_id",
  "client_reference",
  "description",
  "beneficiary_id",
  "payer_details",
  "mobile_money_details",
  "card_details",
  "bank_account",
  "recipient_info",
  "metadata",
  "user_metadata",
  "webhook_metadata",
  "return_url",
  "provider",
  "provider_payment_id",
  "provider_status",
  "provider_data",
  "next_action",
  "action_data",
  "comments",
  "failure",
  "refunds",
  "payout_id",
  "otp_failures",
  "fee_ids",
  "total_fees",
  "funding",
  "holds",
  "ramp",
  "expires_at",
  "created_at",
  "updated_at"
] as const satisfies ReadonlyArray<keyof PaymentRow>

export const refundRows = (refunds: ReadonlyArray<Refund>): ReadonlyArray<RefundRow> =>
  refunds.map(({ amount, created_at, settled_at, target, ...refund }) => ({
    ...refund,
    amount: amount.toNumericText(),
    target: target.toNumericText(),
    created_at: created_at.toISOString(),
    settled_at: settled_at === null ? null : settled_at.toISOString()
  }))

const refundOf = (
  { amount, created_at, settled_at, target, ...refund }: RefundRow,
  payment: Pick<Payment, "amount" | "target">
): Refund => ({
  ...refund,
  amount: moneyOf(amount, payment.amount.currency),
  target: moneyOf(target, payment.target.currency),
  created_at: new Date(created_at),
  settled_at: settled_at === null ? null : new Date(settled_at)
})

/** As they are read, with the table's name and a point before each if it is given. */
export const selectedColumns = (prefix = ""): string =>
  paymentColumns.map((name) => (name === "metadata" ? `${prefix}metadata::text as metadata` : prefix + name)).join(", ")

const metadataOf = (stored: PaymentRow["metadata"]): JsonObject =>
  typeof stored === "string" ? (parseExactJson(stored) as JsonObject) : stored

export const toRow = ({ amount, refunds, target, total_fees, ...payment }: Payment): PaymentRow => ({
  ...payment,
  refunds: refundRows(refunds),
  amount: amount.toNumericText(),
  currency: amount.currency,
  target_amount: target.toNumericText(),
  target_currency: target.currency,
  total_fees: total_fees === null ? null : total_fees.toNumericText()
})

export const fromRow = (row: PaymentRow): Payment => {
  const { amount: amountText, currency, refunds, target_amount, target_currency, total_fees, ...rest } = row
  const amount = moneyOf(amountText, currency)
  const target = moneyOf(target_amount, target_currency)
  const charged = chargedSide({ direction: row.direction, amount, target })
  return {
    ...rest,
    amount,
    target,
    metadata: metadataOf(row.metadata),
    refunds: refunds.map((refund) => refundOf(refund, { amount, target })),
    total_fees: total_fees === null ? null : moneyOf(total_fees, charged.currency)
  }
}

export const attemptFields = [
  "attempt_id",
  "payment_id",
  "org_id",
  "leg",
  "provider",
  "config_id",
  "outcome",
  "reason",
  "provider_payment_id",
  "started_at",
  "answered_at",
  "enquiries",
  "next_enquiry_at",
  "sends",
  "sent_at",
  "of_attempt",
  "received",
  "said",
  "ordered"
] as const satisfies ReadonlyArray<keyof Attempt>

/** An attempt's columns beside those of its payment, told apart by their prefix. */
export type AttemptInPayment = { readonly [Field in (typeof attemptFields)[number] as `a_${Field}`]: Attempt[Field] }

export const knownOf = (
  row: PaymentRow & AttemptInPayment
): { readonly payment: Payment; readonly attempt: Attempt } => {
  const payment: Record<string, unknown> = {}
  const attempt: Record<string, unknown> = {}
  for (const name of paymentColumns) payment[name] = row[name]
  for (const name of attemptFields) attempt[name] = row[`a_${name}`]
  return { payment: fromRow(payment as unknown as PaymentRow), attempt: attempt as unknown as Attempt }
}
