/** The database in memory, among instances that may stop for good between any two steps. */
import { describe, expect, it } from "@effect/vitest"
import { Context, Effect, FiberRef, Option, type Scheduler } from "effect"
import { InTransaction } from "../../../src/platform/database/Transactor.ts"
import { MemoryDatabase } from "../../../src/platform/database/MemoryDatabase.ts"

/** Gives way again and again outside of a transaction, and does nothing any more after so many turns. */
const mortal = (
  turns: number,
  pace: number
): { readonly scheduler: Scheduler.Scheduler; readonly live: () => void } => {
  const tasks: Array<() => void> = []
  let untilYield = pace
  return {
    scheduler: {
      scheduleTask: (task) => void tasks.push(task),
      shouldYield: (fiber) => {
        untilYield -= 1
        const context = fiber.getFiberRef(FiberRef.currentContext) as Context.Context<never>
        if (untilYield > 0 || Context.get(context, InTransaction)) return false
        untilYield = pace
        return 0
      }
    },
    live: () => {
      for (let turn = 0; turn < turns; turn += 1) tasks.shift()?.()
    }
  }
}

describe("the database in memory", () => {
  it.live("releases its lock if a fiber is interrupted at the begin or end of a transaction", () =>
    Effect.gen(function* () {
      const { atomically } = yield* MemoryDatabase
      let done = 0
      // Giving way and coming back takes steps too: with fewer it would never come further.
      for (const pace of [10, 11, 12, 13, 14, 16, 18, 20, 24, 30]) {
        for (let turns = 1; turns <= 12; turns += 1) {
          const { live, scheduler } = mortal(turns, pace)
          Effect.runFork(atomically(Effect.sync(() => void (done += 1))), { scheduler })
          live()
          const after = yield* Effect.timeoutOption(atomically(Effect.succeed("in")), "1 second")
          expect(Option.getOrUndefined(after), `stopped after ${turns} turns`).toBe("in")
        }
      }
      expect(done, "some came through").toBeGreaterThan(0)
      expect(done, "and some did not").toBeLessThan(120)
    }).pipe(Effect.provide(MemoryDatabase.layer))
  )
})
