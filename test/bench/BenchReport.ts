/** Result of a run, as JSON and as a table. */
import { cpus, totalmem } from "node:os"
import type { Durability } from "./BenchCluster.ts"
import type { Endpoint } from "./load/RequestLoad.ts"
import { atFixedPace, type Comparison, type Metric, metrics } from "./Medians.ts"
import type { Options } from "./Options.ts"
import { lonePace, type Measurement, type pacedEndpoints } from "./Rounds.ts"
import type { Counts } from "./BenchVerification.ts"

type PacedEndpoint = (typeof pacedEndpoints)[number]

export const machineOf = (postgres: Durability, loadAverage: number) => ({
  cpu: cpus()[0]?.model ?? "unknown",
  cores: cpus().length,
  memoryGiB: Math.round(totalmem() / 2 ** 30),
  node: process.version,
  postgres,
  loadAverageAtStart: loadAverage
})

export interface Result {
  readonly command: string
  readonly at: string
  readonly options: Options
  readonly machine: ReturnType<typeof machineOf>
  readonly comparison: Readonly<Record<Endpoint, Comparison>>
  /** Both servers at the same rate, half of the slower one's peak. */
  readonly atHalfOfPeak: Readonly<Record<PacedEndpoint, Comparison & { readonly askedPerSecond: number }>>
  /** Peak resident memory of any process. */
  readonly peakMebibytes: Readonly<Record<string, number>>
  readonly rowsVerified: Readonly<Record<string, Counts>>
  readonly errors: 0
  readonly measurements: ReadonlyArray<Measurement>
}

const shownAs: Readonly<Record<Metric, readonly [label: string, digits: number]>> = {
  requestsPerSecond: ["requests/s", 0],
  settledPerSecond: ["completed/s", 0],
  p50Millis: ["p50 ms", 1],
  p99Millis: ["p99 ms", 1],
  cpuMicrosPerRequest: ["CPU µs/request", 0],
  allCpuMicrosPerRequest: ["  with PostgreSQL's", 0],
  backendCpuMicrosPerRequest: ["  of its connections", 0]
}

const titles: Readonly<Record<Endpoint, string>> = {
  initiate: "Initiate a payment",
  record: "Read its record",
  list: "List 20 transactions",
  rate: "Look up a rate"
}

const line = (cells: ReadonlyArray<string>) =>
  cells.map((cell, index) => (index === 0 ? cell.padEnd(32) : cell.padStart(10))).join("")

const section = (
  title: string,
  { corridor, fastify, ratio }: Comparison,
  shown: ReadonlyArray<Metric>
): ReadonlyArray<string> => [
  line([title, "Corridor", "Fastify", "ratio"]),
  ...shown.map((name) => {
    const [label, digits] = shownAs[name]
    const values = [corridor[name].toFixed(digits), fastify[name].toFixed(digits), ratio[name].toFixed(2)]
    return line([`  ${label}`, ...values])
  }),
  ""
]

const sectionsOf = ({ atHalfOfPeak, comparison }: Result): ReadonlyArray<string> => {
  const peaks = Object.entries(comparison).flatMap(([endpoint, found]) => {
    const shown = metrics.filter(
      (name) => name !== "backendCpuMicrosPerRequest" && (endpoint === "initiate" || name !== "settledPerSecond")
    )
    return section(titles[endpoint as Endpoint], found, shown)
  })
  const halves = Object.entries(atHalfOfPeak).flatMap(([endpoint, found]) => {
    const title = `${titles[endpoint as Endpoint]}, ${found.askedPerSecond}/s`
    return section(title, found, ["p50Millis", "p99Millis"])
  })
  return [...peaks, ...halves]
}

/** Initiations one by one. CPU includes what a server does while it waits. */
export const loneTableOf = (
  measurements: ReadonlyArray<Measurement>,
  { rounds }: Pick<Options, "rounds">,
  { cores, cpu, loadAverageAtStart, node, postgres }: ReturnType<typeof machineOf>
): string =>
  [
    ...section(`Initiate a payment, ${lonePace}/s`, atFixedPace(measurements, "initiate"), [
      "cpuMicrosPerRequest",
      "backendCpuMicrosPerRequest",
      "p50Millis",
      "p99Millis"
    ]),
    "CPU of the server's process and of its connections in PostgreSQL, with the completion a second later and with all that",
    `the server does meanwhile. Medians of ${rounds} alternating rounds.`,
    `${cores} × ${cpu}, Node ${node}, PostgreSQL ${postgres.version} (fsync ${postgres.fsync}), load average ${loadAverageAtStart.toFixed(1)} at the start.`
  ].join("\n")

export const tableOf = (result: Result): string => {
  const { command, machine, options, peakMebibytes, rowsVerified } = result
  const { cores, cpu, loadAverageAtStart, memoryGiB, node, postgres } = machine
  const payments = Object.entries(rowsVerified).map(([name, counts]) => `${name} ${counts.payments}`)
  const locks = Object.entries(rowsVerified).map(([name, counts]) => `${name} ${counts.rate_locks}`)
  return [
    ...sectionsOf(result),
    "The same durable work on both sides, on one PostgreSQL: key look-up, routing, a commit before and a commit after the",
    "provider's answer, the rows of the built-in rail that stands for the provider, and a second later the completion by a",
    "worker. completed/s counts until every payment is completed; CPU includes the completion. A rate that is looked up is",
    "locked, by a row. Ratio: Corridor ÷ Fastify. With a number of requests a second, both were asked for as many, half of",
    "what the slower one can do, each at its time, and a latency counts from then, whether a connection was free or not.",
    `Medians of ${options.rounds} alternating rounds, ${options.connections} keep-alive connections, ${options.pool} database connections each; no errors.`,
    `Resident memory at most, of any process: ${Object.entries(peakMebibytes)
      .map(([name, peak]) => `${name} ${peak.toFixed(0)} MiB`)
      .join(", ")}. Processes of Corridor: ${options.processes}.`,
    `Rows verified: ${payments.join(", ")} payments, each completed with 1 attempt, 3 history rows, 4 events, 1 callback, 2 postings;`,
    `${locks.join(", ")} locked rates.`,
    `${cores} × ${cpu}, ${memoryGiB} GiB, Node ${node}, PostgreSQL ${postgres.version} (fsync ${postgres.fsync}), load average ${loadAverageAtStart.toFixed(1)} at the start.`,
    `${command}`
  ].join("\n")
}
