import { describe, expect, it } from "@effect/vitest"
import { type Clock, Deferred, Duration, Effect, Exit, Fiber, TestClock, Schedule } from "effect"
import { makeDeadlines, retryIfFailed } from "../../../src/platform/fibers/Deadlines.ts"

const limit = Duration.seconds(30)
const late = () => "late" as const

/** The machine's clock as somebody sets it back by two minutes; the time that passes is not touched by that. */
const setBack = (clock: Clock.Clock, isBack: () => boolean): Clock.Clock => {
  const millis = (now: number) => (isBack() ? now - 120_000 : now)
  return {
    ...clock,
    sleep: (duration) => clock.sleep(duration),
    unsafeCurrentTimeNanos: () => clock.unsafeCurrentTimeNanos(),
    unsafeCurrentTimeMillis: () => millis(clock.unsafeCurrentTimeMillis()),
    currentTimeMillis: Effect.map(clock.currentTimeMillis, millis)
  }
}

describe("Deadlines", () => {
  it.scoped("end a call in time although the clock is set back meanwhile", () =>
    Effect.gen(function* () {
      let back = false
      const clock = setBack(yield* Effect.clock, () => back)
      const within = yield* Effect.withClock(makeDeadlines, clock)
      const call = within(Effect.never, limit, late).pipe(Effect.withClock(clock), Effect.fork)
      const first = yield* call
      yield* TestClock.adjust("1 seconds")
      const second = yield* call
      yield* TestClock.adjust("1 seconds")
      back = true
      yield* TestClock.adjust("28 seconds")
      expect(first.unsafePoll()).toEqual(Exit.succeed("late"))
      yield* TestClock.adjust("1 seconds")
      expect(second.unsafePoll()).toEqual(Exit.succeed("late"))
    })
  )

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
