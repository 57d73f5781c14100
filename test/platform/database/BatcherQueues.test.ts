import { expect, layer } from "@effect/vitest"
import { Duration, Effect, Exit, Fiber, Layer, TestClock } from "effect"
import { batched } from "../../../src/platform/database/Batcher.ts"
import { PoolQuotas } from "../../../src/platform/database/Transactor.ts"
import { busy, type DatabaseFailure, maybeWritten } from "../../../src/domain/Failure.ts"
import { failureTag } from "../../support/FailureTag.ts"
import {
  batchLockTimeout,
  ownBatchDuration,
  ownBatchLockTimeout,
  longestOwnBatchQueue,
  longestQueue,
  queuePatience
} from "../../../src/domain/policies/DatabasePolicies.ts"

interface Item {
  readonly org: string
  readonly n: number
}

const of = (org: string, ...numbers: ReadonlyArray<number>): ReadonlyArray<Item> => numbers.map((n) => ({ org, n }))

const lockTimeout = Object.assign(new Error("canceling statement due to lock timeout"), { code: "55P03" })

/** Doubles numbers. Rows of an organisation in `held` are waited for as long as a batch may wait; 13 is refused. */
const doubling = Effect.gen(function* () {
  const batches: Array<ReadonlyArray<Item>> = []
  const held = new Set<string>()
  const hanging = new Set<number>()
  const double = yield* batched(
    (items: ReadonlyArray<Item>, wait) =>
      Effect.gen(function* () {
        batches.push(items)
        if (items.some(({ n }) => hanging.has(n))) return yield* Effect.never
        if (items.some(({ org }) => held.has(org))) {
          yield* Effect.sleep(Duration.millis(Number(wait)))
          if (items.some(({ org }) => held.has(org))) return yield* Effect.fail(busy(lockTimeout))
        }
        yield* Effect.yieldNow()
        if (items.some(({ n }) => n === 13)) return yield* Effect.die(new Error("13"))
        return items.map(({ n }) => n * 2)
      }),
    { queueOf: ({ org }) => org }
  )
  const ask = (items: ReadonlyArray<Item>) =>
    Effect.forEach(items, (item) => Effect.fork(Effect.exit(double(item)))).pipe(
      Effect.tap(Effect.yieldNow()),
      Effect.map((fibers) => Effect.forEach(fibers, Fiber.join))
    )
  return { ask, batches, hanging, held }
})

const doubled = (...numbers: ReadonlyArray<number>) => numbers.map((n) => Exit.succeed(n * 2))

const failures = (exits: ReadonlyArray<Exit.Exit<number, DatabaseFailure>>) => exits.map(failureTag)

