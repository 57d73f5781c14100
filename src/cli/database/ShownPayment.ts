/** A payment as it is stored, for whoever shows it. */
import type { Payment } from "../../payments/store/Payment.ts"

export const shown = (payment: Payment) => ({
  ...payment,
  money: payment.amount.toString(),
  refunded: payment.refunded.toString()
})
