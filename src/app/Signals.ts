/** What ends the server: SIGTERM, ctrl-C, or the loss of its database. Either way it is held to its time. */
import { Effect, Layer } from "effect"
import { Settings } from "../platform/config/Settings.ts"
import { DatabaseServer } from "../platform/database/DatabaseServer.ts"
import { exitInTime } from "../platform/fibers/Shutdown.ts"
import { LoggingLive } from "./Foundation.ts"

const exitLate = exitInTime(() => process.exit(1))

/** A program of its own: the one that it watches over may hang before it has a log. */
const watchOver = Effect.provide(exitLate, LoggingLive.pipe(Layer.provide(Settings.layer)))

/** From before anything is opened: a start that hangs must end in time as well. */
export const watchSignals = Effect.sync(() => {
  const onSignal = () => {
    process.off("SIGTERM", onSignal)
    process.off("SIGINT", onSignal)
    Effect.runFork(watchOver)
  }
  process.on("SIGTERM", onSignal)
  process.on("SIGINT", onSignal)
})

/** Without its embedded PostgreSQL the process is of no use, and whoever supervises it should know. */
export const untilDatabaseIsGone = Effect.flatMap(DatabaseServer, ({ gone }) =>
  Effect.tapError(gone, () => Effect.forkDaemon(exitLate))
)
