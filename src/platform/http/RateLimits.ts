/**
 * The limits that hold across all instances. Nobody waits for another on the way of a request: each instance counts in
 * memory, and tells the others twice a second what it has let through.
 */
import { Clock, Context, Effect, Layer } from "effect"
import { Ids } from "../../domain/Ids.ts"
import { spentKeysTold, spentTold } from "../../domain/policies/Server.ts"
import { RateLimiter } from "./RateLimiter.ts"
import { type Batch, SpentStore, type ToldOf } from "./SpentStore.ts"
import type { Stored } from "../database/DatabaseFailure.ts"

export class RateLimits extends Context.Tag("corridor/RateLimits")<
  RateLimits,
  {
    /** One for each name, which is the same on all instances. */
    readonly limiter: (name: string, perMinute: number) => RateLimiter
    /** Tells the others what was spent here, and spends what they have. */
    readonly exchange: Stored<void>
    /** Exchanges for as long as it runs. Without a database each instance goes on with what it knows. */
    readonly worker: Stored<never>
  }
>() {
  static readonly layer = Layer.effect(
    RateLimits,
    Effect.gen(function* () {
      const store = yield* SpentStore
      const instance = yield* Effect.flatMap(Ids, ({ next }) => next)
      const limiters = new Map<string, RateLimiter>()
      const known = new Map<string, number>()
      let number = 0
      /** What may not have been written down: it is told again under the same number. */
      let untold: Batch | undefined

      const spentHere = (): Batch | undefined => {
        const spent = Array.from(limiters).flatMap(([name, limiter]) =>
          limiter.tell(spentKeysTold).map(([key, tokens]): ToldOf => [name, key, tokens])
        )
        if (spent.length === 0) return undefined
        number += 1
        return { number, spent }
      }

      const exchange = Effect.gen(function* () {
        untold ??= spentHere()
        const heard = yield* store.exchange(instance, untold, known)
        untold = undefined
        const now = yield* Clock.currentTimeMillis
        for (const { ageMillis, instance: other, number: batch, spent } of heard) {
          known.set(other, batch)
          for (const [name, key, tokens] of spent) limiters.get(name)?.hear(key, tokens, now - ageMillis)
        }
      })

      return {
        limiter: (name, perMinute) => {
          const limiter = limiters.get(name) ?? new RateLimiter(perMinute)
          limiters.set(name, limiter)
          return limiter
        },
        exchange,
        worker: exchange.pipe(
          Effect.catchAllCause((cause) =>
            Effect.logDebug("What instances let through could not be exchanged: each counts for itself", cause)
          ),
          Effect.delay(spentTold),
          Effect.forever
        )
      }
    })
  )
}
