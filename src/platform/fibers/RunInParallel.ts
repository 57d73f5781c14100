/**
 * Concurrency for the path that every payment takes. `Effect.all` carries the fiber refs of each part back into its
 * caller, at many times the price of the fiber itself; here they stay where they were set.
 */
import { type Cause, Effect, Exit, Fiber, Runtime } from "effect"

type Answers<Parts extends ReadonlyArray<Effect.Effect<unknown, unknown>>> = {
  -readonly [At in keyof Parts]: Effect.Effect.Success<Parts[At]>
}

type Failed<Parts extends ReadonlyArray<Effect.Effect<unknown, unknown>>> = Cause.Cause<
  Effect.Effect.Error<Parts[number]>
>

/** All parts at once; the first that dies ends the wait and the others. */
export const runInParallel = <const Parts extends ReadonlyArray<Effect.Effect<unknown, unknown>>>(
  parts: Parts
): Effect.Effect<Answers<Parts>, Effect.Effect.Error<Parts[number]>> =>
  Effect.flatMap(Effect.runtime(), (runtime) =>
    Effect.async((resume) => {
      const fork = Runtime.runFork(runtime)
      const answers: Array<unknown> = []
      if (parts.length === 0) return resume(Effect.succeed([] as Answers<Parts>))
      let left = parts.length
      const fibers = parts.map((part) => fork(part))
      fibers.forEach((fiber, at) =>
        fiber.addObserver((exit) => {
          if (Exit.isFailure(exit))
            return resume(Effect.zipRight(Fiber.interruptAll(fibers), Effect.failCause(exit.cause as Failed<Parts>)))
          answers[at] = exit.value
          left -= 1
          if (left === 0) resume(Effect.succeed(answers as Answers<Parts>))
        })
      )
      return Fiber.interruptAll(fibers)
    })
  )
