import { expect, layer } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer } from "effect"
import type { Stored } from "../../../src/platform/database/DatabaseFailure.ts"
import { batched, batchedReads } from "../../../src/platform/database/Batcher.ts"
import { InTransaction, PoolQuotas } from "../../../src/platform/database/Transactor.ts"

/** Doubles numbers, refuses 13, and remembers the batches it was given; the first batch waits for the gate. */
const doubling = Effect.gen(function* () {
  const gate = yield* Deferred.make<void>()
  const batches: Array<ReadonlyArray<number>> = []
  const double = yield* batched(
    (items: ReadonlyArray<number>) =>
      Effect.gen(function* () {
        batches.push(items)
        if (batches.length === 1) yield* Deferred.await(gate)
        if (items.includes(13)) return yield* Effect.die(new Error("13"))
        return items.map((n) => n * 2)
      }),
    { largest: 4 }
  )
  return { batches, double, open: Deferred.succeed(gate, undefined) }
})

const askAll = (double: (n: number) => Stored<number>, numbers: ReadonlyArray<number>) =>
  Effect.forEach(numbers, (n) => Effect.fork(Effect.exit(double(n))))

layer(Layer.effect(PoolQuotas, PoolQuotas.make(10)))("A batcher", (it) => {
  it.scoped("gathers what arrives while a batch is under way, and answers each with its own", () =>
    Effect.gen(function* () {
      const { batches, double, open } = yield* doubling
      const fibers = yield* askAll(double, [1, 2, 3, 4, 5, 6])
      yield* Effect.yieldNow()
      yield* open
      const answers = yield* Effect.forEach(fibers, Fiber.join)
      expect(answers).toEqual([2, 4, 6, 8, 10, 12].map((n) => Exit.succeed(n)))
      expect(batches.length).toBeLessThan(4)
      expect(batches.every((batch) => batch.length <= 4)).toBe(true)
    })
  )

  it.scoped("lets one that cannot be done fail alone", () =>
    Effect.gen(function* () {
      const { batches, double, open } = yield* doubling
      const fibers = yield* askAll(double, [0, 1, 13, 2])
      yield* Effect.yieldNow()
      yield* open
      const answers = yield* Effect.forEach(fibers, Fiber.join)
      expect(answers.map((exit) => Exit.isSuccess(exit))).toEqual([true, true, false, true])
      expect(batches).toContainEqual([13])
    })
  )

  it.scoped("answers with a failure when the work throws instead of failing", () =>
    Effect.gen(function* () {
      const thrower = yield* batched((items: ReadonlyArray<number>): Effect.Effect<ReadonlyArray<number>> => {
        if (items.includes(13)) throw new Error("13")
        return Effect.succeed(items)
      })
      expect(Exit.isFailure(yield* Effect.exit(thrower(13)))).toBe(true)
      expect(Exit.isFailure(yield* Effect.exit(thrower(13)))).toBe(true)
      expect(yield* thrower(1)).toBe(1)
    })
  )

  it.scoped("runs at once and alone inside a transaction", () =>
    Effect.gen(function* () {
      const { batches, double, open } = yield* doubling
      yield* open
      const answers = yield* Effect.all([double(1), double(2)], { concurrency: 2 }).pipe(
        Effect.provideService(InTransaction, true)
      )
      expect(answers).toEqual([2, 4])
      expect(batches).toEqual([[1], [2]])
    })
  )

  it.scoped("continues for the others when one caller gives up", () =>
    Effect.gen(function* () {
      const { double, open } = yield* doubling
      const [gone, stays] = yield* askAll(double, [1, 2])
      yield* Effect.yieldNow()
      yield* Fiber.interrupt(gone!)
      yield* open
      expect(yield* Fiber.join(stays!)).toEqual(Exit.succeed(4))
    })
  )

  it.scoped("reads equal keys once and shares the result", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const batches: Array<ReadonlyArray<string>> = []
      const shout = yield* batchedReads(
        (word: string) => word,
        (words) =>
          Effect.gen(function* () {
            batches.push(words)
            if (batches.length === 1) yield* Deferred.await(gate)
            return words.map((word) => word.toUpperCase())
          })
      )
      const fibers = yield* Effect.forEach(["a", "b", "c", "b", "b", "c"], (word) => Effect.fork(shout(word)))
      yield* Effect.yieldNow()
      yield* Deferred.succeed(gate, undefined)
      expect(yield* Effect.forEach(fibers, Fiber.join)).toEqual(["A", "B", "C", "B", "B", "C"])
      expect(batches).toEqual([["a"], ["b", "c"]])
    })
  )
})
