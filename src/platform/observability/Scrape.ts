/** What is read when somebody scrapes, and not whenever it changes: a figure that nobody looks at costs nothing. */
import { Effect, type Scope } from "effect"

/** One for the process, as the registry of metrics is. */
const readers = new Set<Effect.Effect<void>>()

/** For as long as the scope lives. */
export const beforeScrape = (read: Effect.Effect<void>): Effect.Effect<void, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => readers.add(read)),
    () => Effect.sync(() => readers.delete(read))
  )

export const readForScrape: Effect.Effect<void> = Effect.suspend(() =>
  Effect.forEach(readers, (read) => read, { discard: true })
)
