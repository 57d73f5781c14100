/** Where the customer goes once the outcome is final, with the outcome in the address. */
import type { Payment } from "../payments/Payment.ts"

const PREFIX_LENGTH = 8

/** What the organisation and its customer know the payment by. */
export const referenceOf = ({
  client_reference,
  payment_id
}: Pick<Payment, "client_reference" | "payment_id">): string => client_reference ?? payment_id.slice(0, PREFIX_LENGTH)

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
