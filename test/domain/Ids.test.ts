import { describe, expect, it } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import { Ids } from "../../src/domain/Ids.ts"

const shape = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

describe("Ids", () => {
  for (const [name, layer] of [
    ["random", Ids.layer],
    ["seeded", Ids.layerSeeded]
  ] as const) {
    it.effect(`${name}: are UUIDs of version 7 that sort in the order in which they were made`, () =>
      Effect.gen(function* () {
        const ids = yield* Ids
        const made: Array<string> = []
        for (let millis = 0; millis < 20; millis++) {
          yield* TestClock.adjust("1 millis")
          for (let one = 0; one < 50; one++) made.push(yield* ids.next, ...(yield* ids.several(3)))
        }
        for (const id of made) expect(id).toMatch(shape)
        expect(made.toSorted()).toEqual(made)
        expect(new Set(made).size).toBe(made.length)
        expect(made.at(-1)!.slice(0, 13)).toBe("00000000-0014")
      }).pipe(Effect.provide(layer))
    )
  }
})
