/** What everybody who uses one pool shares, so that those who wait for rows never take all of its connections. */
import { Context, Effect, Layer, type Scope } from "effect"
import type { Busy } from "../../domain/Failure.ts"
import { Settings } from "../config/Settings.ts"
import { connectTimeout } from "../../domain/policies/Database.ts"
import { withinTime } from "../fibers/InTurn.ts"

interface Shared {
  /** For the statements of a batcher that leave the common batch. */
  readonly aside: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** For transactions: one that finds no room in time is told that the service is busy. */
  readonly transaction: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E | Busy, R>
  /** `isStuck` tells whether somebody waits there for too long. */
  readonly watch: (isStuck: () => boolean) => Effect.Effect<void, never, Scope.Scope>
  readonly isStuck: Effect.Effect<boolean>
}

export class Lanes extends Context.Tag("corridor/Lanes")<Lanes, Shared>() {
  /** A third of the pool for batches that are set aside, two thirds for transactions at most. */
  static readonly make = (connections: number): Effect.Effect<Shared> =>
    Effect.gen(function* () {
      const watched = new Set<() => boolean>()
      const third = Math.max(1, Math.floor(connections / 3))
      const aside = yield* Effect.makeSemaphore(third)
      const transactions = yield* Effect.makeSemaphore(Math.max(1, connections - third))
      return {
        aside: aside.withPermits(1),
        transaction: withinTime(transactions, connectTimeout),
        watch: (isStuck) =>
          Effect.acquireRelease(
            Effect.sync(() => watched.add(isStuck)),
            () => Effect.sync(() => watched.delete(isStuck))
          ),
        isStuck: Effect.sync(() => [...watched].some((isStuck) => isStuck()))
      }
    })

  static readonly layer = Layer.effect(
    Lanes,
    Effect.flatMap(Settings, ({ databasePool }) => Lanes.make(databasePool))
  )
}
