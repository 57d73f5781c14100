/**
 * Runs several worker processes on one port and restarts each that ends. The supervisor owns the database and serves no
 * requests. The first worker migrates the schema and creates the sandbox before the others start.
 */
import cluster, { type Worker } from "node:cluster"
import { once } from "node:events"
import { Data, Deferred, Duration, Effect, Fiber, FiberSet, Layer, Redacted } from "effect"
import { Settings } from "../platform/config/Settings.ts"
import { DatabaseServer } from "../platform/database/DatabaseServer.ts"
import { repeatedSignal, supervision } from "../domain/policies/ServerPolicies.ts"
import { LoggingLive } from "./Graph.ts"
import { exitInTime } from "../platform/fibers/Shutdown.ts"

/** Limits the time of a shutdown by SIGTERM, Ctrl-C or loss of the database. */
const exitLate = exitInTime(() => process.exit(1))

/** Runs outside the server's own runtime, which may hang before it has a logger. */
const watchOver = Effect.provide(exitLate, LoggingLive.pipe(Layer.provide(Settings.layer)))

/**
 * Installed before anything is opened, so that a start that hangs also ends in time. A signal to the process group comes
 * twice: once from npm. Only one that comes later ends the process at once, and leaves PostgreSQL for the next start.
 */
export const limitShutdownTime = Effect.sync(() => {
  let isEnding = false
  const onSignal = () => {
    if (isEnding) return
    isEnding = true
    const accept = () => {
      process.off("SIGTERM", onSignal)
      process.off("SIGINT", onSignal)
    }
    setTimeout(accept, Duration.toMillis(repeatedSignal)).unref()
    Effect.runFork(watchOver)
  }
  process.on("SIGTERM", onSignal)
  process.on("SIGINT", onSignal)
})

/** Ends the process when its embedded PostgreSQL is gone, so that the service manager can restart it. */
export const waitForDatabaseLoss = Effect.flatMap(DatabaseServer, ({ gone }) =>
  Effect.tapError(gone, () => Effect.forkDaemon(exitLate))
)

/** Sent by a worker whose port is taken, so that it is not restarted. */
export const CANNOT_LISTEN = "cannot listen"

export const reportCannotListen: Effect.Effect<void> = Effect.async((resume) => {
  if (process.send === undefined) return resume(Effect.void)
  process.send(CANNOT_LISTEN, () => resume(Effect.void))
})

class NotStarted extends Data.TaggedError("NotStarted")<{ readonly message: string }> {}

const ending = (worker: Worker): Effect.Effect<string> =>
  Effect.promise(async () => {
    const [code, signal] = (await once(worker, "exit")) as [number | null, string | null]
    return signal ?? `${code}`
  })

/** Asks a worker to end, and waits for it. */
const stop = (worker: Worker): Effect.Effect<void> =>
  Effect.suspend(() => {
    if (worker.isDead()) return Effect.void
    worker.process.kill("SIGTERM")
    return Effect.asVoid(ending(worker))
  })

/**
 * Workers accept connections themselves. Handed over by the supervisor, connections of a killed worker could stay open
 * unanswered.
 */
cluster.schedulingPolicy = cluster.SCHED_NONE

const started = (variables: Readonly<Record<string, string>>) =>
  Effect.acquireRelease(
    Effect.sync(() => cluster.fork(variables)),
    stop
  )

const supervise = Effect.gen(function* () {
  const { port, workers } = yield* Settings
  const { embedded, url } = yield* DatabaseServer
  const database = embedded ? { CORRIDOR_EMBEDDED_URL: Redacted.value(url) } : {}
  const all = yield* FiberSet.make<unknown, NotStarted>()

  let isServing = false
  const isUp = yield* Deferred.make<void>()

  /** Restarts a worker when it ends, unless the first worker never started or its port is taken. */
  const keep = (place: number) => {
    let hasServed = false
    const life = Effect.gen(function* () {
      const worker = yield* started({ ...database, CORRIDOR_WORKER: `${place}` })
      let cannotListen = false
      worker.on("message", (message: unknown) => (cannotListen ||= message === CANNOT_LISTEN))
      worker.on("listening", (address) => {
        // The metrics port comes first; this is the port of the API.
        if (address.port !== port) return
        isServing = hasServed = true
        Deferred.unsafeDone(isUp, Effect.void)
      })
      const how = yield* ending(worker)
      if (!isServing)
        return yield* new NotStarted({ message: `The first process ended (${how}): see its message above.` })
      if (cannotListen && !hasServed) {
        return yield* new NotStarted({ message: `Process ${place} cannot listen on its port: see its message above.` })
      }
      yield* Effect.logError(`Process ${place} ended (${how}) and is restarted.`)
    })
    // Starting a process may fail for lack of memory, and is retried.
    const lived = Effect.catchAllDefect(Effect.scoped(life), (defect) =>
      isServing ? Effect.logError(`Process ${place} could not be started and is retried.`, defect) : Effect.die(defect)
    )
    return FiberSet.run(all, Effect.repeat(lived, supervision))
  }

  const first = yield* keep(1)
  yield* Effect.raceFirst(Deferred.await(isUp), Fiber.join(first))
  for (let place = 2; place <= workers; place++) yield* keep(place)
  return yield* Effect.raceFirst(waitForDatabaseLoss, FiberSet.join(all))
})

export const runSupervised = Effect.provide(
  Effect.scoped(supervise),
  Layer.provideMerge(DatabaseServer.layer, LoggingLive)
)
