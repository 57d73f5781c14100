/** Where the customer goes once the outcome is final, with the outcome in the address. */
import type { Payment } from "../../payments/store/Payment.ts"
import { referenceOf } from "../../payments/store/PaymentSearch.ts"

type Returning = Pick<Payment, "client_reference" | "payment_id" | "return_url" | "status">

/** As whoever reads the query decodes it. */
const nameIn = (part: string): string => new URLSearchParams(`?${part}`).keys().next().value ?? ""

/**
 * A query and a fragment that are there already stay as they are, but for what has the names of ours: whoever reads the
 * first of several would take somebody else's word for the outcome.
 */
export const returnAddress = (payment: Returning): string | null => {
  if (payment.return_url === null) return null
  const outcome = new URLSearchParams({
    status: payment.status === "completed" ? "completed" : "failed",
    reference: referenceOf(payment)
  })
  const url = new URL(payment.return_url)
  const parts = url.search.slice(1).split("&")
  const kept = parts.filter((part) => !outcome.has(nameIn(part))).join("&")
  url.search = kept === "" ? `?${outcome}` : `?${kept}&${outcome}`
  return url.href
}
