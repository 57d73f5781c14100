/**
 * Metrics with labels, for paths that every payment takes. Series are looked up by label values, without building a
 * text, and kept for good. So values come from closed lists only.
 */
import { Metric, MetricBoundaries, MetricKey, type MetricKeyType, MetricLabel, Effect, type Scope } from "effect"

const noFurtherTags: ReadonlyArray<MetricLabel.MetricLabel> = []

type Values<Names extends ReadonlyArray<string>> = { readonly [K in keyof Names]: string }

interface Branch<Leaf> {
  readonly branches: Map<string, Branch<Leaf>>
  leaf?: Leaf
}

const labelled = <const Names extends ReadonlyArray<string>, In, Out>(
  key: MetricKey.MetricKey<MetricKeyType.MetricKeyType<In, Out>>,
  names: Names
) => {
  const make = (values: ReadonlyArray<string>) => {
    const labels = names.map((name, nth) => MetricLabel.make(name, values[nth]!))
    return Metric.fromMetricKey(MetricKey.taggedWithLabels(key, labels))
  }
  const root: Branch<ReturnType<typeof make>> = { branches: new Map() }
  return (values: Values<Names>, value: In): void => {
    let at = root
    for (const label of values) {
      let next = at.branches.get(label)
      if (next === undefined) at.branches.set(label, (next = { branches: new Map() }))
      at = next
    }
    at.leaf ??= make(values)
    at.leaf.unsafeUpdate(value, noFurtherTags)
  }
}

/** Adds to the series of these values; 0 makes it known, so that Prometheus sees its first rise. */
export const counter = <const Names extends ReadonlyArray<string>>(name: string, description: string, names: Names) => {
  const add = labelled(MetricKey.counter(name, { description, incremental: true }), names)
  return (values: Values<Names>, amount = 1): void => add(values, amount)
}

export const gauge = <const Names extends ReadonlyArray<string>>(name: string, description: string, names: Names) =>
  labelled(MetricKey.gauge(name, { description }), names)

/** For whole numbers that a float might not hold. */
export const exactGauge = <const Names extends ReadonlyArray<string>>(
  name: string,
  description: string,
  names: Names
) => labelled(MetricKey.gauge(name, { description, bigint: true }), names)

export const histogram = <const Names extends ReadonlyArray<string>>(
  name: string,
  description: string,
  boundaries: ReadonlyArray<number>,
  names: Names
) => labelled(MetricKey.histogram(name, MetricBoundaries.fromIterable(boundaries), description), names)

/** Readers of the process, like the registry of metrics. */
const readers = new Set<Effect.Effect<void>>()

/** Reads values at each scrape instead of at every change, for as long as the scope lives. */
export const beforeScrape = (read: Effect.Effect<void>): Effect.Effect<void, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => readers.add(read)),
    () => Effect.sync(() => readers.delete(read))
  )

export const readForScrape: Effect.Effect<void> = Effect.suspend(() =>
  Effect.forEach(readers, (read) => read, { discard: true })
)

const requests = counter("http_requests_total", "Requests answered, by method, route and status.", [
  "method",
  "route",
  "status"
])

const durations = histogram(
  "http_request_duration_seconds",
  "Time from a request's arrival to its answer, by method and route.",
  [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  ["method", "route"]
)

const inFlight = Metric.gauge("http_requests_in_flight", {
  description: "Requests that have arrived and are not answered yet."
})

const knownMethods = new Set(["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"])

/**
 * Records an answered request. `route` is the route's pattern, never the path itself: each distinct value is kept for
 * good.
 */
export const recordRequest = (method: string, route: string, status: number, seconds: number): void => {
  // Unusual methods share one series, so callers cannot grow the registry.
  const label = knownMethods.has(method) ? method : "OTHER"
  requests([label, route, String(status)])
  durations([label, route], seconds)
}

/** A request has arrived; `requestEnded` follows once, whether it was answered or the caller went away. */
export const requestStarted = (): void => inFlight.unsafeModify(1, noFurtherTags)

export const requestEnded = (): void => inFlight.unsafeModify(-1, noFurtherTags)
