/** Stripe's error and decline codes, and our refusal codes. */
import { Schema } from "effect"
import type { RefusalCode } from "../../domain/PaymentStatus.ts"
import { Declined } from "../../domain/Outcome.ts"
import { meaningOf, textOrNull } from "../port/WireValues.ts"

export const StripeError = Schema.Struct({
  type: Schema.String,
  code: textOrNull,
  decline_code: textOrNull,
  message: textOrNull
})
export type StripeError = typeof StripeError.Type

/** By the code, or where the issuer gave a reason of its own by that. */
const ofCards: Readonly<Record<string, RefusalCode>> = {
  insufficient_funds: "INSUFFICIENT_FUNDS",
  expired_card: "CARD_EXPIRED",
  incorrect_number: "CARD_INVALID",
  invalid_number: "CARD_INVALID",
  invalid_account: "CARD_INVALID",
  incorrect_cvc: "CARD_INVALID",
  invalid_cvc: "CARD_INVALID",
  incorrect_zip: "CARD_INVALID",
  incorrect_address: "CARD_INVALID",
  invalid_expiry_month: "CARD_INVALID",
  invalid_expiry_year: "CARD_INVALID",
  authentication_required: "AUTHENTICATION_FAILED",
  authentication_not_handled: "AUTHENTICATION_FAILED",
  payment_intent_authentication_failure: "AUTHENTICATION_FAILED",
  incorrect_pin: "AUTHENTICATION_FAILED",
  fraudulent: "SUSPECTED_FRAUD",
  lost_card: "SUSPECTED_FRAUD",
  stolen_card: "SUSPECTED_FRAUD",
  pickup_card: "SUSPECTED_FRAUD",
  restricted_card: "SUSPECTED_FRAUD",
  security_violation: "SUSPECTED_FRAUD",
  merchant_blacklist: "SUSPECTED_FRAUD",
  card_velocity_exceeded: "LIMIT_EXCEEDED",
  withdrawal_count_limit_exceeded: "LIMIT_EXCEEDED"
}

/** The network or the issuer was unreachable: another provider may reach it. */
const outOfReach: ReadonlySet<string> = new Set([
  "processing_error",
  "issuer_not_available",
  "try_again_later",
  "reenter_transaction"
])

const ofOrders: Readonly<Record<string, RefusalCode>> = {
  amount_too_small: "LIMIT_EXCEEDED",
  amount_too_large: "LIMIT_EXCEEDED",
  balance_insufficient: "PROVIDER_BALANCE_LOW",
  insufficient_funds: "PROVIDER_BALANCE_LOW",
  country_unsupported: "NOT_SUPPORTED",
  payment_method_unactivated: "NOT_SUPPORTED",
  payment_method_currency_mismatch: "NOT_SUPPORTED",
  payment_method_not_available: "PROVIDER_UNAVAILABLE",
  account_invalid: "CREDENTIALS_REFUSED",
  api_key_expired: "CREDENTIALS_REFUSED",
  testmode_charges_only: "CREDENTIALS_REFUSED"
}

const reasonIn = ({ code, decline_code, message, type }: StripeError): string => message ?? decline_code ?? code ?? type

const ofCard = (error: StripeError): Declined => {
  const named = error.decline_code ?? error.code ?? error.type
  const about = { reason: reasonIn(error), providerCode: named }
  return outOfReach.has(named)
    ? new Declined({ ...about, code: "PROVIDER_UNAVAILABLE" })
    : new Declined({
        ...about,
        code: meaningOf(ofCards, named) ?? meaningOf(ofCards, error.code) ?? "CARD_DECLINED",
        instrument: true
      })
}

/** Said of the payer, although their type is that of a wrong order. */
const ofPayers: ReadonlySet<string> = new Set([
  "payment_intent_authentication_failure",
  "payment_intent_payment_attempt_failed"
])

/** Of a payment when it is sent, or of what went wrong with it later. */
export const refusalOf = (error: StripeError): Declined =>
  error.type === "card_error" || ofPayers.has(error.code ?? "")
    ? ofCard(error)
    : new Declined({
        reason: reasonIn(error),
        code: meaningOf(ofOrders, error.code) ?? "INVALID_ORDER",
        providerCode: error.code ?? error.type
      })
