/** What the batchers of one pool share: how many statements may wait for rows that others hold, and whether they move. */
import { Context, Effect, Layer, type Scope } from "effect"
import { Settings } from "../config/Settings.ts"

export class Lanes extends Context.Tag("corridor/Lanes")<
  Lanes,
  {
    /** For statements that leave the common batch: together they never take the whole pool. */
    readonly aside: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
    /** Tells whether whatever `isStuck` belongs to has something waiting that has not moved for too long. */
    readonly watch: (isStuck: () => boolean) => Effect.Effect<void, never, Scope.Scope>
    readonly isStuck: Effect.Effect<boolean>
  }
>() {
  static readonly make = (connections: number) => {
    const watched = new Set<() => boolean>()
    return Effect.map(Effect.makeSemaphore(Math.max(1, Math.floor(connections / 3))), (semaphore) => ({
      aside: semaphore.withPermits(1),
      watch: (isStuck: () => boolean) =>
        Effect.acquireRelease(
          Effect.sync(() => watched.add(isStuck)),
          () => Effect.sync(() => watched.delete(isStuck))
        ),
      isStuck: Effect.sync(() => [...watched].some((isStuck) => isStuck()))
    }))
  }

  static readonly layer = Layer.effect(
    Lanes,
    Effect.flatMap(Settings, ({ databasePool }) => Lanes.make(databasePool))
  )
}
