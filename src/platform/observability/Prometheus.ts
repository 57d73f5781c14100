/**
 * Effect's metric registry in the Prometheus text format (0.0.4), and the figures of the process itself, which are
 * read just before a scrape.
 */
import { monitorEventLoopDelay } from "node:perf_hooks"
import { Metric, MetricKeyType, MetricState, Option, type MetricLabel, type MetricPair } from "effect"

export const prometheusContentType = "text/plain; version=0.0.4; charset=utf-8"

type Type = "counter" | "gauge" | "histogram" | "summary"
type Labels = ReadonlyArray<readonly [name: string, value: string]>
type Sample = readonly [suffix: string, labels: Labels, value: number | bigint]

interface Family {
  readonly type: Type
  help: Option.Option<string>
  /** Keyed by labels: two series that differ only in characters we replace would make the whole page invalid. */
  readonly series: Map<string, string>
}

const metricName = (name: string): string => name.replace(/[^a-zA-Z0-9_]/g, "_").replace(/^(?=\d|$)/, "_")

const labelName = (name: string, taken: string): string => {
  // Names that start with two underscores belong to Prometheus.
  const safe = metricName(name).replace(/^__+/, "_")
  return safe === taken ? `exported_${safe}` : safe
}

const escapeHelp = (text: string): string => text.replace(/\\/g, "\\\\").replace(/\n/g, "\\n")
const escapeLabel = (text: string): string => escapeHelp(text).replace(/"/g, '\\"')

const number = (value: number | bigint): string =>
  value === Infinity ? "+Inf" : value === -Infinity ? "-Inf" : String(value)

const labelsOf = (tags: ReadonlyArray<MetricLabel.MetricLabel>, taken: string): Labels => [
  ...new Map(tags.map((tag) => [labelName(tag.key, taken), tag.value]))
]

const block = (labels: Labels): string =>
  labels.length === 0 ? "" : `{${labels.map(([name, value]) => `${name}="${escapeLabel(value)}"`).join(",")}}`

/** Names and help texts of Effect's own metrics, which have no suffixes and no help. */
const effectMetrics = new Map<string, readonly [name: string, help: string]>([
  ["effect_fiber_started", ["effect_fiber_started_total", "Fibers started."]],
  ["effect_fiber_successes", ["effect_fiber_successes_total", "Fibers that ended with a success."]],
  ["effect_fiber_failures", ["effect_fiber_failures_total", "Fibers that ended with a failure."]],
  ["effect_fiber_active", ["effect_fiber_active", "Fibers that have started and not ended."]],
  ["effect_fiber_lifetimes", ["effect_fiber_lifetime_seconds", "Time from the start of a fiber to its end."]]
])

/** Effect measures the lifetimes of fibers in milliseconds, and says so by a label. */
const inSeconds = (name: string, tags: ReadonlyArray<MetricLabel.MetricLabel>) =>
  name === "effect_fiber_lifetimes"
    ? { divisor: 1000, own: tags.filter(({ key }) => key !== "time_unit") }
    : { divisor: 1, own: tags }

const samplesOf = ({
  metricKey,
  metricState
}: MetricPair.MetricPair.Untyped): readonly [Type, Labels, Array<Sample>] => {
  if (MetricState.isHistogramState(metricState)) {
    const { divisor, own } = inSeconds(metricKey.name, metricKey.tags)
    const finite = metricState.buckets.filter(([boundary]) => boundary !== Infinity)
    const buckets = [...finite, [Infinity, metricState.count] as const]
    return [
      "histogram",
      labelsOf(own, "le"),
      [
        ...buckets.map(([boundary, count]): Sample => ["_bucket", [["le", number(boundary / divisor)]], count]),
        ["_sum", [], metricState.sum / divisor],
        ["_count", [], metricState.count]
      ]
    ]
  }
  if (MetricState.isSummaryState(metricState)) {
    const quantiles = metricState.quantiles.map(([quantile, value]): Sample => [
      "",
      [["quantile", number(quantile)]],
      Option.getOrElse(value, () => NaN)
    ])
    return [
      "summary",
      labelsOf(metricKey.tags, "quantile"),
      [...quantiles, ["_sum", [], metricState.sum], ["_count", [], metricState.count]]
    ]
  }
  if (MetricState.isFrequencyState(metricState)) {
    const counts = [...metricState.occurrences].map(([value, count]): Sample => ["", [["value", value]], count])
    return ["counter", labelsOf(metricKey.tags, "value"), counts]
  }
  const labels = labelsOf(metricKey.tags, "")
  if (MetricState.isCounterState(metricState)) {
    // Effect's plain counters may go down (its count of running fibers does), which a Prometheus counter may not.
    const grows = MetricKeyType.isCounterKey(metricKey.keyType) && metricKey.keyType.incremental
    return [grows || metricKey.name.endsWith("_total") ? "counter" : "gauge", labels, [["", [], metricState.count]]]
  }
  return ["gauge", labels, MetricState.isGaugeState(metricState) ? [["", [], metricState.value]] : []]
}

export const renderPrometheus = (snapshot: ReadonlyArray<MetricPair.MetricPair.Untyped>): string => {
  const families = new Map<string, Family>()
  for (const pair of snapshot) {
    const [type, labels, samples] = samplesOf(pair)
    const [plain, help] = effectMetrics.get(pair.metricKey.name) ?? [pair.metricKey.name, undefined]
    let name = metricName(plain)
    while ((families.get(name)?.type ?? type) !== type) name = `${name}_${type}`
    let family = families.get(name)
    if (family === undefined) families.set(name, (family = { type, help: Option.none(), series: new Map() }))
    family.help = Option.orElse(family.help, () =>
      Option.orElse(Option.fromNullable(help), () => pair.metricKey.description)
    )
    const lines = samples.map(
      ([suffix, own, value]) => `${name}${suffix}${block([...labels, ...own])} ${number(value)}\n`
    )
    const identity = JSON.stringify([...labels].sort(([a], [b]) => (a < b ? -1 : 1)))
    if (!family.series.has(identity)) family.series.set(identity, lines.join(""))
  }
  return [...families]
    .map(([name, { help, series, type }]) => {
      const helpLine = Option.match(help, {
        onNone: () => "",
        onSome: (text) => `# HELP ${name} ${escapeHelp(text)}\n`
      })
      return `${helpLine}# TYPE ${name} ${type}\n${[...series.values()].join("")}`
    })
    .join("")
}

const residentMemory = Metric.gauge("process_resident_memory_bytes", { description: "Resident memory size in bytes." })

const eventLoopLag = Metric.gauge("nodejs_eventloop_lag_seconds", {
  description: "How late timers ran since the previous scrape: the 99th percentile."
})

const cpuSeconds = Metric.counter("process_cpu_seconds_total", {
  description: "User and system CPU time spent, in seconds.",
  incremental: true
})

const lagResolution = 10

/** Starts watching the event loop (without keeping the process alive); the result is called before each scrape. */
export const watchProcess = (): (() => void) => {
  const delays = monitorEventLoopDelay({ resolution: lagResolution })
  delays.enable()
  return () => {
    // The monitor measures from one of its own timers to the next, so that an idle loop shows the resolution itself.
    eventLoopLag.unsafeUpdate(Math.max(0, delays.percentile(99) / 1e9 - lagResolution / 1e3), [])
    delays.reset()
    residentMemory.unsafeUpdate(process.memoryUsage.rss(), [])
    const { system, user } = process.cpuUsage()
    cpuSeconds.unsafeUpdate((system + user) / 1e6 - cpuSeconds.unsafeValue([]).count, [])
  }
}
