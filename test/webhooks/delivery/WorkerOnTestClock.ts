/** A delivery worker on the test clock. */
import { Effect, Fiber, TestClock } from "effect"

/** At the end the clock goes on, since a worker that is stopped waits a moment for what it has under way. */
export const running = <E, R>(worker: Effect.Effect<never, E, R>) =>
  Effect.acquireRelease(Effect.forkDaemon(Effect.interruptible(worker)), (fiber) =>
    Effect.gen(function* () {
      const stopping = yield* Effect.fork(Fiber.interrupt(fiber))
      yield* TestClock.adjust("3 seconds")
      yield* Fiber.join(stopping)
    })
  )
