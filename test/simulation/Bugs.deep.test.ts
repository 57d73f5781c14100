/** Every planted bug is found by one of the seeds that `npm run test:deep` runs. */
import { setImmediate as breath } from "node:timers/promises"
import { describe, expect, it } from "@effect/vitest"
import { catalogue } from "./bugs/Catalogue.ts"
import { run } from "./SimulationRun.ts"
import { shrink } from "./Shrink.ts"
import { DEEP_RUNS } from "./RunSeeds.ts"

describe("planted bugs", () => {
  it("are at least 30, with unique names", () => {
    expect(catalogue.length).toBeGreaterThanOrEqual(30)
    expect(new Set(catalogue.map(({ name }) => name)).size).toBe(catalogue.length)
  })

  it.each(catalogue)("$name", { timeout: 120_000 }, async ({ foundBy, planted }) => {
    // Runs.deep.test.ts shows that the same seeds find nothing without the bug.
    const finds = (seed: number) => run(seed, { planted }).problems.length > 0
    let seed = foundBy
    // A change of the workers moves the seeds: the one noted is only tried first.
    if (!finds(seed)) for (seed = 1; seed <= DEEP_RUNS && !finds(seed); seed++) await breath()
    expect(seed).toBeGreaterThanOrEqual(1)
    expect(seed, "no seed finds it").toBeLessThanOrEqual(DEEP_RUNS)
    await breath()
  })

  it("a failing run is shrunk", () => {
    const [{ foundBy, planted }] = catalogue as unknown as [(typeof catalogue)[number]]
    const failed = run(foundBy, { planted })
    const { ran } = shrink(failed, { planted })
    expect(ran.problems).not.toEqual([])
    expect(ran.steps.length).toBeLessThan(failed.steps.length)
  })
})
