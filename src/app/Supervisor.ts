/**
 * Several processes behind one port. This one has the database and starts the others, and one more for each that ends;
 * it answers nobody itself. The first to start brings the schema up to date and opens the sandbox, before the others come.
 */
import cluster, { type Worker } from "node:cluster"
import { once } from "node:events"
import { Data, Deferred, Effect, Fiber, FiberSet, Layer, Redacted } from "effect"
import { Settings } from "../platform/config/Settings.ts"
import { DatabaseServer } from "../platform/database/DatabaseServer.ts"
import { supervision } from "../domain/policies/ServerPolicies.ts"
import { LoggingLive } from "./Foundation.ts"
import { exitInTime } from "../platform/fibers/Shutdown.ts"

/** What ends the server: SIGTERM, ctrl-C, or the loss of its database. Either way it is held to its time. */
const exitLate = exitInTime(() => process.exit(1))

/** A program of its own: the one that it watches over may hang before it has a log. */
const watchOver = Effect.provide(exitLate, LoggingLive.pipe(Layer.provide(Settings.layer)))

/** From before anything is opened: a start that hangs must end in time as well. */
export const limitShutdownTime = Effect.sync(() => {
  const onSignal = () => {
    process.off("SIGTERM", onSignal)
    process.off("SIGINT", onSignal)
    Effect.runFork(watchOver)
  }
  process.on("SIGTERM", onSignal)
  process.on("SIGINT", onSignal)
})

/** Without its embedded PostgreSQL the process is of no use, and whoever supervises it should know. */
export const waitForDatabaseLoss = Effect.flatMap(DatabaseServer, ({ gone }) =>
  Effect.tapError(gone, () => Effect.forkDaemon(exitLate))
)

/** What a process tells this one before it ends for want of a port: another try would find it taken too. */
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

/** It is asked to end, and has as long for it as a process that stands alone. */
const stop = (worker: Worker): Effect.Effect<void> =>
  Effect.suspend(() => {
    if (worker.isDead()) return Effect.void
    worker.process.kill("SIGTERM")
    return Effect.asVoid(ending(worker))
  })

/**
 * The processes take connections from the port themselves. Were they handed over by this one, each that a killed process
 * was given and had not confirmed would stay open without an answer.
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

  /** Started again whenever it ends; where the first of all cannot start, none can, and a port that is taken stays so. */
  const keep = (place: number) => {
    let hasServed = false
    const life = Effect.gen(function* () {
      const worker = yield* started({ ...database, CORRIDOR_WORKER: `${place}` })
      let cannotListen = false
      worker.on("message", (message: unknown) => (cannotListen ||= message === CANNOT_LISTEN))
      worker.on("listening", (address) => {
        // Metrics have a port of their own, before this one.
        if (address.port !== port) return
        isServing = hasServed = true
        Deferred.unsafeDone(isUp, Effect.void)
      })
      const how = yield* ending(worker)
      if (!isServing) return yield* new NotStarted({ message: `The first process has ended (${how}): it said why.` })
      if (cannotListen && !hasServed) {
        return yield* new NotStarted({ message: `Process ${place} cannot have its port: it said why.` })
      }
      yield* Effect.logError(`Process ${place} has ended (${how}) and is started again.`)
    })
    // A machine that has no room for another process now may have it later.
    const lived = Effect.catchAllDefect(Effect.scoped(life), (defect) =>
      isServing
        ? Effect.logError(`Process ${place} could not be started and is tried again.`, defect)
        : Effect.die(defect)
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
