/** Runs of the whole service in a simulated world: whatever fails comes back with its seed. */
import { setImmediate as breath } from "node:timers/promises"
import { describe, expect, it } from "@effect/vitest"
import { run } from "../../simulation/Run.ts"
import { RUNS } from "./Seeds.ts"

describe("simulated worlds", () => {
  it("hold whatever happens in them", { timeout: 300_000 }, async () => {
    for (let seed = 1; seed <= RUNS; seed++) {
      expect({ seed, problems: run(seed).problems }).toEqual({ seed, problems: [] })
      // A run never waits for anything: whoever watches over the tests must come to a word in between.
      await breath()
    }
  })

  it("are the same for the same seed, whatever ran before", () => {
    const [alone, again] = [run(7, { tells: true }), run(7, { tells: true })]
    expect(again.story).toEqual(alone.story)
    expect(run(8, { tells: true }).story).not.toEqual(alone.story)
  })
})
