/** Money that went back after that was given up, when it had gone elsewhere: whoever says first that it is back again, it is counted once. */
import { describe, expect, it } from "@effect/vitest"
import { openBooks, report } from "../support/PureBooks.ts"

/** What was given up went after all: the organisation has kept the money meanwhile. */
const strayed = (of: "payment" | "refund") => {
  const books = openBooks(1500)
  const amount = of === "payment" ? 1500 : 500
  if (of === "payment") {
    books.hear(report("failed"))
    books.hear(report("completed"))
  } else {
    books.hear(report("completed"))
    books.refund("refund", amount)
    books.hearOfRefund("refund", report("completed"))
    books.hearOfRefund("refund", report("returned"))
  }
  books.giveBack("back", of, amount)
  books.hearOfReturn("back", report("failed"))
  expect(books.settle("completed", 0)).toBe(true)
  books.hearOfReturn("back", report("completed"))
  expect(books.has()).toBe(1500 - amount)
  expect(books.suspense().map(({ money }) => money.toString())).toEqual([`-${amount}.00 KES`])
  return { ...books, amount }
}

describe.each(["payment", "refund"] as const)("what strayed of a %s", (of) => {
  it("is back once, where a person finds it before its provider says so", () => {
    const books = strayed(of)
    expect(books.settle("failed", 1500)).toBe(true)
    expect(books.has()).toBe(1500)
    books.hearOfReturn("back", report("returned"))
    expect(books.has()).toBe(1500)
    expect(books.suspense()).toEqual([])
    expect(books.items()).toEqual([])
    books.hearOfReturn("back", report("returned"))
    expect(books.has(), "said twice").toBe(1500)
  })

  it("is back once, where its provider says so first", () => {
    const books = strayed(of)
    books.hearOfReturn("back", report("returned"))
    expect(books.has()).toBe(1500)
    expect(books.suspense()).toEqual([])
    expect(books.items()).toEqual([])
    expect(books.payment().unmatched).toBeNull()
  })

  it("waits for a person, where it is back after the organisation bore it", () => {
    const books = strayed(of)
    expect(books.settle("completed", 0)).toBe(true)
    expect(books.has()).toBe(1500 - books.amount)
    books.hearOfReturn("back", report("returned"))
    expect(books.has()).toBe(1500)
    expect(books.suspense().map(({ money }) => money.toString())).toEqual([`${books.amount}.00 KES`])
    expect(books.items()).toHaveLength(1)
  })
})
