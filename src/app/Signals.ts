/** SIGTERM and ctrl-C: whoever runs the program stops it; this holds it to its time. */
import { Effect, Layer, Runtime } from "effect"
import { Settings } from "../config/Settings.ts"
import { exitInTime } from "../fibers/Shutdown.ts"
import { LoggingLive } from "./Live.ts"

/** From before anything is opened: a start that hangs must end in time as well. */
export const watchSignals = Effect.gen(function* () {
  const run = Runtime.runFork(yield* Effect.runtime<never>())
  const onSignal = () => {
    process.off("SIGTERM", onSignal)
    process.off("SIGINT", onSignal)
    run(exitInTime(() => process.exit(1)))
  }
  process.on("SIGTERM", onSignal)
  process.on("SIGINT", onSignal)
}).pipe(Effect.provide(LoggingLive.pipe(Layer.provide(Settings.layer))))
