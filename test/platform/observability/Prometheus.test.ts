import { Duration, Effect, Metric, MetricBoundaries, MetricKey, MetricPair, MetricState } from "effect"
import * as fc from "fast-check"
import { describe, expect, it, vi } from "vitest"
import { renderPrometheus, watchProcess } from "../../../src/platform/observability/Prometheus.ts"

interface Sample {
  readonly name: string
  readonly labels: Record<string, string>
  readonly value: string
}

interface Page {
  readonly types: Map<string, string>
  readonly help: Map<string, string>
  readonly samples: ReadonlyArray<Sample>
}

const comment = /^# (?:HELP ([a-zA-Z_:][a-zA-Z0-9_:]*) ((?:[^\\]|\\\\|\\n)*)|TYPE ([a-zA-Z_:][a-zA-Z0-9_:]*) (\w+))$/
const sampleLine = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\+Inf|-Inf|NaN|-?\d+(?:\.\d+)?(?:e[+-]\d+)?)$/s
const label = /^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\\\|\\n|\\")*)"(?:,|$)/
const suffixes: Record<string, ReadonlyArray<string>> = {
  histogram: ["_bucket", "_sum", "_count"],
  summary: ["", "_sum", "_count"]
}

const parseLabels = (text: string): Record<string, string> => {
  const labels: Record<string, string> = {}
  for (let rest = text; rest !== "";) {
    const [whole, name, value] = label.exec(rest) ?? expect.unreachable(`labels: ${rest}`)
    if (name === undefined || value === undefined || Object.hasOwn(labels, name))
      expect.unreachable(`label twice: ${text}`)
    labels[name] = value.replace(/\\([\\n"])/g, (_, escaped) => (escaped === "n" ? "\n" : escaped))
    rest = rest.slice(whole.length)
  }
  return labels
}

/** Refuses what Prometheus refuses: samples outside their family, families or series twice, broken escapes. */
const parse = (text: string): Page => {
  const types = new Map<string, string>()
  const help = new Map<string, string>()
  const samples: Array<Sample> = []
  const seen = new Set<string>()
  let family = ""
  expect(text === "" || text.endsWith("\n")).toBe(true)
  for (const line of text.split("\n").slice(0, -1)) {
    const [isComment, helpName, helpText, typeName, type] = comment.exec(line) ?? []
    if (isComment !== undefined && helpName !== undefined) {
      expect(help.has(helpName), `HELP twice: ${helpName}`).toBe(false)
      expect(types.has(helpName), `HELP after TYPE: ${helpName}`).toBe(false)
      help.set(helpName, helpText ?? "")
    } else if (isComment !== undefined && typeName !== undefined && type !== undefined) {
      expect(types.has(typeName), `TYPE twice: ${typeName}`).toBe(false)
      expect(["counter", "gauge", "histogram", "summary"]).toContain(type)
      types.set(typeName, type)
      family = typeName
    } else {
      const [, name, labelText, value] = sampleLine.exec(line) ?? expect.unreachable(`not a sample: ${line}`)
      if (name === undefined || value === undefined) return expect.unreachable(line)
      const allowed = suffixes[types.get(family) ?? ""] ?? [""]
      expect(allowed.map((suffix) => family + suffix)).toContain(name)
      const labels = parseLabels(labelText ?? "")
      const identity = JSON.stringify([name, Object.entries(labels).sort()])
      expect(seen.has(identity), `series twice: ${line}`).toBe(false)
      seen.add(identity)
      samples.push({ name, labels, value })
    }
  }
  return { types, help, samples }
}

const counter = (name: string, tags: Record<string, string>, count: number, description?: string) => {
  const key = Object.entries(tags).reduce(
    (untagged, [tag, value]) => MetricKey.tagged(untagged, tag, value),
    MetricKey.counter(name, { description, incremental: true })
  )
  return MetricPair.unsafeMake(key, MetricState.counter(count))
}

describe("renderPrometheus", () => {
  it("writes HELP and TYPE once per family, however the series are ordered", () => {
    const page = parse(
      renderPrometheus([
        counter("payments_total", { provider: "fiat" }, 3, "Payments\nby \\ provider"),
        counter("other_total", {}, 1),
        counter("payments_total", { provider: "stripe" }, 4)
      ])
    )
    expect(page.types).toEqual(
      new Map([
        ["payments_total", "counter"],
        ["other_total", "counter"]
      ])
    )
    expect(page.help).toEqual(new Map([["payments_total", "Payments\\nby \\\\ provider"]]))
    expect(page.samples).toEqual([
      { name: "payments_total", labels: { provider: "fiat" }, value: "3" },
      { name: "payments_total", labels: { provider: "stripe" }, value: "4" },
      { name: "other_total", labels: {}, value: "1" }
    ])
  })

  it("brings hostile label values through unchanged", () => {
    const hostile = fc.oneof(
      fc.fullUnicodeString(),
      fc.stringOf(fc.constantFrom('"', "\\", "\n", "n", "}", "{", ",", "=", " "))
    )
    fc.assert(
      fc.property(hostile, hostile, (a, b) => {
        const { samples } = parse(renderPrometheus([counter("x", { a, b }, 1), counter("y", { a: b }, 2)]))
        expect(samples.map((sample) => sample.labels)).toEqual([{ a, b }, { a: b }])
      }),
      { numRuns: 200 }
    )
  })

  it("makes a valid page of any names, even when they collide once sanitised", () => {
    const name = fc.oneof(fc.string(), fc.constantFrom("a.b", "a_b", "a-b", "", "9a", "__name__", "le", "é"))
    const pair = fc
      .tuple(name, name, fc.string(), fc.boolean(), fc.string())
      .map(([metric, tag, value, isGauge, description]) =>
        isGauge
          ? MetricPair.unsafeMake(
              MetricKey.tagged(MetricKey.gauge(metric, { description }), tag, value),
              MetricState.gauge(1)
            )
          : counter(metric, { [tag]: value }, 1, description)
      )
    fc.assert(
      fc.property(fc.array(pair), (pairs) => {
        const { samples, types } = parse(renderPrometheus(pairs))
        expect(samples.length >= types.size && types.size >= Math.min(1, pairs.length)).toBe(true)
        expect(samples.some((sample) => "__name__" in sample.labels)).toBe(false)
      }),
      { numRuns: 200 }
    )
  })

  it("writes histograms with cumulative buckets, +Inf, sum and count", () => {
    const histogram = Metric.histogram("test_sizes", MetricBoundaries.fromIterable([1, 2, 5]), "Sizes").pipe(
      Metric.tagged("le", "mine")
    )
    for (const value of [0.5, 1, 1.5, 4, 100]) histogram.unsafeUpdate(value, [])
    const { samples, types } = parse(renderPrometheus(Metric.unsafeSnapshot()))
    expect(types.get("test_sizes")).toBe("histogram")
    const own = samples.filter(({ name }) => name.startsWith("test_sizes"))
    expect(own.every(({ labels }) => labels["exported_le"] === "mine")).toBe(true)
    expect(own.map(({ labels, name, value }) => [name, labels["le"], value])).toEqual([
      ["test_sizes_bucket", "1", "2"],
      ["test_sizes_bucket", "2", "3"],
      ["test_sizes_bucket", "5", "4"],
      ["test_sizes_bucket", "+Inf", "5"],
      ["test_sizes_sum", undefined, "107"],
      ["test_sizes_count", undefined, "5"]
    ])
  })

  it("writes summaries as quantiles and frequencies as counters", async () => {
    const summary = Metric.summary({
      name: "test_latency",
      maxAge: Duration.hours(1),
      maxSize: 100,
      error: 0,
      quantiles: [0.5, 1]
    })
    const frequency = Metric.frequency("test_reasons")
    await Effect.runPromise(
      Effect.all([summary(Effect.succeed(2)), summary(Effect.succeed(8)), frequency(Effect.succeed('said "no"'))])
    )
    const { samples, types } = parse(renderPrometheus(Metric.unsafeSnapshot()))
    expect([types.get("test_latency"), types.get("test_reasons")]).toEqual(["summary", "counter"])
    const own = samples.filter(({ name }) => name.startsWith("test_latency"))
    expect(own.map(({ labels, name, value }) => [name, labels["quantile"], value])).toEqual([
      ["test_latency", "0.5", "2"],
      ["test_latency", "1", "8"],
      ["test_latency_sum", undefined, "10"],
      ["test_latency_count", undefined, "2"]
    ])
    expect(samples).toContainEqual({ name: "test_reasons", labels: { value: 'said "no"' }, value: "1" })
  })

  it("writes a counter that may go down as a gauge, and values that are not plain numbers", () => {
    const active = MetricPair.unsafeMake(MetricKey.counter("active"), MetricState.counter(-1))
    const big = MetricPair.unsafeMake(MetricKey.gauge("big", { bigint: true }), MetricState.gauge(2n ** 70n))
    const odd = [Infinity, -Infinity, NaN, 1e21].map((value, index) =>
      MetricPair.unsafeMake(MetricKey.gauge(`odd${index}`), MetricState.gauge(value))
    )
    const { samples, types } = parse(renderPrometheus([active, big, ...odd]))
    expect(types.get("active")).toBe("gauge")
    expect(samples.map(({ value }) => value)).toEqual(["-1", String(2n ** 70n), "+Inf", "-Inf", "NaN", "1e+21"])
  })
})

describe("watchProcess", () => {
  const read = (name: string) => {
    const sample = parse(renderPrometheus(Metric.unsafeSnapshot())).samples.find((each) => each.name === name)
    return Number(sample?.value)
  }

  it("shows memory, CPU time that only grows, and the lag of a blocked event loop", async () => {
    const update = watchProcess()
    update()
    const before = read("process_cpu_seconds_total")
    expect(before).toBeGreaterThan(0)
    expect(read("process_resident_memory_bytes")).toBeGreaterThan(10_000_000)
    await vi.waitFor(async () => {
      for (const until = performance.now() + 200; performance.now() < until;);
      // The monitor sees the delay when its own timer fires, which is due before this one.
      await new Promise((resolve) => setTimeout(resolve, 20))
      update()
      expect(read("nodejs_eventloop_lag_seconds")).toBeGreaterThan(0.1)
    }, 10_000)
    expect(read("nodejs_eventloop_lag_seconds")).toBeLessThan(5)
    expect(read("process_cpu_seconds_total")).toBeGreaterThan(before + 0.05)
  })
})
