/** Runs seeds one after the other; each must keep every rule. */
import { setImmediate as nextTurn } from "node:timers/promises"
import { expect } from "@effect/vitest"
import type { Totals } from "./SimulationReport.ts"
import { run } from "./SimulationRun.ts"

/** `npm run test:deep` runs the seeds from 1 to this. */
export const DEEP_RUNS = 2000

export const runSeeds = async (first: number, count: number, totals?: Totals): Promise<void> => {
  for (let seed = first; seed < first + count; seed++) {
    const ran = run(seed)
    totals?.add(ran)
    expect({ seed, problems: ran.problems }).toEqual({ seed, problems: [] })
    // Lets the reporter and timeouts run: a simulated run never waits.
    await nextTurn()
  }
}
