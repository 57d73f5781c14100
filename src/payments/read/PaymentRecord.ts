/** A payment as its record on the wire. */
import { BigDecimal } from "effect"
import type { PaymentRecord } from "../../contract/api/Payments.ts"
import { isBuiltInRail } from "../../domain/Corridor.ts"
import { subRegionOf } from "../../domain/Country.ts"
import type { Payment, Refund } from "../store/Payment.ts"

const pathOf = ({ direction, provider }: Payment): (typeof PaymentRecord.Type)["payment_path_method"] => {
  if (direction === "external") return "intermediary"
  if (provider === null) return null
  return isBuiltInRail(provider) ? "direct" : "third_party"
}

const instructionsOf = ({ action_data, amount, next_action, ramp, status }: Payment): string | null => {
  const { account_name, account_number, bank_name, expires_at, payment_link, redirect_url, reference } = action_data
  switch (next_action) {
    case "bank_transfer":
      return `Transfer to account ${account_number} (${account_name}) at ${bank_name}, reference ${reference}, before ${expires_at}.`
    case "pay_by_link":
      return `Pay at ${payment_link}.`
    case "redirect":
      return `Send the customer to ${redirect_url}.`
    case "collect_otp":
      return "Ask the customer for the one-time password and submit it."
    default:
      return ramp?.collection === "crypto" && status === "pending" && typeof action_data["address"] === "string"
        ? `Send ${amount.toString()} to ${action_data["address"]} on ${ramp.network}.`
        : null
  }
}

/** Both null where nothing is converted. */
const rateView = (rate: Refund["rate"]) => ({
  rate: rate === undefined ? null : BigDecimal.unsafeFromString(rate.value),
  rate_basis: rate?.basis ?? null
})

const refundView = ({ amount, created_at, rate, reason, refund_id, settled_at, state, target }: Refund) => ({
  refund_id,
  amount: amount.toShown(),
  currency: amount.currency,
  target_amount: target.toShown(),
  target_currency: target.currency,
  ...rateView(rate),
  state,
  reason,
  created_at,
  settled_at
})

export const recordOf = (payment: Payment): typeof PaymentRecord.Type => ({
  payment_id: payment.payment_id,
  amount: payment.amount.toShown(),
  currency: payment.amount.currency,
  user_id: payment.user_id,
  status: payment.status,
  direction: payment.direction,
  payment_method: payment.payment_method,
  org_id: payment.org_id,
  beneficiary_id: payment.beneficiary_id,
  transaction_id: payment.transaction_id,
  target_amount: payment.target.toShown(),
  target_currency: payment.target.currency,
  from_currency: payment.amount.currency,
  region_id: subRegionOf(payment.country),
  payment_path_method: pathOf(payment),
  bank_account: payment.bank_account,
  card_details: payment.card_details,
  mobile_money_details: payment.mobile_money_details,
  payer_details: payment.payer_details,
  recipient_info: payment.recipient_info,
  metadata: payment.metadata,
  user_metadata: payment.user_metadata,
  webhook_metadata: payment.webhook_metadata,
  fee_ids: payment.fee_ids,
  total_fees: payment.total_fees === null ? null : payment.total_fees.toShown(),
  provider: payment.provider,
  provider_payment_id: payment.provider_payment_id,
  provider_status: payment.provider_status,
  provider_data: payment.provider_data,
  payout_initiated: payment.payout_id !== null,
  payout_id: payment.payout_id,
  instructions: instructionsOf(payment),
  comments: payment.comments,
  client_reference: payment.client_reference,
  description: payment.description,
  country: payment.country,
  refunds: payment.refunds.filter(({ of }) => of === undefined).map(refundView),
  refunded_amount: payment.refunded.toShown(),
  failure: payment.failure,
  created_at: payment.created_at,
  updated_at: payment.updated_at
})
