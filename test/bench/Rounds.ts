/** Rounds of both servers in turn, each on an idle database. */
import { Clock, Effect } from "effect"
import type { Pool } from "pg"
import { type Endpoint, endpoints, type Job, type JobResult } from "./load/RequestLoad.ts"
import { backendCpuMicros, clusterCpuMicros, spentBetween } from "./ClusterCpu.ts"
import type { BenchFailed } from "./BenchFailed.ts"
import { type Progress, showProgress } from "./LoadProcess.ts"
import type { Options } from "./Options.ts"
import { halfOfPeak } from "./Medians.ts"
import type { Server } from "./ServerProcess.ts"
import { type Answered, settled } from "./BenchVerification.ts"

export interface Side {
  readonly server: Server
  readonly pool: Pool
}

export interface Measurement {
  readonly server: string
  readonly endpoint: Endpoint
  readonly round: number
  /** Requested rate; null: as fast as possible. */
  readonly pace: number | null
  readonly requests: number
  readonly seconds: number
  readonly requestsPerSecond: number
  readonly p50Millis: number
  readonly p99Millis: number
  /** CPU of the server's process, with the later completion of initiations. */
  readonly cpuMicrosPerRequest: number
  /** Including PostgreSQL. */
  readonly allCpuMicrosPerRequest: number
  /** CPU of the server's own connections in PostgreSQL. */
  readonly backendCpuMicrosPerRequest: number
  /** Rate until all payments were completed, less the second that the provider waits. */
  readonly settledPerSecond: number
}

export interface Bench {
  readonly options: Options
  readonly apiKey: string
  readonly load: (job: Job, progress: Progress) => Effect.Effect<JobResult, BenchFailed>
  /** Number of answers of each server, and some readable payments. */
  readonly answered: Map<string, Answered>
  readonly readable: Map<string, ReadonlyArray<string>>
}

interface Round {
  readonly endpoint: Endpoint
  readonly seconds: number
  readonly round: number
  readonly pace: number | null
}

const COMPLETION_SECONDS = 1
const READABLE = 5000

/** Also measured at half of the peak. */
export const pacedEndpoints = ["initiate", "record"] as const

const nothing: Answered = { initiate: 0, rate: 0 }

export const answeredBy = ({ answered }: Bench, name: string): Answered => answered.get(name) ?? nothing

const note = (bench: Bench, name: string, endpoint: Endpoint, { requests, transactionIds }: JobResult) => {
  const before = answeredBy(bench, name)
  if (endpoint === "rate") bench.answered.set(name, { ...before, rate: before.rate + requests })
  if (endpoint === "initiate") {
    bench.answered.set(name, { ...before, initiate: before.initiate + requests })
    bench.readable.set(name, transactionIds.slice(0, READABLE))
  }
}

const labelOf = ({ options }: Bench, name: string, { endpoint, pace, round }: Round): string => {
  const kind = pace === null ? "round" : "half of the peak, round"
  return `${round === 0 ? "warm-up" : `${kind} ${round}/${options.rounds}`}  ${name.padEnd(8)}  ${endpoint}`
}

