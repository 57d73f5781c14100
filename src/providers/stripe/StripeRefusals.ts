/** Stripe's error and decline codes, and our refusal codes. */
import { Schema } from "effect"
import { Declined } from "../../domain/Outcome.ts"
import { refusalsBy, textOrNull } from "../client/WireValues.ts"

export const StripeError = Schema.Struct({
  type: Schema.String,
  code: textOrNull,
  decline_code: textOrNull,
  message: textOrNull
})
export type StripeError = typeof StripeError.Type

/** By the code, or where the issuer gave a reason of its own by that. */
const ofCards = refusalsBy({
  instrument: {
    INSUFFICIENT_FUNDS: "insufficient_funds",
    CARD_EXPIRED: "expired_card",
    CARD_INVALID: `incorrect_number invalid_number invalid_account incorrect_cvc invalid_cvc incorrect_zip
      incorrect_address invalid_expiry_month invalid_expiry_year`,
    AUTHENTICATION_FAILED: `authentication_required authentication_not_handled payment_intent_authentication_failure
      incorrect_pin`,
    SUSPECTED_FRAUD: `fraudulent lost_card stolen_card pickup_card restricted_card security_violation
      merchant_blacklist`,
    LIMIT_EXCEEDED: "card_velocity_exceeded withdrawal_count_limit_exceeded"
  },
  // The network or the issuer was unreachable: another provider may reach it.
  provider: { PROVIDER_UNAVAILABLE: "processing_error issuer_not_available try_again_later reenter_transaction" }
})

const ofOrders = refusalsBy({
  provider: {
    LIMIT_EXCEEDED: "amount_too_small amount_too_large",
    PROVIDER_BALANCE_LOW: "balance_insufficient insufficient_funds",
    NOT_SUPPORTED: "country_unsupported payment_method_unactivated payment_method_currency_mismatch",
    PROVIDER_UNAVAILABLE: "payment_method_not_available",
    CREDENTIALS_REFUSED: "account_invalid api_key_expired testmode_charges_only"
  }
})

const reasonIn = ({ code, decline_code, message, type }: StripeError): string => message ?? decline_code ?? code ?? type

const ofCard = (error: StripeError): Declined => {
  const providerCode = error.decline_code ?? error.code ?? error.type
  const byCode = ofCards.get(error.code)
  const refusal = ofCards.get(providerCode) ??
    (byCode?.instrument && byCode) ?? { code: "CARD_DECLINED", instrument: true }
  return new Declined({ reason: reasonIn(error), providerCode, ...refusal })
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
        code: "INVALID_ORDER",
        ...ofOrders.get(error.code),
        providerCode: error.code ?? error.type
      })
