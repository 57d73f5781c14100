import { describe, expect, it } from "@effect/vitest"
import { Deferred, Duration, Effect, Exit, Fiber, TestClock } from "effect"
import { makeDeadlines } from "../../src/fibers/Deadlines.ts"

const limit = Duration.seconds(30)
const late = () => "late" as const

describe("Deadlines", () => {
  it.scoped("let through what comes in time, and answer for what does not", () =>
    Effect.gen(function* () {
      const within = yield* makeDeadlines
      expect(yield* within(Effect.succeed(1), limit, late)).toBe(1)
      const soon = yield* Effect.fork(within(Effect.delay(Effect.succeed(2), "29 seconds"), limit, late))
      yield* TestClock.adjust("10 seconds")
      const never = yield* Effect.fork(within(Effect.never, limit, late))
      yield* TestClock.adjust("19 seconds")
      expect(yield* Fiber.join(soon)).toBe(2)
      yield* TestClock.adjust("10999 millis")
      expect(never.unsafePoll()).toBeNull()
      yield* TestClock.adjust("1 millis")
      expect(yield* Fiber.join(never)).toBe("late")
    })
  )

  it.scoped("keep limits of different lengths apart, and work again after a time without calls", () =>
    Effect.gen(function* () {
      const within = yield* makeDeadlines
      const long = yield* Effect.fork(within(Effect.never, limit, late))
      yield* TestClock.adjust("1 seconds")
      const short = yield* Effect.fork(within(Effect.never, Duration.seconds(2), late))
      yield* TestClock.adjust("2 seconds")
      expect(yield* Fiber.join(short)).toBe("late")
      expect(long.unsafePoll()).toBeNull()
      yield* TestClock.adjust("27 seconds")
      expect(yield* Fiber.join(long)).toBe("late")
      yield* TestClock.adjust("1 hours")
      const again = yield* Effect.fork(within(Effect.never, limit, late))
      yield* TestClock.adjust(limit)
      expect(yield* Fiber.join(again)).toBe("late")
    })
  )

  it.scoped("wait until what they interrupt has ended, and take an answer that it still gives", () =>
    Effect.gen(function* () {
      const within = yield* makeDeadlines
      const ended: Array<string> = []
      const slowToEnd = Effect.onInterrupt(Effect.never, () =>
        Effect.zipRight(
          Effect.sleep("5 seconds"),
          Effect.sync(() => ended.push("ended"))
        )
      )
      const cut = yield* Effect.fork(within(slowToEnd, limit, late))
      const kept = yield* Effect.fork(
        within(Effect.uninterruptible(Effect.delay(Effect.succeed("done"), "31 seconds")), limit, late)
      )
      yield* TestClock.adjust(limit)
      expect(cut.unsafePoll()).toBeNull()
      yield* TestClock.adjust("5 seconds")
      expect(yield* Fiber.join(cut)).toBe("late")
      expect(ended).toEqual(["ended"])
      expect(Exit.isSuccess(yield* Fiber.await(kept))).toBe(true)
    })
  )

  it.scoped("pass failures on, and interrupt what runs when their caller is interrupted", () =>
    Effect.gen(function* () {
      const within = yield* makeDeadlines
      expect(yield* Effect.exit(within(Effect.fail("no"), limit, late))).toEqual(Exit.fail("no"))
      const interrupted = yield* Deferred.make<boolean>()
      const caller = yield* Effect.fork(
        within(
          Effect.onInterrupt(Effect.never, () => Deferred.succeed(interrupted, true)),
          limit,
          late
        )
      )
      yield* Effect.yieldNow()
      yield* Fiber.interrupt(caller)
      expect(yield* Deferred.await(interrupted)).toBe(true)
    })
  )
})
