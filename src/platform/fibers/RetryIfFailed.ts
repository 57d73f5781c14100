/**
 * `Effect.retry` for the path that every payment takes: it makes its schedule's driver before the first try, which nearly
 * always succeeds; here it is made when something has failed.
 */
import { Effect } from "effect"

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
