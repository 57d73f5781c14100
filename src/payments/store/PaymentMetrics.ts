/** Counts payments as they come into a status, and why those failed that did: once each, when it is written. */
import { counter } from "../../platform/observability/Series.ts"
import type { Change, NewPayment } from "./Change.ts"

const payments = counter(
  "corridor_payments_total",
  "Payments that came into a status, by status, provider (the one that was asked last, or none), method and direction.",
  ["status", "provider", "method", "direction"]
)

const failures = counter(
  "corridor_payment_failures_total",
  "Payments that failed or were rejected, by provider and reason.",
  ["provider", "reason"]
)

const NOBODY = "none"

export const countNewPayment = ({ attempt, payment }: NewPayment): void =>
  payments([payment.status, attempt?.provider ?? NOBODY, payment.payment_method, payment.direction])

export const countChange = ({ patch, payment, status }: Change): void => {
  if (status === payment.status) return
  const failure = patch.failure ?? null
  const provider = patch.provider ?? payment.provider ?? failure?.provider ?? NOBODY
  payments([status, provider, payment.payment_method, payment.direction])
  if (failure !== null) failures([provider, failure.code])
}
