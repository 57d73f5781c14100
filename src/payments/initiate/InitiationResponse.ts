/** Answers to the initiation of payments and ramps. */
import type { InitiationResult } from "../../contract/api/PaymentsInitApi.ts"
import { isHeldForReview } from "../review/ReviewThreshold.ts"
import type { Payment } from "../store/Payment.ts"
import type { RampResult } from "../../contract/api/RampsApi.ts"
import { rampLegs, type RampPayment } from "../route/RampPayout.ts"

const messages: Readonly<Record<Payment["status"], string>> = {
  initiated: "The payment waits for a review.",
  reviewed: "The payment was reviewed.",
  confirmed: "The payment is confirmed and about to be sent.",
  processing: "The payment is being processed.",
  pending: "The payment waits for the customer.",
  completed: "The payment is complete.",
  failed: "The payment failed.",
  refunded: "The payment was refunded.",
  rejected: "The payment was rejected.",
  canceled: "The payment was canceled."
}

/** A provider has been asked, and a crash came before its answer could be written down. */
const isUnanswered = (payment: Payment): boolean => payment.status === "initiated" && !isHeldForReview(payment)

const messageOf = (status: Payment["status"], nextAction: Payment["next_action"]): string =>
  nextAction === "check_status"
    ? "The provider has not said yet what became of the payment; it is being looked up."
    : messages[status]

/** Whether the customer of an off-ramp still has to send crypto. The reviewer's answer shows the address. */
const sendsCrypto = ({ ramp, status }: Payment): boolean => status === "pending" && ramp?.collection === "crypto"

/** Instructions stand at the top level of the answer, beside the redirect. */
export const initiationResponse = (payment: Payment): typeof InitiationResult.Type => {
  const { action_data } = payment
  const next_action = isUnanswered(payment) ? "check_status" : payment.next_action
  const { redirect_url = null, ...instructions } = action_data
  return {
    statusCode: 200,
    response: {
      success: payment.status !== "failed" && payment.status !== "rejected",
      payment_id: payment.payment_id,
      transaction_id: payment.transaction_id,
      status: payment.status,
      ...(next_action === null ? {} : { next_action }),
      redirect_url,
      provider: payment.provider,
      message: messageOf(payment.status, next_action),
      payment_data: {
        amount: payment.amount.toShown(),
        currency: payment.amount.currency,
        target_amount: payment.target.toShown(),
        target_currency: payment.target.currency,
        metadata: payment.metadata
      },
      ...(next_action === "bank_transfer" || next_action === "pay_by_link" || sendsCrypto(payment) ? instructions : {})
    }
  }
}

type Response = (typeof RampResult.Type)["response"]

const nextActionOf = (payment: RampPayment): Response["next_action"] => {
  const { next_action, ramp, status } = payment
  if (isHeldForReview(payment)) return "wait"
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

/** Address for the customer, at the top level of the answer as for other payments. */
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

const rampMessages: Readonly<Record<string, string>> = {
  pending: "The ramp waits for the customer's money.",
  processing: "The customer's money has arrived and is being settled.",
  completed: "The ramp is complete.",
  failed: "The ramp failed.",
  rejected: "The ramp was rejected.",
  refunded: "What the ramp had settled came back.",
  canceled: "The ramp was canceled."
}

const rampMessageOf = (payment: RampPayment): string => {
  const { next_action, status } = payment
  if (isHeldForReview(payment)) return "The ramp waits for a review."
  return next_action === "check_status" || status === "initiated"
    ? "The provider has not said yet what became of the ramp; it is being looked up."
    : (rampMessages[status] ?? "The ramp was initiated.")
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
      message: rampMessageOf(payment)
    }
  }
}
