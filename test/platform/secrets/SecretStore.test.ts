import { expect } from "@effect/vitest"
import { Effect, Option } from "effect"
import { SecretStore } from "../../../src/platform/secrets/Secrets.ts"
import { onBothStores } from "../../support/OnBothStores.ts"

onBothStores("SecretStore", (it) => {
  it.effect("keeps what is there, until it is replaced", () =>
    Effect.gen(function* () {
      const store = yield* SecretStore
      expect(yield* store.find("a")).toEqual(Option.none())
      expect(yield* store.putIfAbsent({ name: "a", sealed: "first" })).toBe("first")
      expect(yield* store.putIfAbsent({ name: "a", sealed: "second" })).toBe("first")
      yield* store.replace({ name: "a", sealed: "third" })
      expect(yield* store.find("a")).toEqual(Option.some("third"))
    })
  )

  it.effect("replaces nothing that is not there", () =>
    Effect.gen(function* () {
      const store = yield* SecretStore
      yield* store.replace({ name: "absent", sealed: "x" })
      expect(yield* store.find("absent")).toEqual(Option.none())
    })
  )

  it.effect("keeps one of forty that come at once, and returns it to all of them", () =>
    Effect.gen(function* () {
      const store = yield* SecretStore
      const answers = yield* Effect.all(
        Array.from({ length: 40 }, (_, n) => store.putIfAbsent({ name: "raced", sealed: `value ${n}` })),
        { concurrency: "unbounded" }
      )
      expect(new Set(answers).size).toBe(1)
      expect(yield* store.find("raced")).toEqual(Option.some(answers[0]))
    })
  )
})
