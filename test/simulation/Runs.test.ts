/** Runs of the whole service in a simulated world: whatever fails comes back with its seed. */
import { setImmediate as breath } from "node:timers/promises"
import { describe, expect, it } from "@effect/vitest"
import { missing } from "./Reach.ts"
import { Totals } from "./Report.ts"
import { run } from "./Run.ts"
import { knownFaults, RUNS } from "./Seeds.ts"

const AT_ONCE = 100

const firsts = Array.from({ length: RUNS / AT_ONCE }, (_, at) => at * AT_ONCE + 1)

describe("simulated worlds", () => {
  const totals = new Totals()

  it.each(firsts)(`hold whatever happens in them, a hundred from %i on`, async (first) => {
    for (let seed = first; seed < first + AT_ONCE; seed++) {
      const ran = run(seed)
      totals.add(ran)
      if (knownFaults.has(seed)) expect({ seed, problems: ran.problems }).not.toEqual({ seed, problems: [] })
      else expect({ seed, problems: ran.problems }).toEqual({ seed, problems: [] })
      // A run never waits for anything: whoever watches over the tests must come to a word in between.
      await breath()
    }
  })

  it("come across every fault and every state", () => {
    expect(totals.runs).toBe(RUNS)
    expect(missing(totals.counts)).toEqual([])
  })

  it("are the same for the same seed, whatever ran before", () => {
    const alone = run(7, { tells: true })
    for (const other of [8, 9, 10]) run(other)
    expect(run(7, { tells: true }).story).toEqual(alone.story)
    expect(run(8, { tells: true }).story).not.toEqual(alone.story)
  })
})
