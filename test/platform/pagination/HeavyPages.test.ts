/** A page ends early where its records are heavy, and the pages still are the whole list. */
import { describe, expect, it } from "@effect/vitest"
import { BigDecimal, Effect, Layer, Option } from "effect"
import { operatorPermit } from "../../../src/domain/Access.ts"
import { pageBytes } from "../../../src/domain/policies/ServerPolicies.ts"
import { makePages, fitting, weightOf } from "../../../src/platform/pagination/Pagination.ts"
import type { Window } from "../../../src/platform/database/Query.ts"
import { testSettings, TestVault } from "../../support/TestSettings.ts"

interface Row {
  readonly id: string
  readonly created_at: Date
  readonly text: string
}

const rowsOf = (count: number, bytes: number): ReadonlyArray<Row> =>
  Array.from({ length: count }, (_, n) => ({
    id: String(1000 - n),
    created_at: new Date(1_700_000_000_000 - n),
    text: "x".repeat(bytes)
  }))

/** A store that counts what was read of it. */
const storeOf = (all: ReadonlyArray<Row>) => {
  const taken: Array<number> = []
  const fetch = ({ after, take }: Window) =>
    Effect.sync(() => {
      const start = Option.match(after, {
        onNone: () => 0,
        onSome: ([, id]) => all.findIndex((row) => row.id === id) + 1
      })
      const rows = all.slice(start, start + take)
      taken.push(rows.length)
      return rows
    })
  return { fetch, taken }
}

const permit = operatorPermit("any", "tester")

const everyPage = (all: ReadonlyArray<Row>, limit: number) =>
  Effect.gen(function* () {
    const list = yield* makePages
    const { fetch, taken } = storeOf(all)
    const pages: Array<ReadonlyArray<Row>> = []
    let cursor: string | undefined
    do {
      const urlParams = { limit, ...(cursor === undefined ? {} : { last_evaluated_key: cursor }) }
      const answer = yield* list({ permit, route: "/x", urlParams }, { message: "", fetch, idOf: ({ id }: Row) => id })
      expect(answer.meta).toMatchObject({ count: answer.data.length, has_more: answer.last_evaluated_key !== null })
      pages.push(answer.data)
      cursor = answer.last_evaluated_key ?? undefined
    } while (cursor !== undefined)
    return { pages, taken }
  }).pipe(Effect.provide(TestVault.pipe(Layer.provide(testSettings()))))

describe("A page", () => {
  it.effect("of light records holds as many as were asked for", () =>
    Effect.gen(function* () {
      const all = rowsOf(230, 100)
      const { pages, taken } = yield* everyPage(all, 100)
      expect(pages.map(({ length }) => length)).toEqual([100, 100, 30])
      expect(pages.flat()).toEqual(all)
      expect(taken.slice(0, 2)).toEqual([26, 75])
      expect((yield* everyPage(rowsOf(12, 100), 10)).taken, "a short one is read at once").toEqual([11, 2])
    })
  )

  it.effect("of heavy records ends early, and few are read for nothing", () =>
    Effect.gen(function* () {
      const all = rowsOf(40, 100_000)
      const { pages, taken } = yield* everyPage(all, 100)
      for (const rows of pages) expect(JSON.stringify(rows).length).toBeLessThanOrEqual(pageBytes)
      expect(pages[0]).toHaveLength(5)
      expect(pages.flat()).toEqual(all)
      expect(Math.max(...taken)).toBe(26)
    })
  )

  it.effect("holds one record however heavy it is", () =>
    Effect.gen(function* () {
      const all = rowsOf(3, pageBytes + 1)
      expect((yield* everyPage(all, 10)).pages.map(({ length }) => length)).toEqual([1, 1, 1])
    })
  )

  it("is weighed about as it is written", () => {
    const value = { a: "text", b: [1.5, null, true, { c: new Date(0) }], d: {}, e: "x".repeat(10_000) }
    const written = JSON.stringify(value).length
    expect(weightOf(value)).toBeGreaterThanOrEqual(written)
    expect(weightOf(value)).toBeLessThan(written + 60)
    expect(weightOf({ n: BigDecimal.normalize(BigDecimal.make(10n, 1)) })).toBeLessThan(30)
    expect(fitting([], 10)).toBe(0)
  })
})
