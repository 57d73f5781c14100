/** Work that belongs to the service: a caller that hangs up ends its own wait, never a call half-way. */
import { Effect, FiberSet, Runtime } from "effect"
import { drainTimeout } from "../../domain/policies/Server.ts"
import { endWithin } from "./Shutdown.ts"

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
