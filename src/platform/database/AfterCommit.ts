/** What is done once the current transaction is committed, or at once where there is none: never for what was undone. */
import { Context, Effect } from "effect"

export class Pending extends Context.Reference<Pending>()("corridor/AfterCommit", {
  defaultValue: (): Array<() => void> | undefined => undefined
}) {}

/** Quick, and nobody's loss where the process ends before: a hint to somebody who looks anyway. */
export const afterCommit = (run: () => void): Effect.Effect<void> =>
  Effect.map(Pending, (pending) => {
    if (pending === undefined) run()
    else pending.push(run)
  })

/** Around the outermost transaction. */
export const runningPending = <A, E, R>(transaction: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    const pending: Array<() => void> = []
    return Effect.tap(Effect.provideService(transaction, Pending, pending), () =>
      Effect.sync(() => {
        for (const run of pending) run()
      })
    )
  })
