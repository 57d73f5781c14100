import { describe, expect, it } from "@effect/vitest"
import { Clock, Duration, Effect, Logger, TestClock } from "effect"

const now = Clock.currentTimeMillis

describe("a test on a clock of its own", () => {
  it.effect.each(["one", "another"])("begins at nothing, whatever came before it: %s", () =>
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
  it.scoped("closes its scope by the same clock", () =>
    Effect.gen(function* () {
      yield* Effect.addFinalizer(() => Effect.map(now, (at) => closedAt.push(at)))
      yield* TestClock.adjust("1 minute")
    })
  )
  it("did so", () => {
    expect(closedAt).toEqual([Duration.toMillis("1 minute")])
  })

  it.effect("writes no log of its own accord, and to a logger that it is given", () =>
    Effect.gen(function* () {
      const written: Array<unknown> = []
      const logger = Logger.make(({ message }) => written.push(message))
      yield* Effect.logInfo("hello").pipe(Effect.provide(Logger.add(logger)))
      expect(written).toEqual([["hello"]])
    })
  )

  it.effect.fails("fails by what is expected in it", () => Effect.sync(() => expect(1).toBe(2)))

  it.live("is left to the real clock where it asks for it", () =>
    Effect.gen(function* () {
      expect(yield* now).toBeGreaterThan(Date.parse("2026-01-01"))
    })
  )
})
