/** Counts payments as they come into a status, and why those failed that did: once each, when it is written. */
import { counter, histogram } from "../../platform/observability/Metrics.ts"
import type { Change, NewPayment } from "./Change.ts"
import { type ProviderName, providerNames } from "../../domain/Corridor.ts"
import type { FailureCode } from "../../domain/PaymentStatus.ts"
import type { Outcome } from "../../domain/Outcome.ts"

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

const NONE = "none"

export const countNewPayment = ({ attempt, payment }: NewPayment): void =>
  payments([payment.status, attempt?.provider ?? NONE, payment.payment_method, payment.direction])

export const countChange = ({ patch, payment, status }: Change): void => {
  if (status === payment.status) return
  const failure = patch.failure ?? null
  const provider = patch.provider ?? payment.provider ?? failure?.provider ?? NONE
  payments([status, provider, payment.payment_method, payment.direction])
  if (failure !== null) failures([provider, failure.code])
}

/** Counts and times what providers, the built-in rails among them, make of the payments that they are offered. */
const attempts = counter(
  "corridor_attempts_total",
  "Attempts at providers, by provider and outcome: accepted, declined, unknown, or unsent.",
  ["provider", "outcome"]
)

const declines = counter(
  "corridor_declines_total",
  "Attempts that a provider declined at once, by provider and reason.",
  ["provider", "reason"]
)

/** Ours to mend, and an alert waits for the first of them: an increase is one over what was there before. */
const OURS = ["CREDENTIALS_REFUSED", "PROVIDER_BALANCE_LOW"] as const satisfies ReadonlyArray<FailureCode>

for (const provider of providerNames) for (const reason of OURS) declines([provider, reason], 0)

const seconds = histogram(
  "corridor_attempt_seconds",
  "Time from offering a payment to a provider until its verdict is known, or given up, by provider.",
  [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30],
  ["provider"]
)

export const countAttempt = (provider: ProviderName, outcome: Outcome, took: number): void => {
  if (outcome._tag === "Declined" && outcome.unsent !== undefined) return attempts([provider, "unsent"])
  seconds([provider], took)
  if (outcome._tag === "Accepted") return attempts([provider, "accepted"])
  if (outcome._tag === "Unknown") return attempts([provider, "unknown"])
  attempts([provider, "declined"])
  declines([provider, outcome.code ?? "PROVIDER_DECLINED"])
}
