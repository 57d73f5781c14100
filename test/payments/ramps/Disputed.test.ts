/** What is taken back, and given back again, of what a ramp has collected, told of by the deciders alone. */
import { describe, expect, it } from "@effect/vitest"
import { onRamp, openBooks, report, shillings } from "../support/PureBooks.ts"

type Books = ReturnType<typeof openBooks>

const took = (amount: number) => report("returned", { taken: shillings(amount) })
const gave = (amount: number) => report("completed", { regained: shillings(amount) })
const received = (amount: number) => report("completed", { received: shillings(amount) })

const of = (books: Books) => ({
  has: books.has(),
  waits: books.suspense().map(({ about, money }) => `${about} ${money.toString()}`),
  items: books.items().map(({ attempt_id, kind }) => `${attempt_id} ${kind}`)
})

describe("A dispute about what a ramp has collected", () => {
  it("leaves no question about that, while the ramp waits for its settlement", () => {
    const books = openBooks(13_000, onRamp)
    books.hear(received(13_000))
    books.hear(took(5000))
    expect(of(books)).toEqual({ has: 8000, waits: ["payment -5000.00 KES"], items: ["payment suspense"] })
    books.hear(gave(5000))
    expect(of(books)).toEqual({ has: 13_000, waits: [], items: [] })
  })

  it("takes what it named beyond the books once that is heard to have come", () => {
    const books = openBooks(13_000, onRamp)
    books.hear(received(13_000))
    books.hear(took(14_000))
    expect(of(books)).toEqual({ has: 0, waits: ["payment -13000.00 KES"], items: ["payment suspense"] })
    books.hear(received(14_000))
    expect(of(books)).toEqual({ has: 0, waits: ["payment -13000.00 KES"], items: ["payment suspense"] })
    expect(books.items().map(({ detail }) => detail)).toEqual([
      "stripe has taken 13000.00 KES back: an operator must settle who bears it."
    ])
    books.hear(gave(14_000))
    expect(of(books)).toEqual({ has: 14_000, waits: ["payment 1000.00 KES"], items: ["payment suspense"] })
  })

  it("that was heard of first leaves nothing where more came by as much", () => {
    const books = openBooks(13_000, onRamp)
    books.hear(took(1000))
    books.hear(received(14_000))
    expect(of(books)).toEqual({ has: 13_000, waits: [], items: [] })
  })
})
