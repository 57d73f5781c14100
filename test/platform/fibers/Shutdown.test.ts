import { describe, expect, it } from "@effect/vitest"
import { Deferred, Duration, Effect, Exit, Fiber, FiberRef, HashSet, Logger, Scope, TestClock } from "effect"
import { endWithin, exitInTime, Shutdown } from "../../../src/platform/fibers/Shutdown.ts"

/** Runs as in a process of its own, and keeps what it logs. */
const inProcess = <A, E, R>(body: (log: Array<string>) => Effect.Effect<A, E, R>) => {
  const log: Array<string> = []
  const logger = Logger.make(({ message }) => log.push(String(message)))
  return body(log).pipe(
    Effect.provideService(Shutdown, { signalledAt: undefined, steps: new Set<() => string>() }),
    Effect.locally(FiberRef.currentLoggers, HashSet.make(logger))
  )
}

describe("Shutdown", () => {
  it.effect("gives a step that hangs in a finalizer its time and no more, and says so", () =>
    inProcess((log) =>
      Effect.gen(function* () {
        const scope = yield* Scope.make()
        const steps = [Effect.never, Effect.uninterruptible(Effect.never), Effect.void]
        yield* Effect.forEach(steps, (step, at) =>
          Scope.addFinalizer(scope, endWithin(Duration.seconds(12), () => `step ${at}`)(step))
        )
        yield* Effect.fork(exitInTime(() => log.push("exit")))
        const closing = yield* Effect.fork(Effect.uninterruptible(Scope.close(scope, Exit.void)))
        yield* TestClock.adjust("11999 millis")
        expect(closing.unsafePoll()).toBeNull()
        expect(log).toEqual([])
        yield* TestClock.adjust("1 millis")
        yield* Fiber.join(closing)
        // the second has used up the time of the first
        expect(log).toEqual(["Given up at shutdown: step 1", "Given up at shutdown: step 0"])
      })
    )
  )

  it.effect("exits when its time is up, naming what it still waits for", () =>
    inProcess((log) =>
      Effect.gen(function* () {
        const exited = yield* Deferred.make<void>()
        yield* Effect.fork(exitInTime(() => Deferred.unsafeDone(exited, Effect.void)))
        yield* Effect.fork(endWithin(Duration.minutes(5), () => "the moon")(Effect.never))
        yield* TestClock.adjust("14999 millis")
        expect(yield* Deferred.isDone(exited)).toBe(false)
        yield* TestClock.adjust("1 millis")
        expect(yield* Deferred.isDone(exited)).toBe(true)
        expect(log).toEqual(["Exiting before everything has ended; given up: the moon"])
      })
    )
  )
})
