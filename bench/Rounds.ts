/** Rounds of both servers in turn, each on a quiet database: what one leaves to be done never falls to the other. */
import { Clock, Effect } from "effect"
import type { Pool } from "pg"
import type { Endpoint, Job, JobResult } from "./load/Job.ts"
import { clusterCpuMicros } from "./ClusterCpu.ts"
import type { BenchFailed } from "./BenchFailed.ts"
import type { Progress } from "./LoadProcess.ts"
import type { Options } from "./Options.ts"
import { showProgress } from "./ProgressLine.ts"
import type { Server } from "./ServerProcess.ts"
import { settled } from "./Verification.ts"

export interface Side {
  readonly server: Server
  readonly pool: Pool
}

export interface Measurement {
  readonly server: string
  readonly endpoint: Endpoint
  readonly round: number
  readonly requests: number
  readonly seconds: number
  readonly requestsPerSecond: number
  readonly p50Millis: number
  readonly p99Millis: number
  /** CPU of the server's process; of an initiation with its completion, which comes later. */
  readonly cpuMicrosPerRequest: number
  /** With that of PostgreSQL. */
  readonly allCpuMicrosPerRequest: number
  /** From the first request until all of them were completed, less the second that the provider takes its time. */
  readonly settledPerSecond: number
}

export interface Bench {
  readonly options: Options
  readonly apiKey: string
  readonly load: (job: Job, progress: Progress) => Effect.Effect<JobResult, BenchFailed>
  /** How many payments each server has initiated, and some that can be read. */
  readonly initiated: Map<string, number>
  readonly readable: Map<string, ReadonlyArray<string>>
}

const COMPLETION_SECONDS = 1
const READABLE = 5000

const measure = (bench: Bench, { pool, server }: Side, endpoint: Endpoint, seconds: number, round: number) =>
  Effect.gen(function* () {
    const { name, port } = server
    // Every round starts on a written-out database, or a checkpoint falls to whoever comes by.
    yield* Effect.promise(() => pool.query("checkpoint"))
    const job: Job = {
      endpoint,
      port,
      apiKey: bench.apiKey,
      connections: bench.options.connections,
      seconds,
      tag: `${name}-${round}`,
      transactionIds: endpoint === "record" ? (bench.readable.get(name) ?? []) : []
    }
    const label = `${round === 0 ? "warm-up" : `round ${round}/${bench.options.rounds}`}  ${name.padEnd(8)}  ${endpoint}`
    const cpuBefore = yield* server.cpuMicros
    const clusterBefore = yield* Effect.promise(() => clusterCpuMicros(pool))
    const started = yield* Clock.currentTimeMillis
    const result = yield* bench.load(job, showProgress(label))
    if (endpoint === "initiate") {
      bench.initiated.set(name, (bench.initiated.get(name) ?? 0) + result.requests)
      bench.readable.set(name, result.transactionIds.slice(0, READABLE))
      yield* settled(name, pool)
    }
    const elapsed = ((yield* Clock.currentTimeMillis) - started) / 1000
    const cpuMicros = (yield* server.cpuMicros) - cpuBefore
    const clusterMicros = (yield* Effect.promise(() => clusterCpuMicros(pool))) - clusterBefore
    const settling = endpoint === "initiate" ? Math.max(result.seconds, elapsed - COMPLETION_SECONDS) : result.seconds
    const measurement: Measurement = {
      server: name,
      endpoint,
      round,
      requests: result.requests,
      seconds: result.seconds,
      requestsPerSecond: result.requests / result.seconds,
      p50Millis: result.p50Millis,
      p99Millis: result.p99Millis,
      cpuMicrosPerRequest: cpuMicros / result.requests,
      allCpuMicrosPerRequest: (cpuMicros + clusterMicros) / result.requests,
      settledPerSecond: result.requests / settling
    }
    showProgress(label).end(measurement)
    return measurement
  })

/** Answers with the measured rounds; the warm-up, round 0, is run and forgotten. */
export const runRounds = (bench: Bench, sides: ReadonlyArray<Side>) =>
  Effect.gen(function* () {
    const { rounds, seconds, warmUpSeconds } = bench.options
    const measurements: Array<Measurement> = []
    for (const side of sides) {
      yield* measure(bench, side, "initiate", warmUpSeconds, 0)
      yield* measure(bench, side, "record", Math.ceil(warmUpSeconds / 2), 0)
    }
    for (let round = 1; round <= rounds; round++) {
      for (const endpoint of ["initiate", "record"] as const) {
        // Whoever goes first in one round goes last in the next.
        for (const side of round % 2 === 1 ? sides : [...sides].reverse()) {
          measurements.push(yield* measure(bench, side, endpoint, seconds[endpoint], round))
        }
      }
    }
    return measurements
  })
