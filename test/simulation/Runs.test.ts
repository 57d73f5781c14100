/** Runs the whole service in a simulated world; a failure names its seed. */
import { describe, expect, it } from "@effect/vitest"
import { run } from "./Run.ts"
import { runSeeds } from "./RunSeeds.ts"

describe("simulated worlds", () => {
  it.each([1, 101])("keep every rule: a hundred seeds from %i on", (first) => runSeeds(first, 100))

  it("are the same for the same seed, after any other", () => {
    const alone = run(7, { keepsLog: true })
    for (const other of [8, 9, 10]) run(other)
    expect(run(7, { keepsLog: true }).logLines).toEqual(alone.logLines)
    expect(run(8, { keepsLog: true }).logLines).not.toEqual(alone.logLines)
  })
})
