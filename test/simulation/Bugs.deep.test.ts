/** Runs every planted bug with the first seed that finds it. */
import { setImmediate as breath } from "node:timers/promises"
import { describe, expect, it } from "@effect/vitest"
import { catalogue } from "./bugs/Catalogue.ts"
import { run } from "./Run.ts"
import { shrink } from "./Shrink.ts"
import { DEEP_RUNS } from "./RunSeeds.ts"

describe("planted bugs", () => {
  it("are at least 30, with unique names", () => {
    expect(catalogue.length).toBeGreaterThanOrEqual(30)
    expect(new Set(catalogue.map(({ name }) => name)).size).toBe(catalogue.length)
  })

  it.each(catalogue)("$name", async ({ foundBy, planted }) => {
    // Runs.deep.test.ts shows that the same seed finds nothing without the bug.
    expect(foundBy).toBeGreaterThanOrEqual(1)
    expect(foundBy).toBeLessThanOrEqual(DEEP_RUNS)
    expect(run(foundBy, { planted }).problems).not.toEqual([])
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
