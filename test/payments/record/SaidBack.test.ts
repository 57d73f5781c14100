/**
 * A refund that comes to nothing: somebody must find out where the money is only where its provider had said, without a
 * sum, that it went back, and the books had left that to the refund.
 */
import { describe, expect, it } from "@effect/vitest"
import { openBooks, report, shillings } from "../support/PureBooks.ts"

type Books = ReturnType<typeof openBooks>

const took = (amount: number) => report("returned", { taken: shillings(amount) })
const gave = (amount: number) => report("completed", { regained: shillings(amount) })
const went = report("completed")
const back = report("returned")

const of = (books: Books) => ({
  has: books.has(),
  items: books.items().map(({ attempt_id, kind }) => `${attempt_id} ${kind}`)
})

/** A payin of 1500 whose refunds are on their way, each by its name. */
const refunding = (parts: Readonly<Record<string, number>>) => {
  const books = openBooks(1500)
  books.hear(report("completed"))
  for (const [name, amount] of Object.entries(parts)) books.refund(name, amount)
  return books
}

describe("A refund that comes to nothing", () => {
  it("is no riddle after a dispute that was won, in whatever order it is heard that it went", () => {
    const books = refunding({ A: 500 })
    books.hear(took(400))
    books.hear(gave(400))
    books.hearOfRefund("A", back)
    expect(of(books)).toEqual({ has: 1500, items: [] })
    books.hearOfRefund("A", went)
    expect(of(books)).toEqual({ has: 1500, items: [] })
  })

  it("is none either where all was taken by its sum", () => {
    const books = refunding({ A: 500 })
    books.hear(took(1500))
    books.hearOfRefund("A", report("failed"))
    expect(of(books)).toEqual({ has: 0, items: ["payment suspense"] })
  })

  it("is one where its provider said that the money went back, though a dispute was won before", () => {
    const books = refunding({ A: 500 })
    books.hear(took(400))
    books.hear(gave(400))
    books.hear(back)
    books.hearOfRefund("A", report("failed"))
    expect(of(books)).toEqual({ has: 500, items: ["payment suspense", "payment unknown_outcome"] })
  })

  it("is one where another has gone, of the two that its provider may have spoken of", () => {
    const books = refunding({ A: 500, B: 1000 })
    books.hear(back)
    books.hear(back)
    books.hearOfRefund("A", went)
    expect(of(books)).toEqual({ has: 1000, items: [] })
    books.hearOfRefund("B", report("failed"))
    expect(of(books)).toEqual({ has: 1000, items: ["payment unknown_outcome"] })
    expect(books.payment().unmatched, "it is asked about once").toBeNull()
  })

  it("is none where the one that its provider spoke of has gone", () => {
    const books = refunding({ A: 500 })
    books.hear(took(1000))
    books.hear(back)
    books.hearOfRefund("A", went)
    books.hear(gave(1000))
    books.refund("B", 1000)
    books.hearOfRefund("B", back)
    expect(of(books)).toEqual({ has: 1000, items: [] })
  })
})
