/** Reports of a provider that cannot be so: they move nothing, and a person must find out what is. */
import type { ProviderSignal } from "../../domain/Settlement.ts"
import type { Known } from "../store/PaymentStore.ts"
import type { Source } from "./Ruling.ts"

/** It did not happen, by the provider's own report. */
const saysFailed = (signal: ProviderSignal): boolean =>
  signal._tag === "Declined" || (signal._tag === "Report" && signal.state === "failed")

/** What has moved cannot fail: one of both reports is wrong. */
export const doubtOf = (
  { attempt: { outcome, provider } }: Known,
  signal: ProviderSignal,
  { operator }: Source,
  { moved }: { readonly moved: boolean }
): string | undefined =>
  outcome !== "declined" && moved && operator === undefined && saysFailed(signal)
    ? `${provider} says that it failed, after it had been completed: an operator must find out whether the money is there.`
    : undefined
