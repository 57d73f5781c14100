/** Runs 2,000 seeds, which together must reach every fault and state. */
import { describe, expect, it } from "@effect/vitest"
import { missingCounts, Totals } from "./SimulationReport.ts"
import { DEEP_RUNS, runSeeds } from "./RunSeeds.ts"

const AT_ONCE = 100

const firsts = Array.from({ length: DEEP_RUNS / AT_ONCE }, (_, at) => at * AT_ONCE + 1)

describe("simulation", () => {
  const totals = new Totals()

  it.each(firsts)("100 seeds from %i on keep every rule", (first) => runSeeds(first, AT_ONCE, totals))

  it("the seeds together reach every fault and state", () => {
    expect(totals.runs).toBe(DEEP_RUNS)
    expect(missingCounts(totals.counts)).toEqual([])
  })
})
