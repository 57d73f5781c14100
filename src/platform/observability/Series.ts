/**
 * Metrics with labels for paths that every payment takes: a series is looked up by the values of its labels, without a
 * text being made of them, and kept. Whoever uses them passes values from closed lists only, since each stays for good.
 */
import { Metric, MetricBoundaries, MetricKey, MetricLabel } from "effect"

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
