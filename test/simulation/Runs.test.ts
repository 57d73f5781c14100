/** Runs the whole service in a simulated world; a failure names its seed. */
import { describe, expect, it } from "@effect/vitest"
import { run } from "./SimulationRun.ts"
import { runSeeds } from "./RunSeeds.ts"

describe("simulation", () => {
  it.each([1, 101])("100 seeds from %i on keep every rule", (first) => runSeeds(first, 100))

  it("a seed repeats exactly, after any other", () => {
    const alone = run(7, { keepsLog: true })
    for (const other of [8, 9, 10]) run(other)
    expect(run(7, { keepsLog: true }).logLines).toEqual(alone.logLines)
    expect(run(8, { keepsLog: true }).logLines).not.toEqual(alone.logLines)
  })
})
