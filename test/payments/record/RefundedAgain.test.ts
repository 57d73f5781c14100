/**
 * A refund that bounced, and of which as much was taken afterwards: it stands, as one that somebody made by hand, until
 * its provider gives that back too, be it since the payer has it not, or since it was a dispute that was won.
 */
import { describe, expect, it } from "@effect/vitest"
import { CurrencyCode } from "../../../src/domain/Currency.ts"
import { Money } from "../../../src/domain/Money.ts"
import { recordOf } from "../../../src/payments/read/PaymentRecord.ts"
import { refundedAmount } from "../../../src/payments/record/PaymentEvents.ts"
import type { Payment } from "../../../src/payments/store/Payment.ts"
import { paymentOf, toRow } from "../../../src/payments/store/PaymentRow.ts"
import { openBooks, report, shillings } from "../support/PureBooks.ts"

type Books = ReturnType<typeof openBooks>

const took = (amount: number) => report("returned", { taken: shillings(amount) })
const gave = (amount: number) => report("completed", { regained: shillings(amount) })
const went = report("completed")
const bounced = report("returned")

const of = (books: Books) => ({
  has: books.has(),
  refunded: Number(refundedAmount(books.payment()).minor) / 100,
  parts: books.payment().refunds.map(({ state }) => state),
  waits: books.suspense().map(({ about, money }) => `${about} ${money.toString()}`),
  items: books.items().map(({ attempt_id }) => String(attempt_id))
})

/** A payin of 1500 whose refunds have gone, each by its name. */
const refunded = (parts: Readonly<Record<string, number>>) => {
  const books = openBooks(1500)
  books.hear(report("completed"))
  for (const [name, amount] of Object.entries(parts)) {
    books.refund(name, amount)
    books.hearOfRefund(name, went)
  }
  return books
}

describe("A refund that was made again", () => {
  for (const amount of [500, 1500]) {
    for (const isFirst of [false, true]) {
      it(`of ${amount}, heard of ${isFirst ? "before" : "after"} it bounced, has failed once that is given back`, () => {
        const books = refunded({ A: amount })
        if (isFirst) books.hear(took(amount))
        books.hearOfRefund("A", bounced)
        if (!isFirst) books.hear(took(amount))
        const gone = { has: 1500 - amount, refunded: amount, parts: ["completed"], waits: [], items: [] }
        expect(of(books)).toEqual(gone)
        books.hear(gave(amount))
        const back = { has: 1500, refunded: 0, parts: ["failed"], waits: [`A ${amount}.00 KES`], items: ["A"] }
        expect(of(books), "nobody has it").toEqual(back)
        books.hear(took(amount))
        expect(of(books), "a third time").toEqual(gone)
        books.hear(gave(amount))
        expect(books.settle("completed", 0)).toBe(true)
        expect(of(books), "the organisation has it").toEqual({ ...back, waits: [], items: [] })
      })
    }
  }

  it("by a person's word has failed as well", () => {
    const books = refunded({ A: 500 })
    books.hearOfRefund("A", bounced)
    expect(books.settle("failed", 1000)).toBe(true)
    books.hear(gave(500))
    books.hear(took(500))
    expect(of(books)).toEqual({ has: 1500, refunded: 0, parts: ["failed"], waits: ["A 500.00 KES"], items: ["A"] })
  })

  it("is one of two of the same amount", () => {
    const books = refunded({ A: 500, B: 500 })
    books.hearOfRefund("A", bounced)
    books.hearOfRefund("B", bounced)
    books.hear(took(500))
    expect(of(books)).toMatchObject({ has: 1000, refunded: 500, waits: ["B 500.00 KES"], items: ["B"] })
    books.hear(took(500))
    expect(of(books)).toMatchObject({ has: 500, refunded: 1000, waits: [], items: [] })
    books.hear(gave(500))
    expect(of(books)).toMatchObject({ has: 1000, refunded: 500, waits: ["B 500.00 KES"], items: ["B"] })
  })

  it("stays where a dispute of as much is won", () => {
    const books = refunded({ A: 500 })
    books.hearOfRefund("A", bounced)
    books.hear(took(500))
    books.hear(took(500))
    expect(of(books)).toMatchObject({ has: 500, refunded: 500, waits: ["payment -500.00 KES"], items: ["payment"] })
    books.hear(gave(500))
    expect(of(books)).toMatchObject({ has: 1000, refunded: 500, parts: ["completed"], waits: [], items: [] })
  })

  it("stays where a dispute of as much, which the organisation bore, may have been won", () => {
    const books = refunded({ A: 500 })
    books.hearOfRefund("A", bounced)
    books.hear(took(500))
    books.hear(took(500))
    expect(books.settle("completed", 0)).toBe(true)
    books.hear(gave(500))
    expect(of(books)).toMatchObject({ has: 1000, parts: ["completed"], waits: ["payment 500.00 KES"] })
  })
})

