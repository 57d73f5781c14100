import { describe, expect, it } from "@effect/vitest"
import { Clock, Duration, Effect, Logger, TestClock } from "effect"

const now = Clock.currentTimeMillis

describe("test clock", () => {
  it.effect.each(["one", "another"])("starts at zero in every test: %s", () =>
    Effect.gen(function* () {
      expect(yield* now).toBe(0)
      const [woken] = yield* Effect.all([Effect.zipRight(Effect.sleep("1 hour"), now), TestClock.adjust("2 hours")], {
        concurrency: 2
      })
      expect(woken).toBe(Duration.toMillis("1 hour"))
      expect(yield* now).toBe(Duration.toMillis("2 hours"))
    })
  )

  const closedAt: Array<number> = []
  it.scoped("closes the scope on the test clock", () =>
    Effect.gen(function* () {
      yield* Effect.addFinalizer(() => Effect.map(now, (at) => closedAt.push(at)))
      yield* TestClock.adjust("1 minute")
    })
  )
  it("closed the scope of the test before", () => {
    expect(closedAt).toEqual([Duration.toMillis("1 minute")])
  })

  it.effect("logs only to a logger that the test adds", () =>
    Effect.gen(function* () {
      const written: Array<unknown> = []
      const logger = Logger.make(({ message }) => written.push(message))
      yield* Effect.logInfo("hello").pipe(Effect.provide(Logger.add(logger)))
      expect(written).toEqual([["hello"]])
    })
  )

  it.effect.fails("fails on a failed expectation", () => Effect.sync(() => expect(1).toBe(2)))

  it.live("is replaced by the real clock in it.live", () =>
    Effect.gen(function* () {
      expect(yield* now).toBeGreaterThan(Date.parse("2026-01-01"))
    })
  )
})
