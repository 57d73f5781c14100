import { expect, it } from "@effect/vitest"
import { Cause, Deferred, Duration, Effect, Exit, Fiber, TestClock } from "effect"
import { makeKeyedLocks } from "../../../src/platform/fibers/KeyedLocks.ts"
import { Busy } from "../../../src/domain/Failure.ts"

const PATIENCE = Duration.seconds(8)

const settle = Effect.replicateEffect(Effect.yieldNow(), 20)

it.effect("One key is taken by one at a time, in the order in which they came; others do not wait for it", () =>
  Effect.gen(function* () {
    const inTurn = makeKeyedLocks(PATIENCE)
    const began: Array<string> = []
    const gates = yield* Effect.replicateEffect(Deferred.make<void>(), 3)
    const fibers = yield* Effect.forEach(gates, (gate, n) =>
      Effect.fork(
        inTurn(
          "one",
          Effect.suspend(() => {
            began.push(`one ${n}`)
            return Deferred.await(gate)
          })
        )
      )
    )
    yield* settle
    yield* inTurn(
      "other",
      Effect.sync(() => began.push("other"))
    )
    expect(began).toEqual(["one 0", "other"])
    for (const gate of gates) {
      yield* Deferred.succeed(gate, undefined)
      yield* settle
    }
    expect(began).toEqual(["one 0", "other", "one 1", "one 2"])
    yield* Effect.forEach(fibers, Fiber.join)
  })
)

it.effect("fails as busy without a permit in time, and does not interrupt work that has begun", () =>
  Effect.gen(function* () {
    const inTurn = makeKeyedLocks(PATIENCE)
    const gate = yield* Deferred.make<void>()
    let done = 0
    const first = yield* Effect.fork(inTurn("one", Deferred.await(gate)))
    yield* settle
    const late = yield* Effect.fork(
      Effect.exit(
        inTurn(
          "one",
          Effect.sync(() => (done += 1))
        )
      )
    )
    yield* settle
    yield* TestClock.adjust(PATIENCE)
    const exit = yield* Fiber.join(late)
    expect(Exit.isFailure(exit) && Cause.squash(exit.cause)).toBeInstanceOf(Busy)
    yield* Deferred.succeed(gate, undefined)
    yield* Fiber.join(first)
    expect(done).toBe(0)
    yield* inTurn(
      "one",
      Effect.sync(() => (done += 1))
    )
    expect(done).toBe(1)
  })
)

it.effect("Whoever fails, dies or goes away makes room for the next", () =>
  Effect.gen(function* () {
    const inTurn = makeKeyedLocks(PATIENCE)
    expect(yield* Effect.flip(inTurn("one", Effect.fail("no")))).toBe("no")
    yield* Effect.exit(inTurn("one", Effect.die("broken")))
    const gone = yield* Effect.fork(inTurn("one", Effect.never))
    yield* settle
    const next = yield* Effect.fork(inTurn("one", Effect.succeed("next")))
    yield* settle
    yield* Fiber.interrupt(gone)
    expect(yield* Fiber.join(next)).toBe("next")
  })
)