const measure = (bench: Bench, { pool, server }: Side, asked: Round) =>
  Effect.gen(function* () {
    const { name, port } = server
    const { endpoint, pace, round, seconds } = asked
    // Each round starts after a checkpoint, so that none pays for another's.
    yield* Effect.promise(() => pool.query("checkpoint"))
    const job: Job = {
      endpoint,
      port,
      apiKey: bench.apiKey,
      connections: bench.options.connections,
      seconds,
      pace,
      tag: `${name}-${round}${pace === null ? "" : "-paced"}`,
      transactionIds: endpoint === "record" ? (bench.readable.get(name) ?? []) : []
    }
    const label = labelOf(bench, name, asked)
    const cpuBefore = yield* server.cpuMicros
    const backendsBefore = yield* Effect.promise(() => backendCpuMicros(pool))
    const clusterBefore = yield* Effect.promise(() => clusterCpuMicros(pool))
    const started = yield* Clock.currentTimeMillis
    const result = yield* bench.load(job, showProgress(label))
    note(bench, name, endpoint, result)
    if (endpoint === "initiate") yield* settled(name, pool)
    const elapsed = ((yield* Clock.currentTimeMillis) - started) / 1000
    const cpuMicros = (yield* server.cpuMicros) - cpuBefore
    const clusterMicros = (yield* Effect.promise(() => clusterCpuMicros(pool))) - clusterBefore
    const backendMicros = spentBetween(backendsBefore, yield* Effect.promise(() => backendCpuMicros(pool)))
    const settling = endpoint === "initiate" ? Math.max(result.seconds, elapsed - COMPLETION_SECONDS) : result.seconds
    const measurement: Measurement = {
      server: name,
      endpoint,
      round,
      pace,
      requests: result.requests,
      seconds: result.seconds,
      requestsPerSecond: result.requests / result.seconds,
      p50Millis: result.p50Millis,
      p99Millis: result.p99Millis,
      cpuMicrosPerRequest: cpuMicros / result.requests,
      allCpuMicrosPerRequest: (cpuMicros + clusterMicros) / result.requests,
      backendCpuMicrosPerRequest: backendMicros / result.requests,
      settledPerSecond: result.requests / settling
    }
    showProgress(label).end(measurement)
    return measurement
  })

/** Alternates which server goes first. */
const inTurn = (sides: ReadonlyArray<Side>, round: number) => (round % 2 === 1 ? sides : [...sides].reverse())

const warmUp = (bench: Bench, side: Side) =>
  Effect.gen(function* () {
    for (const endpoint of endpoints) {
      yield* measure(bench, side, { endpoint, seconds: bench.options.warmUpSeconds[endpoint], round: 0, pace: null })
      // Autovacuum would otherwise analyse during a round.
      if (endpoint === "initiate") yield* Effect.promise(() => side.pool.query("analyze"))
    }
  })

/** Measures at full speed, then at half of it; discards the warm-up. */
export const runRounds = (bench: Bench, sides: ReadonlyArray<Side>) =>
  Effect.gen(function* () {
    const { rounds, seconds } = bench.options
    const measurements: Array<Measurement> = []
    const run = (endpoint: Endpoint, round: number, pace: number | null) =>
      Effect.forEach(inTurn(sides, round), (side) =>
        Effect.map(measure(bench, side, { endpoint, seconds: seconds[endpoint], round, pace }), (measurement) =>
          measurements.push(measurement)
        )
      )
    for (const side of sides) yield* warmUp(bench, side)
    for (let round = 1; round <= rounds; round++) {
      for (const endpoint of endpoints) yield* run(endpoint, round, null)
    }
    const paces = pacedEndpoints.map((endpoint) => [endpoint, halfOfPeak(measurements, endpoint)] as const)
    for (let round = 1; round <= rounds; round++) {
      for (const [endpoint, pace] of paces) yield* run(endpoint, round, pace)
    }
    return measurements
  })

/** Initiations a second of which each has the server for itself. */
export const lonePace = 10

const LONE_SECONDS = 4

/** Measures initiations one by one, of both servers in turn. */
export const runLoneRounds = (bench: Bench, sides: ReadonlyArray<Side>) =>
  Effect.gen(function* () {
    const { rounds, seconds } = bench.options
    const measurements: Array<Measurement> = []
    const asked = { endpoint: "initiate", seconds: LONE_SECONDS * seconds.initiate, pace: lonePace } as const
    // Round 0 is the warm-up, also one by one: at its peak a server would compile more than it does in such a life.
    for (let round = 0; round <= rounds; round++) {
      for (const side of inTurn(sides, round)) measurements.push(yield* measure(bench, side, { ...asked, round }))
    }
    return measurements.filter(({ round }) => round > 0)
  })
