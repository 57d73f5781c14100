/** Elapsed time without what the thread waited for a core or the host took. */
import { readFileSync } from "node:fs"
import { Effect } from "effect"

/** Stolen milliseconds of one core on average. */
const stolen = (): number => {
  try {
    const [all = "", ...each] = readFileSync("/proc/stat", "utf8").split("\n")
    const cores = each.filter((line) => line.startsWith("cpu")).length
    return (Number(all.trim().split(/\s+/)[8] ?? 0) * 10) / Math.max(1, cores)
  } catch {
    return 0
  }
}

const inLine = (): number => {
  try {
    return Number(readFileSync("/proc/thread-self/schedstat", "utf8").split(" ")[1]) / 1e6
  } catch {
    return 0
  }
}

const now = (): number => performance.now() - inLine() - stolen()

/** Returns a stopwatch in milliseconds. */
export const ownTime = (): (() => number) => {
  const began = now()
  return () => now() - began
}

export const timedByOwn = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<readonly [number, A], E, R> =>
  Effect.suspend(() => {
    const took = ownTime()
    return Effect.map(effect, (value) => [took(), value] as const)
  })
