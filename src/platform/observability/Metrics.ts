/**
 * Metrics with labels for paths that every payment takes: a series is looked up by the values of its labels, without a
 * text being made of them, and kept. Whoever uses them passes values from closed lists only, since each stays for good.
 */
import { Metric, MetricBoundaries, MetricKey, MetricLabel, Effect, type Scope } from "effect"

const noFurtherTags: ReadonlyArray<MetricLabel.MetricLabel> = []

type Values<Names extends ReadonlyArray<string>> = { readonly [K in keyof Names]: string }

interface Branch<Leaf> {
  readonly branches: Map<string, Branch<Leaf>>
  leaf?: Leaf
}

const keptBy = <Leaf>(names: ReadonlyArray<string>, make: (labels: ReadonlyArray<MetricLabel.MetricLabel>) => Leaf) => {
  const root: Branch<Leaf> = { branches: new Map() }
  return (values: ReadonlyArray<string>): Leaf => {
    let at = root
    for (const value of values) {
      let next = at.branches.get(value)
      if (next === undefined) at.branches.set(value, (next = { branches: new Map() }))
      at = next
    }
    return (at.leaf ??= make(names.map((name, nth) => MetricLabel.make(name, values[nth]!))))
  }
}

/** Adds to the series of these values; 0 makes it known, so that Prometheus sees its first rise. */
export const counter = <const Names extends ReadonlyArray<string>>(name: string, description: string, names: Names) => {
  const key = MetricKey.counter(name, { description, incremental: true })
  const series = keptBy(names, (labels) => Metric.fromMetricKey(MetricKey.taggedWithLabels(key, labels)))
  return (values: Values<Names>, amount = 1): void => series(values).unsafeUpdate(amount, noFurtherTags)
}

export const gauge = <const Names extends ReadonlyArray<string>>(name: string, description: string, names: Names) => {
  const key = MetricKey.gauge(name, { description })
  const series = keptBy(names, (labels) => Metric.fromMetricKey(MetricKey.taggedWithLabels(key, labels)))
  return (values: Values<Names>, value: number): void => series(values).unsafeUpdate(value, noFurtherTags)
}

/** For whole numbers that a float might not hold. */
export const exactGauge = <const Names extends ReadonlyArray<string>>(
  name: string,
  description: string,
  names: Names
) => {
  const key = MetricKey.gauge(name, { description, bigint: true })
  const series = keptBy(names, (labels) => Metric.fromMetricKey(MetricKey.taggedWithLabels(key, labels)))
  return (values: Values<Names>, value: bigint): void => series(values).unsafeUpdate(value, noFurtherTags)
}

export const histogram = <const Names extends ReadonlyArray<string>>(
  name: string,
  description: string,
  boundaries: ReadonlyArray<number>,
  names: Names
) => {
  const key = MetricKey.histogram(name, MetricBoundaries.fromIterable(boundaries), description)
  const series = keptBy(names, (labels) => Metric.fromMetricKey(MetricKey.taggedWithLabels(key, labels)))
  return (values: Values<Names>, value: number): void => series(values).unsafeUpdate(value, noFurtherTags)
}

/** Reads values at a scrape instead of at every change. */

/** One for the process, as the registry of metrics is. */
const readers = new Set<Effect.Effect<void>>()

/** For as long as the scope lives. */
export const beforeScrape = (read: Effect.Effect<void>): Effect.Effect<void, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => readers.add(read)),
    () => Effect.sync(() => readers.delete(read))
  )

export const readForScrape: Effect.Effect<void> = Effect.suspend(() =>
  Effect.forEach(readers, (read) => read, { discard: true })
)

/**
 * Counts and times the requests that the HTTP server answers, on Effect's own metric registry. Plain synchronous
 * functions, because they run for every request: a series is looked up by its labels once and then kept.
 */
const requests = MetricKey.counter("http_requests_total", {
  description: "Requests answered, by method, route and status.",
  incremental: true
})

const durations = MetricKey.histogram(
  "http_request_duration_seconds",
  MetricBoundaries.fromIterable([0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]),
  "Time from a request's arrival to its answer, by method and route."
)

const inFlight = Metric.gauge("http_requests_in_flight", {
  description: "Requests that have arrived and are not answered yet."
})

const knownMethods = new Set(["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"])

interface RouteSeries {
  readonly duration: Metric.Metric.Histogram<number>
  readonly labels: ReadonlyArray<MetricLabel.MetricLabel>
  readonly byStatus: Map<number, Metric.Metric.Counter<number>>
}

const routes = new Map<string, Map<string, RouteSeries>>()

const seriesOf = (method: string, route: string): RouteSeries => {
  let byMethod = routes.get(route)
  if (byMethod === undefined) routes.set(route, (byMethod = new Map()))
  // Unusual methods share one series, so callers cannot grow the registry.
  const label = knownMethods.has(method) ? method : "OTHER"
  let series = byMethod.get(label)
  if (series === undefined) {
    const labels = [MetricLabel.make("method", label), MetricLabel.make("route", route)]
    const duration = Metric.fromMetricKey(MetricKey.taggedWithLabels(durations, labels))
    byMethod.set(label, (series = { duration, labels, byStatus: new Map() }))
  }
  return series
}

const counterOf = (series: RouteSeries, status: number): Metric.Metric.Counter<number> => {
  let counter = series.byStatus.get(status)
  if (counter === undefined) {
    const labels = [...series.labels, MetricLabel.make("status", String(status))]
    counter = Metric.fromMetricKey(MetricKey.taggedWithLabels(requests, labels))
    series.byStatus.set(status, counter)
  }
  return counter
}

/** One answered request. `route` is the route's pattern, never the path itself: each distinct value is kept for good. */
export const recordRequest = (method: string, route: string, status: number, seconds: number): void => {
  const series = seriesOf(method, route)
  counterOf(series, status).unsafeUpdate(1, noFurtherTags)
  series.duration.unsafeUpdate(seconds, noFurtherTags)
}

/** A request has arrived; `requestEnded` follows once, whether it was answered or the caller went away. */
export const requestStarted = (): void => inFlight.unsafeModify(1, noFurtherTags)

export const requestEnded = (): void => inFlight.unsafeModify(-1, noFurtherTags)
