/** A measured server in its own process. */
import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { Effect, Schedule } from "effect"
import { freePort } from "./FreePort.ts"
import { BenchFailed } from "./BenchFailed.ts"
import { familyCpuMicros, familyPeakMebibytes } from "./ClusterCpu.ts"
import { recordPath } from "./Workload.ts"
import { SERVER_FLAGS } from "../support/TestCluster.ts"

export interface Server {
  readonly name: string
  readonly port: number
  /** CPU microseconds so far, with children. */
  readonly cpuMicros: Effect.Effect<number>
  /** Peak resident memory in MiB. */
  readonly peakMebibytes: Effect.Effect<number>
}

const cpuReport = new URL("./CpuReport.mjs", import.meta.url).href

const cpuMicrosOf = (child: ChildProcess) =>
  Effect.promise(async () => {
    const answer = once(child, "message")
    child.send("cpu")
    const [{ system, user }] = (await answer) as [NodeJS.CpuUsage]
    return user + system
  })

/** Waits for any answer: the server listens and has its database. */
const answering = (name: string, port: number, child: ChildProcess) =>
  Effect.tryPromise({
    try: () => fetch(`http://127.0.0.1:${port}${recordPath("-")}`, { signal: AbortSignal.timeout(2000) }),
    catch: () => new BenchFailed({ message: `${name} does not answer on port ${port}.` })
  }).pipe(
    Effect.retry({
      // A kept database may be migrated first.
      schedule: Schedule.spaced("100 millis").pipe(Schedule.upTo("30 minutes")),
      while: () => child.exitCode === null
    })
  )

const stop = (child: ChildProcess) =>
  Effect.promise(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, "exit")
    child.kill("SIGTERM")
    await exited
  })

export const startServer = (
  name: string,
  module: string,
  environment: Readonly<Record<string, string>>,
  cpuProfiles?: string
) =>
  Effect.gen(function* () {
    const port = yield* Effect.promise(freePort)
    const profiling = cpuProfiles === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${cpuProfiles}`]
    const child = yield* Effect.acquireRelease(
      Effect.sync(() =>
        fork(fileURLToPath(new URL(module, import.meta.url)), {
          execArgv: [...SERVER_FLAGS, "--import", cpuReport, ...profiling],
          env: {
            PATH: process.env["PATH"],
            NODE_ENV: "production",
            MALLOC_ARENA_MAX: "1",
            PORT: `${port}`,
            CORRIDOR_WORKERS: "1",
            ...environment
          },
          stdio: ["ignore", "ignore", "inherit", "ipc"]
        })
      ),
      stop
    )
    yield* answering(name, port, child)
    const alone = (environment["CORRIDOR_WORKERS"] ?? "1") === "1"
    const server: Server = {
      name,
      port,
      cpuMicros: alone ? cpuMicrosOf(child) : Effect.promise(() => familyCpuMicros(child.pid!)),
      peakMebibytes: Effect.promise(() => familyPeakMebibytes(child.pid!))
    }
    return server
  })
