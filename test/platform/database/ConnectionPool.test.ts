import { describe, expect, it } from "vitest"
import { makeNames } from "../../../src/platform/database/PreparedStatements.ts"

describe("names of prepared statements", () => {
  it("are given at the second use of a text and stay the same", () => {
    const nameOf = makeNames()
    expect(nameOf("select $1")).toBeUndefined()
    const name = nameOf("select $1")
    expect(name).toBeDefined()
    expect(nameOf("select $1")).toBe(name)
    nameOf("select $2")
    expect(nameOf("select $2")).not.toBe(name)
  })

  it("keep half of the names for other texts than reads", () => {
    const nameOf = makeNames(4)
    const seenTwice = (text: string) => [nameOf(text), nameOf(text)][1]
    const reads = ["a", "b", "c", "d", "e"].map((filter) => seenTwice(`select ${filter}`))
    expect(reads.map((name) => name !== undefined)).toEqual([true, true, false, false, false])
    expect(seenTwice("with created as (…) insert")).toBeDefined()
    expect(seenTwice("update attempts")).toBeDefined()
    expect(nameOf("select a")).toBe(reads[0])
  })

  it("count reads that begin with a `with`, such as searches with their filters, among the reads", () => {
    const nameOf = makeNames(4)
    const seenTwice = (text: string) => [nameOf(text), nameOf(text)][1]
    const filters = ["a", "b", "c", "d", "e"]
    const search = (filter: string) => `with hits as materialized (
      select created_at from payments where ${filter}
    ) select edge.edge, p.* from hits`
    const searches = filters.map((filter) => seenTwice(search(filter)))
    expect(searches.map((name) => name !== undefined)).toEqual([true, true, false, false, false])
    expect(seenTwice("with created as (insert into payments (…) …) select payment_id from created")).toBeDefined()
  })

  it("are bounded in number", () => {
    const nameOf = makeNames(2)
    for (const text of ["a", "b", "c", "d"]) nameOf(text)
    const named = ["a", "b", "c", "d", "a", "b", "c", "d"]
      .map((text) => nameOf(text))
      .filter((name) => name !== undefined)
    expect(new Set(named).size).toBeLessThanOrEqual(2)
  })
})
