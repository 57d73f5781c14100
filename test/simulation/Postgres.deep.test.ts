/** The simulation's rules over a real PostgreSQL: statements, triggers and batches are not simulated. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { catalogue } from "./bugs/Catalogue.ts"
import type { Planted } from "./bugs/Planting.ts"
import { runOnPostgres } from "./PostgresRun.ts"

const SEEDS = 30

const AT_ONCE = 5

const LIMIT = 120_000

const bugNamed = (name: string) => catalogue.find((bug) => bug.name === name)!

const seedsFrom = (first: number) => Array.from({ length: AT_ONCE }, (_, at) => first + at)

const firsts = Array.from({ length: SEEDS / AT_ONCE }, (_, at) => at * AT_ONCE + 1)

describe("simulation over PostgreSQL", () => {
  const seen = new Map<string, number>()

  const runs = (first: number, planted?: Planted) =>
    Effect.forEach(
      seedsFrom(first),
      (seed) => Effect.map(Effect.scoped(runOnPostgres(seed, planted)), (ran) => ({ seed, ...ran })),
      { concurrency: AT_ONCE }
    )

  it.live.each(firsts)(
    `hold for ${AT_ONCE} seeds from %i on`,
    (first) =>
      Effect.gen(function* () {
        const all = yield* runs(first)
        for (const { counts } of all) for (const [what, count] of counts) seen.set(what, (seen.get(what) ?? 0) + count)
        expect(all.flatMap(({ problems, seed }) => problems.map((problem) => ({ seed, problem })))).toEqual([])
      }),
    LIMIT
  )

  it("the seeds together reach every final status, lost answers and operators", () => {
    const wanted = [
      "inbound: completed",
      "inbound: failed",
      "inbound: refunded",
      "outbound: completed",
      "external: completed",
      "fault: unanswered",
      "operator: by hand",
      "step: refundAtOnce",
      "step: escrow"
    ]
    expect(wanted.filter((what) => !seen.has(what))).toEqual([])
  })

  // Real time: a seed draws its steps, but not in which order they meet. Of the 30 seeds about five fail a payout.
  it.live.each(["a completion has no events", "a failed payout keeps its hold"])(
    "finds the planted bug: %s",
    (name) =>
      Effect.gen(function* () {
        const { planted } = bugNamed(name)
        const found: Array<string> = []
        for (const first of firsts) {
          for (const { problems } of yield* runs(first, planted)) found.push(...problems)
          if (found.length > 0) return
        }
        expect(found).not.toEqual([])
      }),
    2 * LIMIT
  )
})
