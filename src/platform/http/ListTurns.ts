/**
 * Lets an organisation read a few lists at once, and queues its further ones. Without it, one tenant's burst of large pages
 * takes the event loop and the database from all others.
 */
import { Duration, Effect } from "effect"
import { RateLimited } from "../../domain/Failure.ts"
import { listsAtOnce, listsQueued, wholeListRetryAfter } from "../../domain/policies/Server.ts"

const busy = new RateLimited({
  message: "Too many lists of this organisation are being read. Send this again, and ask for fewer at a time.",
  retryAfterSeconds: Duration.toSeconds(wholeListRetryAfter)
})

export type ListTurns = ReturnType<typeof makeListTurns>

export const makeListTurns = () => {
  const places = new Map<string, { readonly semaphore: Effect.Semaphore; count: number }>()
  return (owner: string) =>
    <A, E, R>(list: Effect.Effect<A, E, R>): Effect.Effect<A, E | RateLimited, R> =>
      Effect.suspend((): Effect.Effect<A, E | RateLimited, R> => {
        const place = places.get(owner) ?? { semaphore: Effect.unsafeMakeSemaphore(listsAtOnce), count: 0 }
        if (place.count >= listsAtOnce + listsQueued) return busy
        place.count += 1
        places.set(owner, place)
        const left = Effect.sync(() => {
          place.count -= 1
          if (place.count === 0) places.delete(owner)
        })
        return Effect.ensuring(place.semaphore.withPermits(1)(list), left)
      })
}
