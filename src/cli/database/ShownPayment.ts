/** A payment as it is stored, for whoever shows it. */
import { refundedAmount } from "../../payments/record/PaymentEvents.ts"
import type { Payment } from "../../payments/store/Payment.ts"

export const shown = (payment: Payment) => ({
  ...payment,
  money: payment.amount.toString(),
  refunded: refundedAmount(payment).toString()
})
