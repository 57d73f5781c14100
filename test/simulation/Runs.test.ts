/** Runs of the whole service in a simulated world: whatever fails comes back with its seed. */
import { describe, expect, it } from "@effect/vitest"
import { run } from "../../simulation/Run.ts"

const seeds = (from: number, count: number) => Array.from({ length: count }, (_, at) => from + at)

describe("simulated worlds", () => {
  it("hold whatever happens in them", { timeout: 300_000 }, () => {
    for (const seed of seeds(1, 100)) expect({ seed, problems: run(seed).problems }).toEqual({ seed, problems: [] })
  })

  it("are the same for the same seed, whatever ran before", () => {
    const [alone, again] = [run(7, { tells: true }), run(7, { tells: true })]
    expect(again.story).toEqual(alone.story)
    expect(run(8, { tells: true }).story).not.toEqual(alone.story)
  })
})
