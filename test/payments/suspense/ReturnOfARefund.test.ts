/** A refund bounced, and a person gives it back through its provider while somebody makes it by hand there. */
import { describe, expect, it } from "@effect/vitest"
import { BigDecimal } from "effect"
import { recordOf } from "../../../src/payments/read/PaymentRecord.ts"
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

/** As callers read it. */
const record = (books: Books) => {
  const { refunded_amount, refunds, status } = recordOf(books.payment())
  return { status, refunded: Number(BigDecimal.format(refunded_amount)), parts: refunds.map(({ state }) => state) }
}

describe("A return of what came back of a refund", () => {
  it("is that refund, which has reached its payer after all", () => {
    const books = givingBack()
    expect(record(books)).toEqual({ status: "completed", refunded: 0, parts: ["failed"] })
    books.hearOfReturn("return", report("processing"))
    expect(record(books)).toEqual({ status: "completed", refunded: 500, parts: ["completed"] })
    books.hearOfReturn("return", report("completed"))
    expect([record(books), of(books)]).toEqual([
      { status: "completed", refunded: 500, parts: ["completed"] },
      { has: 1000, ...nothing }
    ])
    books.refund("B", 1000)
    books.hearOfRefund("B", report("completed"))
    expect(record(books)).toEqual({ status: "refunded", refunded: 1500, parts: ["completed", "completed"] })
  })

  it("is not called in question by an older word that the refund failed", () => {
    const books = givingBack()
    books.hearOfReturn("return", report("completed"))
    books.hearOfRefund("A", report("failed"))
    expect([record(books), of(books)]).toEqual([
      { status: "completed", refunded: 500, parts: ["completed"] },
      { has: 1000, ...nothing }
    ])
  })

  it("is that refund although it had been given up, where its money was still there", () => {
    const books = givingBack()
    books.hearOfReturn("return", report("failed"))
    expect(record(books)).toMatchObject({ refunded: 0, parts: ["failed"] })
    books.hearOfReturn("return", report("completed"))
    expect([record(books), of(books)]).toEqual([
      { status: "completed", refunded: 500, parts: ["completed"] },
      { has: 1000, ...nothing }
    ])
  })

  it("has failed again where it comes back as well", () => {
    const books = givingBack()
    books.hearOfReturn("return", report("completed"))
    books.hearOfReturn("return", report("returned"))
    expect(record(books)).toEqual({ status: "completed", refunded: 0, parts: ["failed"] })
    expect(of(books)).toMatchObject({ has: 1500, waits: ["A 500.00 KES"] })
  })

  it("leaves a payment refunded that has all of it back, and says what is missing where it comes back", () => {
    const books = openBooks(500)
    books.hear(report("completed"))
    books.refund("A", 500)
    books.hearOfRefund("A", report("completed"))
    books.hearOfRefund("A", report("returned"))
    expect(record(books)).toEqual({ status: "refunded", refunded: 0, parts: ["failed"] })
    books.giveBack("return", "A", 500)
    books.hearOfReturn("return", report("completed"))
    expect(record(books)).toEqual({ status: "refunded", refunded: 500, parts: ["completed"] })
    books.hearOfReturn("return", report("returned"))
    expect(record(books)).toEqual({ status: "refunded", refunded: 0, parts: ["failed"] })
  })
})

describe("A return of what came back of a refund that went although it was refused, beside another", () => {
  const goingTwice = () => {
    const books = givingBack()
    books.hearOfReturn("return", report("failed"))
    books.giveBack("second", "A", 500)
    books.hearOfReturn("second", report("completed"))
    books.hearOfReturn("return", report("completed"))
    return books
  }

  const refunded = { status: "completed", refunded: 500, parts: ["completed"] }

  it("leaves the refund to the other where it comes back", () => {
    const books = goingTwice()
    expect([record(books), of(books)]).toMatchObject([refunded, { has: 500, waits: ["A -500.00 KES"] }])
    books.hearOfReturn("return", report("returned"))
    expect([record(books), of(books)]).toEqual([refunded, { has: 1000, ...nothing }])
    books.refund("B", 1000)
    books.hearOfRefund("B", report("completed"))
    expect(record(books)).toEqual({ status: "refunded", refunded: 1500, parts: ["completed", "completed"] })
  })

  it("is that refund where the other comes back", () => {
    const books = goingTwice()
    books.hearOfReturn("second", report("returned"))
    expect([record(books), of(books)]).toEqual([refunded, { has: 1000, ...nothing }])
    books.hearOfReturn("return", report("returned"))
    expect([record(books), of(books)]).toMatchObject([
      { status: "completed", refunded: 0, parts: ["failed"] },
      { has: 1500, waits: ["A 500.00 KES"] }
    ])
  })

  it("leaves the refund alone where it comes back after the organisation has paid for it", () => {
    const books = goingTwice()
    expect(books.settle("completed", 0)).toBe(true)
    books.hearOfReturn("return", report("returned"))
    expect([record(books), of(books)]).toMatchObject([refunded, { has: 1000, waits: ["A 500.00 KES"] }])
  })

  it("is not taken for gone where a person has found it to be back", () => {
    const books = goingTwice()
    expect(books.settle("failed", 1000)).toBe(true)
    expect([record(books), of(books)]).toEqual([refunded, { has: 1000, ...nothing }])
    books.hearOfReturn("second", report("returned"))
    expect([record(books), of(books)]).toMatchObject([
      { status: "completed", refunded: 0, parts: ["failed"] },
      { has: 1500, waits: ["A 500.00 KES"] }
    ])
  })
})

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
