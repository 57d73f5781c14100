import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, Schedule, TestClock } from "effect"
import { retryIfFailed } from "../../../src/platform/fibers/Deadlines.ts"

describe("retryIfFailed", () => {
  it.effect.each([0, 1, 2, 3, 4, 5])("tries as often and as late as Effect.retry: %d failures", (failures) =>
    Effect.gen(function* () {
      const policy = { schedule: Schedule.intersect(Schedule.exponential("10 millis"), Schedule.recurs(3)) }
      const triesOf = (retried: (effect: Effect.Effect<string, number>) => Effect.Effect<string, number>) =>
        Effect.gen(function* () {
          const tries: Array<number> = []
          const once = Effect.clockWith((clock) =>
            Effect.suspend(() => {
              tries.push(clock.unsafeCurrentTimeMillis())
              return tries.length > failures ? Effect.succeed("done") : Effect.fail(tries.length)
            })
          )
          const began = yield* Effect.clock.pipe(Effect.map((clock) => clock.unsafeCurrentTimeMillis()))
          const fiber = yield* Effect.fork(Effect.either(retried(once)))
          yield* TestClock.adjust("1 second")
          return { result: yield* Fiber.join(fiber), after: tries.map((at) => at - began) }
        })
      const here = yield* triesOf((effect) => retryIfFailed(effect, policy))
      expect(here).toEqual(yield* triesOf((effect) => Effect.retry(effect, policy)))
      expect(here.after.length).toBe(Math.min(failures + 1, 4))
    })
  )

  it.effect("does not repeat what the policy leaves alone", () =>
    Effect.gen(function* () {
      let tries = 0
      const failing = Effect.suspend(() => {
        tries += 1
        return Effect.fail("final")
      })
      const error = yield* Effect.flip(
        retryIfFailed(failing, { schedule: Schedule.recurs(5), while: (reason) => reason !== "final" })
      )
      expect([error, tries]).toEqual(["final", 1])
    })
  )
})
