/** Work that belongs to the service: a caller that hangs up ends its own wait, never a call half-way. */
import { Effect, FiberSet, Runtime } from "effect"
import { drainTimeout } from "../domain/Policies.ts"

export const makeUndisturbed = Effect.gen(function* () {
  const running = yield* FiberSet.make<unknown, unknown>()
  yield* Effect.addFinalizer(() => Effect.timeoutOption(FiberSet.awaitEmpty(running), drainTimeout))
  return <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.flatMap(Effect.runtime(), (runtime) =>
      Effect.async((resume) => {
        const fiber = Runtime.runFork(runtime)(effect)
        FiberSet.unsafeAdd(running, fiber)
        fiber.addObserver(resume)
      })
    )
})
