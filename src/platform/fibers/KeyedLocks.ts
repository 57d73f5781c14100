/** Semaphores with a time limit, and queues by key within this process. */
import { type Duration, Effect, Option } from "effect"
import { busy, type Busy } from "../../domain/Failure.ts"

/** Fails with `Busy` if no permit is free in time. Work that has begun is not interrupted. */
export const permitWithin = (semaphore: Effect.Semaphore, patience: Duration.DurationInput) =>
  function <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | Busy, R> {
    const inTurn = Effect.suspend(() => {
      let begun = false
      const turn = Effect.suspend(() => {
        begun = true
        return effect
      })
      const tooLate = Effect.suspend(() => (begun ? Effect.never : Effect.fail(busy())))
      return Effect.raceFirst(semaphore.withPermits(1)(turn), Effect.delay(tooLate, patience))
    })
    return Effect.flatMap(
      semaphore.withPermitsIfAvailable(1)(effect),
      Option.match({ onNone: () => inTurn, onSome: Effect.succeed })
    )
  }

interface KeyedQueue {
  readonly semaphore: Effect.Semaphore
  /** Running and waiting. */
  standing: number
}

/** A queue for each key, removed when it is empty. */
export const makeKeyedQueues = (atOnce: number) => {
  const lines = new Map<string, KeyedQueue>()
  return <A, E, R>(
    key: string,
    inLine: (line: Readonly<KeyedQueue>) => Effect.Effect<A, E, R>
  ): Effect.Effect<A, E, R> =>
    Effect.suspend(() => {
      const line = lines.get(key) ?? { semaphore: Effect.unsafeMakeSemaphore(atOnce), standing: 0 }
      lines.set(key, line)
      line.standing += 1
      return Effect.ensuring(
        inLine(line),
        Effect.sync(() => {
          line.standing -= 1
          if (line.standing === 0) lines.delete(key)
        })
      )
    })
}

/** One at a time for each key, within this process. */
export const makeKeyedLocks = (patience: Duration.DurationInput) => {
  const lines = makeKeyedQueues(1)
  return <A, E, R>(key: string, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | Busy, R> =>
    lines(key, ({ semaphore }) => permitWithin(semaphore, patience)(effect))
}
