import { describe, expect, it } from "@effect/vitest"
import { Context, Deferred, Effect, Exit, Fiber, TestClock } from "effect"
import { runInParallel } from "../../../src/platform/fibers/RunInParallel.ts"

class Colour extends Context.Reference<Colour>()("test/Colour", { defaultValue: () => "none" }) {}

describe("Parts run together", () => {
  it.effect("answer in their order, and take as long as the longest", () =>
    Effect.gen(function* () {
      const after = <A>(millis: number, answer: A) => Effect.delay(Effect.succeed(answer), millis)
      const all = yield* Effect.fork(runInParallel([after(30, "a"), after(10, 2), Effect.succeed(null)]))
      yield* TestClock.adjust("29 millis")
      expect(all.unsafePoll()).toBeNull()
      yield* TestClock.adjust("1 millis")
      expect(yield* Fiber.join(all)).toEqual(["a", 2, null])
      expect(yield* runInParallel([])).toEqual([])
    })
  )

  it.effect("see what was provided around them", () =>
    Effect.gen(function* () {
      const [colour] = yield* Effect.provideService(runInParallel([Colour]), Colour, "red")
      expect(colour).toBe("red")
    })
  )

  it.effect("end with the first that dies, and with their caller", () =>
    Effect.gen(function* () {
      const stopped = yield* Deferred.make<string>()
      const lasting = (name: string) => Effect.onInterrupt(Effect.never, () => Deferred.succeed(stopped, name))
      const died = yield* Effect.exit(runInParallel([lasting("first"), Effect.die("a bug")]))
      expect(died).toEqual(Exit.die("a bug"))
      expect(yield* Deferred.await(stopped)).toBe("first")

      const caught = yield* Deferred.make<boolean>()
      const caller = yield* Effect.fork(
        runInParallel([Effect.onInterrupt(Effect.never, () => Deferred.succeed(caught, true)), Effect.succeed(1)])
      )
      yield* Effect.yieldNow()
      yield* Fiber.interrupt(caller)
      expect(yield* Deferred.await(caught)).toBe(true)
    })
  )
})
