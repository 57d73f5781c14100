/** The medians of all rounds, and Corridor's in proportion to the hand-written server's. */
import { cpus, totalmem } from "node:os"
import type { Durability } from "./Cluster.ts"
import type { Endpoint } from "./load/Job.ts"
import type { Options } from "./Options.ts"
import type { Measurement } from "./Rounds.ts"
import type { Counts } from "./Verification.ts"

const metrics = {
  requestsPerSecond: "requests/s",
  settledPerSecond: "completed/s",
  p50Millis: "p50 ms",
  p99Millis: "p99 ms",
  cpuMicrosPerRequest: "CPU µs/request",
  allCpuMicrosPerRequest: "  with PostgreSQL's"
} as const

type Metric = keyof typeof metrics
type Medians = Readonly<Record<Metric, number>>

export const median = (values: ReadonlyArray<number>): number => {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length / 2
  return sorted.length % 2 === 1 ? sorted[Math.floor(middle)]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

const names = Object.keys(metrics) as ReadonlyArray<Metric>

const mediansOf = (measurements: ReadonlyArray<Measurement>, server: string, endpoint: Endpoint): Medians => {
  const rounds = measurements.filter((one) => one.server === server && one.endpoint === endpoint)
  return Object.fromEntries(names.map((name) => [name, median(rounds.map((round) => round[name]))])) as Medians
}

export const comparison = (measurements: ReadonlyArray<Measurement>, endpoint: Endpoint) => {
  const corridor = mediansOf(measurements, "corridor", endpoint)
  const fastify = mediansOf(measurements, "fastify", endpoint)
  const ratio = Object.fromEntries(names.map((name) => [name, corridor[name] / fastify[name]])) as Medians
  return { corridor, fastify, ratio }
}

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
  readonly comparison: Readonly<Record<Endpoint, ReturnType<typeof comparison>>>
  /** The most memory that any process of a server has had resident. */
  readonly peakMebibytes: Readonly<Record<string, number>>
  readonly rowsVerified: Readonly<Record<string, Counts>>
  readonly errors: 0
  readonly measurements: ReadonlyArray<Measurement>
}

const digitsOf: Readonly<Record<Metric, number>> = {
  requestsPerSecond: 0,
  settledPerSecond: 0,
  p50Millis: 1,
  p99Millis: 1,
  cpuMicrosPerRequest: 0,
  allCpuMicrosPerRequest: 0
}

const line = (cells: ReadonlyArray<string>) =>
  cells.map((cell, index) => (index === 0 ? cell.padEnd(24) : cell.padStart(10))).join("")

const section = (title: string, endpoint: Endpoint, { comparison }: Result): ReadonlyArray<string> => {
  const { corridor, fastify, ratio } = comparison[endpoint]
  const shown = names.filter((name) => endpoint === "initiate" || name !== "settledPerSecond")
  return [
    line([title, "Corridor", "Fastify", "ratio"]),
    ...shown.map((name) => {
      const digits = digitsOf[name]
      return line([
        `  ${metrics[name]}`,
        corridor[name].toFixed(digits),
        fastify[name].toFixed(digits),
        ratio[name].toFixed(2)
      ])
    })
  ]
}

export const tableOf = (result: Result): string => {
  const { command, machine, options, peakMebibytes, rowsVerified } = result
  const { cores, cpu, loadAverageAtStart, memoryGiB, node, postgres } = machine
  const payments = Object.entries(rowsVerified).map(([name, counts]) => `${name} ${counts.payments}`)
  return [
    ...section("Initiate a payment", "initiate", result),
    "",
    ...section("Read its record", "record", result),
    "",
    "The same durable work on both sides, on one PostgreSQL: key look-up, routing, a commit before and a commit after the",
    "provider's answer, the rows of the built-in rail that stands for the provider, and a second later the completion by a",
    "worker. completed/s counts until every payment is completed; CPU includes the completion. Ratio: Corridor ÷ Fastify.",
    `Medians of ${options.rounds} alternating rounds, ${options.connections} keep-alive connections, ${options.pool} database connections each; no errors.`,
    `Resident memory at most, of any process: ${Object.entries(peakMebibytes)
      .map(([name, peak]) => `${name} ${peak.toFixed(0)} MiB`)
      .join(", ")}. Processes of Corridor: ${options.processes}.`,
    `Rows verified: ${payments.join(", ")} payments, each completed with 1 attempt, 3 history rows, 4 events, 1 callback, 2 postings.`,
    `${cores} × ${cpu}, ${memoryGiB} GiB, Node ${node}, PostgreSQL ${postgres.version} (fsync ${postgres.fsync}), load average ${loadAverageAtStart.toFixed(1)} at the start.`,
    `${command}`
  ].join("\n")
}
