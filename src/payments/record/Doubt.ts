/** Words of a provider that cannot be so: they move nothing, and a person must find out what is. */
import type { ProviderSignal } from "../../domain/Settlement.ts"
import type { Known } from "../store/PaymentStore.ts"
import type { Source } from "./Ruling.ts"

/** It did not happen, by the provider's own word. */
const saysFailed = (signal: ProviderSignal): boolean =>
  signal._tag === "Declined" || (signal._tag === "Report" && signal.state === "failed")

/** …or never was to. */
export const saysNothingMoved = (signal: ProviderSignal): boolean =>
  saysFailed(signal) || signal._tag === "Absent" || (signal._tag === "Report" && signal.state === "returned")

/** That it was completed with nothing, or with less: it moved no money, and nobody knows what did. */
const isWorthless = (signal: ProviderSignal): boolean =>
  (signal._tag === "Accepted" || signal._tag === "Report") &&
  signal.state === "completed" &&
  signal.received !== undefined &&
  !signal.received.isPositive

/** What the provider has said of the attempt's money so far. */
interface SaidBefore {
  readonly moved: boolean
  readonly awaited: boolean
}

/** What has moved cannot fail, and what is awaited does not come as nothing: either word may be wrong. */
export const doubtOf = (
  { attempt: { outcome, provider } }: Known,
  signal: ProviderSignal,
  { operator }: Source,
  { awaited, moved }: SaidBefore
): string | undefined => {
  if (outcome === "declined") return undefined
  if (moved && operator === undefined && saysFailed(signal)) {
    return `${provider} says that it failed, after it had been completed: an operator must find out whether the money is there.`
  }
  return awaited && isWorthless(signal)
    ? `${provider} says that it was completed, and that nothing arrived: an operator must find out what did.`
    : undefined
}
