/**
 * Timeouts for the calls of every payment. `Effect.timeout` starts a timer and an interruption for each call, at many
 * times the cost of the wait itself. Calls with the same limit end in the order in which they began, so one timer
 * serves all of them.
 */
import { type Clock, Duration, Effect, Exit, Fiber, FiberSet, Runtime } from "effect"

/** Milliseconds for timeouts and ages, which never jump when the clock is set. */
export const monotonicNow = (clock: Clock.Clock): number => Number(clock.unsafeCurrentTimeNanos()) / 1e6

export const monotonicMillis: Effect.Effect<number> = Effect.map(Effect.clock, monotonicNow)

interface Call {
  /** By time that cannot be set: a clock that is put back must not prolong a call. */
  readonly endsAt: number
  readonly interrupt: () => void
}

export const makeDeadlines = Effect.gen(function* () {
  const fork = yield* FiberSet.makeRuntime<never>()
  /** By their limit, the calls that are under way, oldest first. */
  const callsByLimit = new Map<number, Set<Call>>()

  const watch = (limit: number, calls: Set<Call>): Effect.Effect<void> =>
    Effect.flatMap(monotonicMillis, (now) => {
      for (const call of calls) {
        if (call.endsAt > now) return Effect.zipRight(Effect.sleep(call.endsAt - now), watch(limit, calls))
        calls.delete(call)
        call.interrupt()
      }
      callsByLimit.delete(limit)
      return Effect.void
    })

  const enter = (limit: number, call: Call): Set<Call> => {
    const calls = callsByLimit.get(limit)
    if (calls !== undefined) return calls.add(call)
    const opened = new Set([call])
    callsByLimit.set(limit, opened)
    fork(watch(limit, opened))
    return opened
  }

  /** Interrupts late work and returns `late()`. A result that still comes counts. */
  return Effect.fnUntraced(function* <A, E, B>(effect: Effect.Effect<A, E>, limit: Duration.Duration, late: () => B) {
    const millis = Duration.toMillis(limit)
    const endsAt = (yield* monotonicMillis) + millis
    const runtime = yield* Effect.runtime()
    return yield* Effect.async<A | B, E>((resume) => {
      const work = Runtime.runFork(runtime)(effect)
      let isLate = false
      const interrupt = () => {
        isLate = true
        work.unsafeInterruptAsFork(work.id())
      }
      const call = { endsAt, interrupt }
      const calls = enter(millis, call)
      work.addObserver((exit) => {
        calls.delete(call)
        resume(isLate && Exit.isInterrupted(exit) ? Effect.succeed(late()) : exit)
      })
      return Fiber.interrupt(work)
    })
  })
})

/**
 * Retries like `Effect.retry`, for the path of every payment. Makes the schedule's driver after a failure, not before
 * the first try, which nearly always succeeds.
 */
export const retryIfFailed = <A, E>(
  effect: Effect.Effect<A, E>,
  policy: Effect.Retry.Options<E>
): Effect.Effect<A, E> =>
  Effect.catchAll(effect, (error) => {
    let isFirst = true
    const next = Effect.suspend(() => {
      if (!isFirst) return effect
      isFirst = false
      return Effect.fail(error)
    })
    return Effect.retry(next, policy) as Effect.Effect<A, E>
  })
