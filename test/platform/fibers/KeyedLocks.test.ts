import { expect, it } from "@effect/vitest"
import { Cause, Deferred, Duration, Effect, Exit, Fiber, TestClock } from "effect"
import { makeKeyedLocks, makeKeyedQueues, makePermits } from "../../../src/platform/fibers/KeyedLocks.ts"
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

it.effect("A holder that fails, dies or is interrupted makes room for the next", () =>
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

it.effect("A permit that is granted to a fiber just as that is interrupted goes to the next in line", () =>
  Effect.gen(function* () {
    const { use } = makePermits(1)
    const began: Array<string> = []
    const gate = yield* Deferred.make<Fiber.RuntimeFiber<unknown>>()
    const first = yield* Effect.fork(
      use(
        Effect.map(Deferred.await(gate), (next) => {
          // In the same step as the release: the fiber has both before it runs.
          next.unsafeInterruptAsFork(next.id())
        })
      )
    )
    yield* settle
    const [second, third] = yield* Effect.forEach(["second", "third"], (name) =>
      Effect.fork(use(Effect.sync(() => began.push(name))))
    )
    yield* settle
    yield* Deferred.succeed(gate, second!)
    yield* Fiber.join(first)
    yield* Fiber.join(third!)
    expect(began).toEqual(["third"])
    expect(yield* use(Effect.succeed("free again"))).toBe("free again")
  })
)

it.effect("No permit is lost or given twice, whenever fibers come, give up and are interrupted", () =>
  Effect.gen(function* () {
    const { use, useWithin } = makePermits(3)
    let [running, most, done] = [0, 0, 0]
    const work = (turns: number) =>
      Effect.acquireUseRelease(
        Effect.sync(() => (most = Math.max(most, ++running))),
        () => Effect.replicateEffect(Effect.yieldNow(), turns),
        () => Effect.sync(() => void (running--, done++))
      )
    const fibers = yield* Effect.forEach(
      Array.from({ length: 300 }, (_, n) => n),
      (n) => Effect.fork((n % 3 === 0 ? useWithin(Duration.millis(n % 7)) : use)(work(n % 5)))
    )
    for (const [n, fiber] of fibers.entries()) {
      if (n % 4 === 0) yield* Fiber.interruptFork(fiber)
      if (n % 9 === 0) yield* TestClock.adjust("1 millis")
      if (n % 2 === 0) yield* Effect.yieldNow()
    }
    yield* TestClock.adjust("10 millis")
    yield* Effect.forEach(fibers, Fiber.await)
    expect([running, most]).toEqual([0, 3])
    expect(done).toBeGreaterThan(100)
    // All three permits are free again.
    yield* Effect.forEach([1, 2, 3], () => use(Effect.yieldNow()), { concurrency: 3 })
    const held = yield* Effect.forEach([1, 2, 3], () => Effect.fork(use(Effect.never)))
    yield* settle
    expect(
      yield* Effect.flip(
        Effect.zipLeft(Effect.fork(useWithin(Duration.millis(5))(Effect.void)), TestClock.adjust("5 millis")).pipe(
          Effect.flatMap(Fiber.join)
        )
      )
    ).toBeInstanceOf(Busy)
    yield* Effect.forEach(held, Fiber.interrupt)
    yield* use(Effect.void)
  })
)

it.effect("A waiter that is interrupted at any step stands in no queue any more", () =>
  Effect.forEach([12, 13, 14, 15, 16], (steps) =>
    Effect.gen(function* () {
      const inLine = makeKeyedQueues(1)
      for (let yields = 0; yields < 10; yields++) {
        // A fiber lets others run after so many steps, wherever it is.
        const waiting = inLine("list", ({ permits }) => permits.use(Effect.never))
        const fiber = yield* Effect.fork(Effect.withMaxOpsBeforeYield(waiting, steps))
        yield* Effect.replicateEffect(Effect.yieldNow(), yields)
        yield* Fiber.interrupt(fiber)
        expect(yield* inLine("list", ({ size }) => Effect.succeed(size))).toBe(1)
      }
    })
  )
)
