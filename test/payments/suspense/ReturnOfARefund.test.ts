/** A refund bounced, and a person gives it back through its provider while somebody makes it by hand there. */
import { describe, expect, it } from "@effect/vitest"
import { openBooks, report, shillings } from "../support/PureBooks.ts"

type Books = ReturnType<typeof openBooks>

const took = (amount: number) => report("returned", { taken: shillings(amount) })

const of = (books: Books) => ({
  has: books.has(),
  waits: books.suspense().map(({ about, money }) => `${about} ${money.toString()}`),
  items: books.items().map(({ attempt_id, detail }) => `${attempt_id}: ${detail}`)
})

const givingBack = () => {
  const books = openBooks(1500)
  books.hear(report("completed"))
  books.refund("A", 500)
  books.hearOfRefund("A", report("completed"))
  books.hearOfRefund("A", report("returned"))
  books.giveBack("return", "A", 500)
  return books
}

const nothing = { waits: [], items: [] }

describe("A return of what came back of a refund that is made by hand meanwhile", () => {
  it("took it a second time, as a person reads", () => {
    const books = givingBack()
    books.hear(took(500))
    expect(of(books)).toEqual({ has: 1000, ...nothing })
    books.hearOfReturn("return", report("completed"))
    expect(of(books)).toEqual({
      has: 500,
      waits: ["A -500.00 KES"],
      items: [
        "A: stripe gave 500.00 KES back, of which 500.00 KES had gone by another way before: an operator must settle who bears it."
      ]
    })
  })

  it("leaves nothing to settle where its provider could not give it back after all", () => {
    const books = givingBack()
    books.hear(took(500))
    books.hearOfReturn("return", report("processing"))
    books.hearOfReturn("return", report("failed"))
    expect(of(books)).toEqual({ has: 1000, ...nothing })
  })

  it("leaves nothing to settle where its provider refuses it", () => {
    const books = givingBack()
    books.hear(took(500))
    books.hearOfReturn("return", report("failed"))
    expect(of(books)).toEqual({ has: 1000, ...nothing })
  })

  it("goes first, and what is taken then is for a person", () => {
    const books = givingBack()
    books.hearOfReturn("return", report("completed"))
    books.hear(took(500))
    expect(of(books)).toEqual({
      has: 500,
      waits: ["payment -500.00 KES"],
      items: ["payment: stripe has taken 500.00 KES back: an operator must settle who bears it."]
    })
  })
})
