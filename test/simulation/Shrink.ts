/** Finds the shortest run that fails in the same way, by leaving out steps and faults. */
import { type Options, type Ran, run } from "./SimulationRun.ts"

/** A problem without its ids and numbers. */
const shapeOf = (problem: string | undefined): string => (problem ?? "").replace(/[0-9a-f-]{36}|\d+/g, "#")

export interface Shrunk {
  readonly ran: Ran
  readonly options: Options
}

/** Tries halves first, then single elements. */
const leaveOut = <A>(all: ReadonlyArray<A>, stillFails: (without: ReadonlyArray<A>) => boolean): ReadonlyArray<A> => {
  let out: ReadonlyArray<A> = []
  for (let size = Math.ceil(all.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < all.length; at += size) {
      const chunk = all.slice(at, at + size).filter((one) => !out.includes(one))
      if (chunk.length > 0 && stillFails([...out, ...chunk])) out = [...out, ...chunk]
    }
  }
  return out
}

export const shrink = (failed: Ran, options: Options = {}): Shrunk => {
  const shape = shapeOf(failed.problems[0])
  let best: Shrunk = { ran: failed, options }
  const tryWith = (tried: Options): boolean => {
    const ran = run(failed.seed, tried)
    if (shapeOf(ran.problems[0]) !== shape) return false
    best = { ran, options: tried }
    return true
  }
  leaveOut(
    failed.steps.map(({ number }) => number),
    (without) => tryWith({ ...best.options, withoutSteps: new Set(without) })
  )
  leaveOut(best.ran.faults, (without) => tryWith({ ...best.options, withoutFaults: new Set(without) }))
  return best
}