describe("A refund that is made again although its money is gone", () => {
  const wordsOf = (books: Books, about: string) =>
    books.items().flatMap(({ attempt_id, detail }) => (String(attempt_id) === about ? [detail] : []))

  it("keeps its item, which says what is lacking, until that is there again", () => {
    const books = refunded({ A: 500 })
    books.hearOfRefund("A", bounced)
    books.hear(took(1200))
    books.hear(took(500))
    const lacking = { has: -200, refunded: 500, parts: ["completed"], waits: ["payment -1200.00 KES"] }
    expect(of(books)).toEqual({ ...lacking, items: ["payment", "A"] })
    expect(wordsOf(books, "A")).toEqual([expect.stringContaining("the books lack 200.00 KES there now")])
    books.hear(gave(1200))
    expect(of(books)).toEqual({ has: 1000, refunded: 500, parts: ["completed"], waits: [], items: [] })
  })

  it("keeps it though the organisation bore what was taken", () => {
    const books = refunded({ A: 500 })
    books.hear(took(1000))
    expect(books.settle("completed", 0)).toBe(true)
    books.hearOfRefund("A", bounced)
    books.hear(took(400))
    books.hear(took(500))
    expect(of(books)).toMatchObject({ has: -400, items: ["payment", "A"] })
    expect(books.settle("completed", 0)).toBe(true)
    expect(of(books)).toMatchObject({ has: -400, waits: [], items: [] })
  })

  it("is not what was taken beyond the books besides", () => {
    const books = refunded({ A: 750 })
    books.hear(took(750))
    books.hear(took(750))
    books.hearOfRefund("A", bounced)
    expect(of(books)).toMatchObject({
      has: 0,
      waits: ["payment -1500.00 KES", "A 750.00 KES"],
      items: ["A", "payment"]
    })
  })
})

describe("What a person reads of money that was given back", () => {
  const words = (books: Books) => books.items().map(({ detail }) => detail)

  it("is not that it is held, where it was taken beyond the books", () => {
    const books = refunded({ A: 1500 })
    books.hear(took(800))
    books.hear(gave(500))
    expect(of(books)).toMatchObject({ has: 0, waits: [], items: ["payment"] })
    expect(words(books)).toEqual([expect.stringContaining("an operator must settle what else it has named.")])
    books.hear(gave(300))
    expect(of(books)).toMatchObject({ has: 0, waits: [], items: [] })
    expect(books.payment().comments).toContain("nothing is left to settle.")
  })

  it("is what waits in another currency", () => {
    const books = openBooks(1500)
    books.hear(report("completed"))
    books.hear(report("completed", { received: new Money({ currency: CurrencyCode.make("USD"), minor: 5000n }) }))
    books.hear(took(500))
    books.hear(gave(500))
    expect(of(books)).toMatchObject({ has: 1500, waits: ["payment 50.00 USD"], items: ["payment"] })
    expect(words(books)).toEqual([expect.stringContaining("50.00 USD that came besides are held")])
  })
})

describe("That a refund was made again", () => {
  it("is kept by the table, and lacking in rows of before", () => {
    const books = refunded({ A: 500 })
    const stored = (payment: Payment) => {
      const row = { ...toRow(payment), metadata: "{}" }
      return JSON.parse(JSON.stringify(row.refunds)) as ReadonlyArray<object>
    }
    const read = (payment: Payment) =>
      paymentOf({ ...toRow(payment), metadata: "{}", refunds: stored(payment) }).refunds.map(({ again }) => again)
    expect(stored(books.payment())).toEqual([expect.not.objectContaining({ again: true })])
    expect(read(books.payment())).toEqual([undefined])
    books.hearOfRefund("A", bounced)
    books.hear(took(500))
    expect(read(books.payment())).toEqual([true])
    expect(Object.keys(recordOf(books.payment()).refunds[0] ?? {})).not.toContain("again")
  })
})

describe("Refunds that went although a dispute had taken all", () => {
  it("are nobody's to settle any more once it is won", () => {
    const books = openBooks(1500)
    books.hear(report("completed"))
    for (const name of ["A", "B"]) books.refund(name, 500)
    books.hear(took(1500))
    for (const name of ["A", "B"]) books.hearOfRefund(name, went)
    expect(of(books).items).toEqual(["payment", "A", "B"])
    books.hear(gave(1500))
    expect(of(books)).toMatchObject({ has: 500, waits: [], items: [] })
  })
})
