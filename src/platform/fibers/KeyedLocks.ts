/** Permits with a time limit, and queues by key within this process. */
import { type Duration, Effect, Exit } from "effect"
import { busy, type Busy } from "../../domain/Failure.ts"

export interface Permits {
  /** Runs with a permit, in the order of the requests. */
  readonly use: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Fails with `Busy` if no permit is free in time. Work that has begun is not interrupted. */
  readonly useWithin: (
    patience: Duration.Duration
  ) => <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E | Busy, R>
}

/**
 * Hands each permit to the fiber that has waited longest. Effect's semaphore wakes all that wait for one permit: with 64
 * lists waiting, that took a fifth of a list's CPU.
 */
export const makePermits = (count: number): Permits => {
  let free = count
  const waiting = new Set<() => void>()
  const release = (): void => {
    for (const grant of waiting) {
      waiting.delete(grant)
      return grant()
    }
    free += 1
  }
  const withPermit =
    <E2>(inTime: (turn: Effect.Effect<void>) => Effect.Effect<void, E2>) =>
    <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | E2, R> =>
      Effect.uninterruptibleMask((restore) => {
        const work = Effect.ensuring(restore(effect), Effect.sync(release))
        if (free > 0) {
          free -= 1
          return work
        }
        let isGranted = false
        let grant = () => undefined as void
        const turn = Effect.async<void>((resume) => {
          grant = () => {
            isGranted = true
            resume(Effect.void)
          }
          waiting.add(grant)
        })
        const giveUp = Effect.sync(() => {
          if (isGranted) release()
          else waiting.delete(grant)
        })
        const granted = Effect.onExit(restore(inTime(turn)), (exit) => (Exit.isSuccess(exit) ? Effect.void : giveUp))
        return Effect.zipRight(granted, work)
      })
  return {
    use: withPermit((turn) => turn),
    useWithin: (patience) => withPermit(Effect.timeoutFail({ duration: patience, onTimeout: () => busy() }))
  }
}

interface KeyedQueue {
  readonly permits: Permits
  /** Running and waiting. */
  size: number
}

/** A queue for each key, removed when it is empty. */
export const makeKeyedQueues = (atOnce: number) => {
  const lines = new Map<string, KeyedQueue>()
  return <A, E, R>(
    key: string,
    inLine: (line: Readonly<KeyedQueue>) => Effect.Effect<A, E, R>
  ): Effect.Effect<A, E, R> =>
    Effect.uninterruptibleMask((restore) => {
      const line = lines.get(key) ?? { permits: makePermits(atOnce), size: 0 }
      lines.set(key, line)
      line.size += 1
      return Effect.ensuring(
        restore(inLine(line)),
        Effect.sync(() => {
          line.size -= 1
          if (line.size === 0) lines.delete(key)
        })
      )
    })
}

/** Locks by key, within this process: one holder at a time for each key. */
export const makeKeyedLocks = (patience: Duration.Duration) => {
  const lines = makeKeyedQueues(1)
  return <A, E, R>(key: string, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | Busy, R> =>
    lines<A, E | Busy, R>(key, ({ permits }) => permits.useWithin(patience)(effect))
}
