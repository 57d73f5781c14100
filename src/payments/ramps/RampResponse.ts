/** A ramp as the answer to whoever initiated it. */
import type { RampResult } from "../../contract/api/Ramps.ts"
import { isHeld } from "../review/ReviewThreshold.ts"
import { rampLegs, type RampPayment } from "../route/LegOrder.ts"

type Response = (typeof RampResult.Type)["response"]

const nextActionOf = (payment: RampPayment): Response["next_action"] => {
  const { next_action, ramp, status } = payment
  if (isHeld(payment)) return "wait"
  // A provider has been asked, and a crash came before its answer could be written down.
  if (status === "initiated") return "check_status"
  if (status !== "pending") return undefined
  switch (next_action) {
    case "bank_transfer":
      return "make_transfer"
    case "collect_otp":
    case "pay_by_link":
    case "redirect":
    case "check_status":
      return next_action
    default:
      return ramp.collection === "mobile_money" ? "wait" : "make_transfer"
  }
}

/** Where to send the customer, at the top level of the answer as for other payments. */
const addressOf = (
  { action_data: { payment_link, redirect_url } }: RampPayment,
  action: Response["next_action"]
): Pick<Response, "payment_link" | "redirect_url"> => {
  if (action === "pay_by_link" && typeof payment_link === "string") return { payment_link }
  return action === "redirect" && typeof redirect_url === "string" ? { redirect_url } : {}
}

const instructionsOf = ({ action_data, amount, ramp, status }: RampPayment): Response["payment_instructions"] => {
  if (status !== "pending") return {}
  const { account_name = null, account_number = null, address = null, bank_name = null, reference = null } = action_data
  return {
    type: ramp.collection === "crypto" ? "crypto_transfer" : ramp.collection,
    account_name,
    account_number,
    bank_name,
    amount: amount.toShown(),
    currency: amount.currency,
    reference,
    address,
    network: ramp.collection === "crypto" ? ramp.network : null
  }
}

const messages: Readonly<Record<string, string>> = {
  pending: "The ramp waits for the customer's money.",
  processing: "The customer's money has arrived and is being settled.",
  completed: "The ramp is complete.",
  failed: "The ramp failed.",
  rejected: "The ramp was rejected.",
  refunded: "What the ramp had settled came back.",
  canceled: "The ramp was canceled."
}

const messageOf = (payment: RampPayment): string => {
  const { next_action, status } = payment
  if (isHeld(payment)) return "The ramp waits for a review."
  return next_action === "check_status" || status === "initiated"
    ? "The provider has not said yet what became of the ramp; it is being looked up."
    : (messages[status] ?? "The ramp was initiated.")
}

export const rampResponse = (payment: RampPayment): typeof RampResult.Type => {
  const { asset, crypto, currency, fiat } = rampLegs(payment)
  const next_action = nextActionOf(payment)
  return {
    statusCode: 200,
    response: {
      success: payment.status !== "failed" && payment.status !== "rejected",
      payment_id: payment.payment_id,
      transaction_id: payment.transaction_id,
      direction: payment.ramp.direction,
      status: payment.status,
      fiat_currency: currency,
      fiat_amount: fiat.toShown(),
      crypto_currency: asset,
      crypto_network: payment.ramp.network,
      crypto_amount: crypto.toShown(),
      provider: payment.provider,
      expires_at: payment.expires_at,
      ...(next_action === undefined ? {} : { next_action }),
      ...addressOf(payment, next_action),
      payment_instructions: instructionsOf(payment),
      message: messageOf(payment)
    }
  }
}