layer(Layer.effect(PoolQuotas, PoolQuotas.make(10)))("Batches of a locked organisation", (it) => {
  it.scoped("leave the common batch while rows are locked", () =>
    Effect.gen(function* () {
      const { ask, batches, held } = yield* doubling
      held.add("held")
      const mixed = yield* ask([...of("a", 1), ...of("held", 2), ...of("b", 3)])
      const answers = yield* Effect.fork(mixed)
      // The first went alone; the second batch waits, and then the one organisation of it that is held.
      yield* TestClock.adjust(batchLockTimeout)
      yield* TestClock.adjust(batchLockTimeout)
      expect(yield* yield* ask(of("c", 4))).toEqual(doubled(4))
      const later = yield* ask([...of("held", 5), ...of("b", 6)])
      expect(batches.slice(0, 2)).toEqual([of("a", 1), [...of("held", 2), ...of("b", 3)]])
      expect(batches.at(-1), "it is no longer in the common batch").toEqual(of("b", 6))
      held.clear()
      yield* TestClock.adjust(ownBatchLockTimeout)
      expect(yield* Fiber.join(answers)).toEqual(doubled(1, 2, 3))
      expect(yield* later).toEqual(doubled(5, 6))
    })
  )

  it.scoped("fail as busy after the lock timeout, and rejoin the common batch later", () =>
    Effect.gen(function* () {
      const { ask, batches, held } = yield* doubling
      held.add("held")
      const answers = yield* Effect.fork(yield* ask(of("held", 1, 2)))
      yield* TestClock.adjust(batchLockTimeout)
      const behind = yield* Effect.fork(yield* ask(of("held", 3)))
      yield* TestClock.adjust(ownBatchLockTimeout)
      yield* TestClock.adjust(ownBatchLockTimeout)
      expect(failures(yield* Fiber.join(answers))).toEqual(["Busy", "Busy"])
      expect(failures(yield* Fiber.join(behind))).toEqual(["Busy"])
      held.clear()
      yield* TestClock.adjust(ownBatchDuration)
      yield* TestClock.adjust(ownBatchDuration)
      yield* yield* ask([...of("a", 4), ...of("held", 5), ...of("b", 6)])
      expect(batches.at(-1)).toEqual([...of("held", 5), ...of("b", 6)])
    })
  )

  it.scoped("keep a refused item within its organisation", () =>
    Effect.gen(function* () {
      const { ask, batches } = yield* doubling
      const mixed = yield* ask([...of("a", 1), ...of("b", 2, 3), ...of("wrong", 4, 13, 5, 6)])
      const exits = yield* mixed
      expect(exits.map(Exit.isSuccess)).toEqual([true, true, true, true, false, true, true])
      expect(batches).toContainEqual(of("b", 2, 3))
      expect(batches).toContainEqual(of("wrong", 13))
      const count = batches.length
      yield* yield* ask([...of("a", 7), ...of("b", 8), ...of("wrong", 13)])
      expect(batches.slice(count), "neighbours are not tried twice").toContainEqual(of("b", 8))
      expect(batches.slice(count).filter((batch) => batch.some(({ org }) => org === "b"))).toHaveLength(1)
    })
  )

  it.scoped("let the next batch overtake an overdue one", () =>
    Effect.gen(function* () {
      const { ask, hanging } = yield* doubling
      hanging.add(1)
      yield* Effect.asVoid(ask(of("a", 1)))
      const behind = yield* Effect.fork(yield* ask([...of("a", 2), ...of("b", 3)]))
      yield* TestClock.adjust("1 second")
      expect(yield* Fiber.join(behind)).toEqual(doubled(2, 3))
    })
  )

  it.scoped("fail items that wait too long, and report that requests are stuck", () =>
    Effect.gen(function* () {
      const { isStuck } = yield* PoolQuotas
      const { ask, hanging } = yield* doubling
      for (const n of [1, 2, 3, 4]) {
        hanging.add(n)
        yield* Effect.asVoid(ask(of("a", n)))
        yield* TestClock.adjust("1 second")
      }
      const behind = yield* Effect.fork(yield* ask(of("b", 5)))
      expect(yield* isStuck).toBe(false)
      yield* TestClock.adjust("3 seconds")
      expect(yield* isStuck).toBe(true)
      yield* TestClock.adjust(queuePatience)
      expect(failures(yield* Fiber.join(behind))).toEqual(["Busy"])
      expect(yield* isStuck).toBe(false)
    })
  )

  it.scoped("refuse items beyond the longest queue", () =>
    Effect.gen(function* () {
      const { ask, hanging, held } = yield* doubling
      held.add("held")
      yield* Effect.asVoid(ask(of("held", 1)))
      yield* TestClock.adjust(batchLockTimeout)
      yield* Effect.asVoid(ask(of("held", ...Array.from({ length: longestOwnBatchQueue }, (_, n) => n + 100))))
      expect(failures(yield* yield* ask(of("held", 2)))).toEqual(["Busy"])
      hanging.add(3)
      yield* Effect.asVoid(ask(of("a", 3)))
      yield* Effect.asVoid(ask(of("b", ...Array.from({ length: longestQueue }, (_, n) => n + 100))))
      expect(failures(yield* yield* ask(of("c", 4)))).toEqual(["Busy"])
    })
  )

  it.scoped("retry a batch once after its connection broke", () =>
    Effect.gen(function* () {
      const batches: Array<ReadonlyArray<number>> = []
      const same = yield* batched((items: ReadonlyArray<number>) => {
        batches.push(items)
        const answer = items.includes(13) || batches.length === 1 ? Effect.fail(maybeWritten()) : Effect.succeed(items)
        return Effect.zipRight(Effect.yieldNow(), answer)
      })
      expect(yield* same(1)).toBe(1)
      const exits = yield* Effect.forEach([2, 13, 3], (n) => Effect.exit(same(n)), { concurrency: 3 })
      expect(failures(exits)).toEqual(["none", "MaybeWritten", "MaybeWritten"])
      expect(batches).toEqual([[1], [1], [2], [13, 3], [13, 3]])
    })
  )
})
