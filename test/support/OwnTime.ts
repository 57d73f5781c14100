/** The service's own time: what the machine gave to others, while this thread stood in line for a core, does not count. */
import { readFileSync } from "node:fs"
import { Effect } from "effect"

/** Milliseconds so far, where the system counts them. */
const inLine = (): number => {
  try {
    return Number(readFileSync("/proc/thread-self/schedstat", "utf8").split(" ")[1]) / 1e6
  } catch {
    return 0
  }
}

const now = (): number => performance.now() - inLine()

/** A watch, in milliseconds from now on. */
export const ownTime = (): (() => number) => {
  const began = now()
  return () => now() - began
}

export const timedByOwn = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<readonly [number, A], E, R> =>
  Effect.suspend(() => {
    const took = ownTime()
    return Effect.map(effect, (value) => [took(), value] as const)
  })
