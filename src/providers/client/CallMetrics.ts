/** Counts and times the calls to third parties. */
import { Metric, MetricBoundaries } from "effect"
import type { ProviderName } from "../../domain/Corridor.ts"

/** The class of the status where there is one. */
export type CallOutcome = `${number}xx` | "never_sent" | "maybe_sent" | "interrupted"

const calls = Metric.counter("corridor_provider_calls_total", {
  description: "Calls to third-party providers, by provider, operation and what they came to.",
  incremental: true
})

const seconds = Metric.histogram(
  "corridor_provider_call_seconds",
  MetricBoundaries.fromIterable([0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30]),
  "Time from a call to a third-party provider to its answer, by provider and operation."
)

/** Each distinct word is kept for good: an adapter that makes up ever new ones shares a series from here on. */
const MOST_OPERATIONS = 40

const operations = new Map<ProviderName, Set<string>>()

const boundedName = (provider: ProviderName, operation: string): string => {
  let known = operations.get(provider)
  if (known === undefined) operations.set(provider, (known = new Set()))
  if (known.has(operation)) return operation
  if (known.size >= MOST_OPERATIONS) return "other"
  known.add(operation)
  return operation
}

export const recordCall = (provider: ProviderName, operation: string, outcome: CallOutcome, took: number): void => {
  const name = boundedName(provider, operation)
  const tagged = <Type, In, Out>(metric: Metric.Metric<Type, In, Out>) =>
    metric.pipe(Metric.tagged("provider", provider), Metric.tagged("operation", name))
  tagged(calls).pipe(Metric.tagged("outcome", outcome)).unsafeUpdate(1, [])
  tagged(seconds).unsafeUpdate(took, [])
}
