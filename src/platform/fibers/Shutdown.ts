/**
 * Shutdown of the process within a time limit. Each step gets what is left until its own limit, counted from the
 * signal, and logs when it gives up.
 */
import { Context, Duration, Effect, Option, FiberSet, Runtime } from "effect"
import { exitAfter, drainTimeout } from "../../domain/policies/ServerPolicies.ts"
import { monotonicMillis } from "./Deadlines.ts"

interface State {
  signalledAt: number | undefined
  /** Steps under way. */
  readonly steps: Set<() => string>
}

/** Without a signal (a test's scope, a command) nothing is late yet. */
export class Shutdown extends Context.Reference<Shutdown>()("corridor/Shutdown", {
  defaultValue: (): State => ({ signalledAt: undefined, steps: new Set() })
}) {}

const timeLeft = (state: State, limit: Duration.Duration): Effect.Effect<Duration.Duration> =>
  Effect.map(monotonicMillis, (now) =>
    Duration.subtract(limit, Duration.millis(state.signalledAt === undefined ? 0 : now - state.signalledAt))
  )

/** Shutdown step for a finalizer. Interruptible although finalizers are not, or its limit would never be kept. */
export const endWithin = (
  limit: Duration.Duration,
  what: () => string
): (<E, R>(step: Effect.Effect<unknown, E, R>) => Effect.Effect<boolean, E, R>) =>
  Effect.fnUntraced(function* (step) {
    const state = yield* Shutdown
    state.steps.add(what)
    const ended = yield* step.pipe(
      Effect.disconnect,
      Effect.interruptible,
      Effect.timeoutOption(yield* timeLeft(state, limit)),
      Effect.map(Option.isSome),
      Effect.ensuring(Effect.sync(() => state.steps.delete(what)))
    )
    if (!ended) yield* Effect.logWarning(`Given up at shutdown: ${what()}`)
    return ended
  })

/** From the signal on: the time that all steps share, and the exit when it is up. */
export const exitInTime = (exit: () => void): Effect.Effect<void> =>
  Effect.gen(function* () {
    const state = yield* Shutdown
    state.signalledAt = yield* monotonicMillis
    yield* Effect.sleep(exitAfter)
    const steps = Array.from(state.steps, (what) => what()).join(", ")
    yield* Effect.logError(`Exiting before everything has ended; given up: ${steps === "" ? "the last steps" : steps}`)
    exit()
  })

/** Work that belongs to the service: a caller that hangs up ends its own wait, never a call half-way. */
export const makeRunDetached = Effect.gen(function* () {
  const running = yield* FiberSet.make<unknown, unknown>()
  const abandoned = () => `operations whose callers had gone (${Array.from(running).length})`
  yield* Effect.addFinalizer(() => endWithin(drainTimeout, abandoned)(FiberSet.awaitEmpty(running)))
  return <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.flatMap(Effect.runtime(), (runtime) =>
      Effect.async((resume) => {
        const fiber = Runtime.runFork(runtime)(effect)
        FiberSet.unsafeAdd(running, fiber)
        fiber.addObserver(resume)
      })
    )
})
