/** Where the customer goes once the outcome is final, with the outcome in the address. */
import type { Payment } from "../../payments/store/Payment.ts"
import { referenceOf } from "../../payments/store/PaymentReference.ts"

type Returning = Pick<Payment, "client_reference" | "payment_id" | "return_url" | "status">

/** A query and a fragment that are there already stay as they are. */
export const returnAddress = (payment: Returning): string | null => {
  if (payment.return_url === null) return null
  const outcome = new URLSearchParams({
    status: payment.status === "completed" ? "completed" : "failed",
    reference: referenceOf(payment)
  })
  const url = new URL(payment.return_url)
  url.search = url.search === "" ? `?${outcome}` : `${url.search}&${outcome}`
  return url.href
}
