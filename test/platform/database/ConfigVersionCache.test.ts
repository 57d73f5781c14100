/** Caching of configurations: what is kept, and for which organisation. */
import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { configVersionsCached } from "../../../src/domain/policies/DatabasePolicies.ts"
import { InTransaction, PoolQuotas } from "../../../src/platform/database/Transactor.ts"
import { atConfigVersion, cachedByConfigVersion } from "../../../src/platform/database/Batcher.ts"

/** Answers each question with how often anybody has been asked by then. */
const counting = Effect.gen(function* () {
  let asked = 0
  const read = yield* cachedByConfigVersion(
    (question: string) => question,
    (questions) => Effect.sync(() => questions.map((question) => `${question} ${(asked += 1)}`))
  )
  return { read, asked: () => asked }
})

layer(Layer.effect(PoolQuotas, PoolQuotas.make(10)))("Reads cached by configuration version", (it) => {
  it.scoped("are read once for each version and key", () =>
    Effect.gen(function* () {
      const { read } = yield* counting
      const answers = Effect.forEach(["a", "b", "a"], read)
      expect(yield* atConfigVersion("v1")(answers)).toEqual(["a 1", "b 2", "a 1"])
      expect(yield* atConfigVersion("v1")(answers)).toEqual(["a 1", "b 2", "a 1"])
      expect(yield* atConfigVersion("v2")(answers)).toEqual(["a 3", "b 4", "a 3"])
      expect(yield* atConfigVersion("v1")(answers), "of a request that has been on its way for long").toEqual([
        "a 1",
        "b 2",
        "a 1"
      ])
    })
  )

  it.scoped("are read each time without a version", () =>
    Effect.gen(function* () {
      const { read } = yield* counting
      yield* atConfigVersion("v1")(read("a"))
      expect(yield* read("a")).toBe("a 2")
      expect(yield* atConfigVersion(null)(read("a"))).toBe("a 3")
      expect(yield* atConfigVersion("v1")(read("a")), "and not remembered").toBe("a 1")
    })
  )

  it.scoped("are read each time in a transaction, which may have changed them", () =>
    Effect.gen(function* () {
      const { read } = yield* counting
      const inside = Effect.provideService(atConfigVersion("v1")(read("a")), InTransaction, true)
      expect([yield* inside, yield* inside]).toEqual(["a 1", "a 2"])
      expect(yield* atConfigVersion("v1")(read("a")), "and not remembered").toBe("a 3")
    })
  )

  it.scoped("that failed are not cached", () =>
    Effect.gen(function* () {
      let fails = true
      const read = yield* cachedByConfigVersion(
        (question: string) => question,
        (questions) => (fails ? Effect.die("no connection") : Effect.succeed(questions))
      )
      expect((yield* Effect.exit(atConfigVersion("v1")(read("a"))))._tag).toBe("Failure")
      fails = false
      expect(yield* atConfigVersion("v1")(read("a"))).toBe("a")
    })
  )

  it.scoped("are evicted oldest first", () =>
    Effect.gen(function* () {
      const { asked, read } = yield* counting
      const many = Array.from({ length: configVersionsCached }, (_, n) => `${n}`)
      yield* atConfigVersion("v1")(Effect.forEach(["old", ...many], read, { discard: true }))
      expect(asked()).toBe(configVersionsCached + 1)
      yield* atConfigVersion("v1")(Effect.forEach(many, read, { discard: true }))
      expect(asked(), "the others are still known").toBe(configVersionsCached + 1)
      yield* atConfigVersion("v1")(read("old"))
      expect(asked()).toBe(configVersionsCached + 2)
    })
  )
})
