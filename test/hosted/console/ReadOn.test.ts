import { expect, it } from "vitest"
import { readAllPages } from "../../../src/console/api/ApiResponse.ts"

/** Pages of two, and how many were asked for. */
const listOf = (...items: ReadonlyArray<string>) => {
  const asked: Array<string | undefined> = []
  const ask = async (cursor: string | undefined) => {
    asked.push(cursor)
    const start = Number(cursor ?? 0)
    const more = start + 2 < items.length
    return { data: items.slice(start, start + 2), last_evaluated_key: more ? String(start + 2) : null }
  }
  return { ask, asked }
}

it("reads a list to its end", async () => {
  const { ask, asked } = listOf("a", "b", "c", "d", "e")
  expect(await readAllPages(ask)).toEqual(["a", "b", "c", "d", "e"])
  expect(asked).toEqual([undefined, "2", "4"])
})

it("asks once for what has one page, and for what has nothing", async () => {
  for (const items of [["a", "b"], []]) {
    const { ask, asked } = listOf(...items)
    expect(await readAllPages(ask)).toEqual(items)
    expect(asked).toEqual([undefined])
  }
})

it("stops where there is enough", async () => {
  const { ask, asked } = listOf("a", "b", "c", "d", "e")
  expect(await readAllPages(ask, (items) => items.includes("c"))).toEqual(["a", "b", "c", "d"])
  expect(asked).toEqual([undefined, "2"])
})
