/** Medians of all rounds, and the ratio of Corridor to the hand-written server. */
import type { Endpoint } from "./load/RequestLoad.ts"
import type { Measurement } from "./Rounds.ts"

export const metrics = [
  "requestsPerSecond",
  "settledPerSecond",
  "p50Millis",
  "p99Millis",
  "cpuMicrosPerRequest",
  "allCpuMicrosPerRequest",
  "backendCpuMicrosPerRequest"
] as const

export type Metric = (typeof metrics)[number]
type Medians = Readonly<Record<Metric, number>>

export interface Comparison {
  readonly corridor: Medians
  readonly fastify: Medians
  readonly ratio: Medians
}

type Measurements = ReadonlyArray<Measurement>

export const median = (values: ReadonlyArray<number>): number => {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length / 2
  return sorted.length % 2 === 1 ? sorted[Math.floor(middle)]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

const mediansOf = (measurements: Measurements, server: string): Medians => {
  const rounds = measurements.filter((one) => one.server === server)
  return Object.fromEntries(metrics.map((name) => [name, median(rounds.map((round) => round[name]))])) as Medians
}

const compare = (measurements: Measurements): Comparison => {
  const [corridor, fastify] = [mediansOf(measurements, "corridor"), mediansOf(measurements, "fastify")]
  const ratio = Object.fromEntries(metrics.map((name) => [name, corridor[name] / fastify[name]])) as Medians
  return { corridor, fastify, ratio }
}

export const atPeak = (measurements: Measurements, endpoint: Endpoint): Comparison =>
  compare(measurements.filter((one) => one.endpoint === endpoint && one.pace === null))

/** Comparison at a fixed rate. */
export const atFixedPace = (measurements: Measurements, endpoint: Endpoint): Comparison =>
  compare(measurements.filter((one) => one.endpoint === endpoint && one.pace !== null))

/** Half of what the slower server can do. */
export const halfOfPeak = (measurements: Measurements, endpoint: Endpoint): number => {
  const { corridor, fastify } = atPeak(measurements, endpoint)
  return Math.max(1, Math.floor(Math.min(corridor.requestsPerSecond, fastify.requestsPerSecond) / 2))
}
