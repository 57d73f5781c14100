/** A payment as the answer to whoever initiated it. */
import type { InitiationResult } from "../../contract/api/PaymentsInit.ts"
import { isHeld } from "../review/ReviewThreshold.ts"
import type { Payment } from "../store/Payment.ts"

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
const isUnanswered = (payment: Payment): boolean => payment.status === "initiated" && !isHeld(payment)

const messageOf = (status: Payment["status"], nextAction: Payment["next_action"]): string =>
  nextAction === "check_status"
    ? "The provider has not said yet what became of the payment; it is being looked up."
    : messages[status]

/** The customer of an off-ramp: where to send it stands in the answer to whoever let it go. */
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
