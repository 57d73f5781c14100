/**
 * Whatever comes for a payin, or for a ramp, is taken back and given back again, goes back as a refund and bounces, and in whatever order
 * all of that is heard, with a person in between who settles what waits: in the end the books have at its provider what is
 * there, and an item is open exactly where money waits for a person.
 */
import { describe, expect, it } from "@effect/vitest"
import fc from "fast-check"
import { Money } from "../../../src/domain/Money.ts"
import { onRamp, openBooks, report, shillings } from "../support/PureBooks.ts"

const ASKED = 1500

const tether = (minor: number) => new Money({ currency: "USDT", minor: BigInt(minor) })

type Word =
  | { readonly says: "came"; readonly amount: number | null }
  | { readonly says: "took" | "gave back"; readonly amount: number }
  | { readonly says: "refund went" | "refund bounced" }

interface Dispute {
  /** How much of what is there, and at most all of it. */
  readonly share: number
  readonly isWon: boolean
  /** Whether it is won before the next one begins. */
  readonly atOnce: boolean
}

interface Story {
  /** What has come in all, time after time; null: what was asked for. */
  readonly came: ReadonlyArray<number | null>
  readonly refund: { readonly amount: number; readonly then: "went" | "bounced" | "went at once" } | null
  readonly disputes: ReadonlyArray<Dispute>
  /** Words are heard in the order of these. */
  readonly order: ReadonlyArray<number>
  /** After how many words a person settles what waits, and how. */
  readonly settled: { readonly after: number; readonly as: "completed" | "failed" } | null
}

const MOST_WORDS = 9

const story: fc.Arbitrary<Story> = fc.record({
  came: fc.constantFrom<ReadonlyArray<number | null>>(
    [null],
    [400],
    [1600],
    [3000],
    [400, 1500],
    [400, 1900],
    [1500, 1900]
  ),
  refund: fc.option(
    fc.record({
      amount: fc.constantFrom(500, 750, ASKED),
      then: fc.constantFrom("went" as const, "bounced" as const, "went at once" as const)
    })
  ),
  disputes: fc.array(fc.record({ share: fc.constantFrom(0.25, 0.5, 1), isWon: fc.boolean(), atOnce: fc.boolean() }), {
    minLength: 1,
    maxLength: 3
  }),
  order: fc.array(fc.nat(1000), { minLength: MOST_WORDS, maxLength: MOST_WORDS }),
  settled: fc.option(
    fc.record({ after: fc.nat(MOST_WORDS), as: fc.constantFrom("completed" as const, "failed" as const) })
  )
})

/** What chance comes across once in some thousand stories. */
const rare: Array<[Story]> = [
  [
    {
      came: [400, 1900],
      refund: null,
      disputes: [
        { share: 0.25, isWon: false, atOnce: false },
        { share: 0.25, isWon: true, atOnce: true },
        { share: 0.5, isWon: true, atOnce: false }
      ],
      order: [0, 646, 1, 0, 0, 1, 0, 0, 0],
      settled: null
    }
  ],
  [
    {
      came: [null],
      refund: { amount: 500, then: "went at once" },
      disputes: [
        { share: 0.25, isWon: true, atOnce: true },
        { share: 0.25, isWon: true, atOnce: false },
        { share: 0.25, isWon: true, atOnce: true }
      ],
      order: [163, 0, 577, 0, 577, 0, 0, 0, 0],
      settled: { after: 4, as: "failed" }
    }
  ],
  [
    {
      came: [null],
      refund: { amount: 500, then: "went" },
      disputes: [
        { share: 0.25, isWon: true, atOnce: true },
        { share: 1, isWon: false, atOnce: false },
        { share: 0.25, isWon: false, atOnce: false }
      ],
      order: [500, 948, 500, 0, 0, 0, 0, 0, 0],
      settled: { after: 2, as: "completed" }
    }
  ],
  [
    {
      came: [3000],
      refund: null,
      disputes: [
        { share: 0.25, isWon: false, atOnce: false },
        { share: 1, isWon: true, atOnce: true },
        { share: 0.5, isWon: true, atOnce: false }
      ],
      order: [362, 0, 0, 10, 10, 0, 0, 0, 0],
      settled: null
    }
  ]
]

/** What its provider does, one after the other, and what it has in the end. */
const disputed = (disputes: ReadonlyArray<Dispute>, there: number) => {
  const words: Array<Word> = []
  const later: Array<number> = []
  let has = there
  for (const { atOnce, isWon, share } of disputes) {
    const amount = Math.floor(has * share)
    if (amount === 0) continue
    words.push({ says: "took", amount })
    has -= amount
    if (isWon && !atOnce) later.push(amount)
    if (!isWon || !atOnce) continue
    words.push({ says: "gave back", amount })
    has += amount
  }
  const won = later.map((amount): Word => ({ says: "gave back", amount }))
  return { words: [...words, ...won], has: later.reduce((sum, amount) => sum + amount, has) }
}

const ordered = (words: ReadonlyArray<Word>, order: ReadonlyArray<number>): ReadonlyArray<Word> =>
  words
    .map((word, index) => ({ word, at: order[index] ?? 0 }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ word }) => word)

const isDispute = ({ says }: Word): boolean => says === "took" || says === "gave back"

type Books = ReturnType<typeof openBooks>

const hearing =
  (books: Books, of = "payment", sum = shillings) =>
  (word: Word) => {
    switch (word.says) {
      case "came":
        return books.hear(report("completed", word.amount === null ? {} : { received: sum(word.amount) }), of)
      case "took":
        return books.hear(report("returned", { taken: sum(word.amount) }), of)
      case "gave back":
        return books.hear(report("completed", { regained: sum(word.amount) }), of)
      case "refund went":
        return books.hearOfRefund("refund", report("completed"))
      case "refund bounced":
        return books.hearOfRefund("refund", report("returned"))
    }
  }

const toldOf = (told: Story) => {
  const { came, refund, settled } = told
  const books = openBooks(ASKED)
  // What is refunded has come, and so much is known.
  const heard: ReadonlyArray<Word> = refund === null ? came.map((amount) => ({ says: "came", amount })) : []
  const total = refund === null ? Math.max(...came.map((amount) => amount ?? ASKED)) : ASKED
  const ofRefund: ReadonlyArray<Word> =
    refund === null || refund.then === "went at once" ? [] : [{ says: `refund ${refund.then}` }]
  const there = total - (refund === null || refund.then === "bounced" ? 0 : refund.amount)
  const { has, words } = disputed(told.disputes, there)
  const all = ordered([...heard, ...ofRefund, ...words], told.order)
  if (refund !== null) {
    books.hear(report("completed"))
    books.refund("refund", refund.amount)
    if (refund.then !== "went") books.hearOfRefund("refund", report("completed"))
  }
  const hear = hearing(books)
  // Whoever says of money that was taken that it is back knows of no other reason why it should be there; and of several
  // words about what somebody found, nobody can tell which is about what.
  const most = total > ASKED ? 1 : 2
  const rest = settled === null ? [] : all.slice(settled.after)
  const isSettled = settled !== null && rest.every(isDispute) && (settled.as === "completed" || rest.length <= most)
  const at = isSettled ? settled.after : 0
  all.slice(0, at).forEach(hear)
  const settlesWell = !isSettled || books.settle(settled.as, has)
  if (settlesWell) all.slice(at).forEach(hear)
  return { books, has, isTold: settlesWell }
}

const open = (books: Books) => ({
  items: Array.from(new Set(books.items().map(({ attempt_id }) => String(attempt_id)))).toSorted(),
  has: books.has()
})

const waitingIn = (books: Books) => Array.from(new Set(books.suspense().map(({ about }) => about))).toSorted()

describe("Words about a payin, in any order", () => {
  it("leave in the books what its provider has, and an item where something waits", () => {
    fc.assert(
      fc.property(story, (told) => {
        const { books, has, isTold } = toldOf(told)
        fc.pre(isTold)
        expect(open(books)).toEqual({ has, items: waitingIn(books) })
      }),
      { numRuns: 500, seed: 19, examples: rare }
    )
  })

  it("and so they do of a payout that comes back in parts and goes out again", () => {
    fc.assert(
      fc.property(story, ({ disputes, order }) => {
        const books = openBooks(ASKED, { direction: "outbound", holds: true, status: "processing" })
        const { has, words } = disputed(disputes, ASKED)
        ordered([{ says: "came", amount: null }, ...words], order).forEach(hearing(books))
        expect(open(books)).toEqual({ has: 0 - has, items: waitingIn(books) })
      }),
      { numRuns: 150, seed: 19 }
    )
  })

  it("and so they do of what is collected for a ramp, which holds it until it is settled", () => {
    fc.assert(
      fc.property(story, ({ came, disputes, order }) => {
        const books = openBooks(ASKED, onRamp)
        const { has, words } = disputed(disputes, Math.max(...came.map((amount) => amount ?? ASKED)))
        const all = [...came.map((amount): Word => ({ says: "came", amount })), ...words]
        ordered(all, order).forEach(hearing(books))
        const holds = books.payment().status === "failed" && books.held().isPositive
        const items = new Set([...waitingIn(books), ...(holds ? ["payment"] : [])])
        expect(open(books)).toEqual({ has, items: Array.from(items) })
      }),
      { numRuns: 300, seed: 19 }
    )
  })

  it("and so they do of what a ramp settles, and of what it holds once all of that is back", () => {
    fc.assert(
      fc.property(story, ({ disputes, order }) => {
        const books = openBooks(ASKED, onRamp)
        books.hear(report("completed"))
        const { has, words } = disputed(disputes, Number(books.payment().target.minor))
        ordered([{ says: "came", amount: null }, ...words], order).forEach(hearing(books, "settlement", tether))
        const items = new Set([...waitingIn(books), ...(books.held().isPositive ? ["settlement"] : [])])
        const paid = books.at("circle").find(({ currency }) => currency === "USDT") ?? tether(0)
        expect({ ...open(books), has: 0 - Number(paid.minor) }).toEqual({ has, items: Array.from(items) })
      }),
      { numRuns: 150, seed: 19 }
    )
  })

  it("and so they do of a refund that bounced and was made again by hand, before disputes or after them", () => {
    fc.assert(
      fc.property(story, fc.boolean(), ({ disputes, order, refund }, isFirst) => {
        const amount = refund?.amount ?? 500
        const books = openBooks(ASKED)
        books.hear(report("completed"))
        books.refund("refund", amount)
        if (refund?.then === "went at once") books.hearOfRefund("refund", report("completed"))
        const before = disputed(disputes, isFirst ? ASKED - amount : ASKED)
        const has = isFirst ? before.has : before.has - amount
        fc.pre(has >= 0)
        const own: ReadonlyArray<Word> = [{ says: "refund bounced" }, { says: "took", amount }]
        const went: ReadonlyArray<Word> = refund?.then === "went at once" ? [] : [{ says: "refund went" }]
        for (const word of ordered([...own, ...went, ...before.words], order)) {
          hearing(books)(word)
          if (books.has() < 0) expect(books.items(), "somebody reads that it is lacking").not.toEqual([])
        }
        expect(open(books)).toEqual({ has, items: waitingIn(books) })
      }),
      { numRuns: 300, seed: 19 }
    )
  })

  const returning = fc.constantFrom<ReadonlyArray<"processing" | "completed" | "returned" | "failed">>(
    ["processing", "completed"],
    ["processing", "returned"],
    ["completed", "returned", "completed"],
    ["failed"],
    ["failed", "completed"],
    ["failed", "completed", "returned"]
  )

  it("and so they do of money that came too late, and of a refund that bounced, on its way back", () => {
    fc.assert(
      fc.property(story, returning, fc.boolean(), ({ disputes, order }, words, isOfRefund) => {
        const books = openBooks(ASKED)
        if (!isOfRefund) books.hear(report("failed"))
        books.hear(report("completed"))
        // Of another sum than any dispute, which would be the same refund, made by hand.
        const [of, amount] = isOfRefund ? ["refund", 400] : ["payment", ASKED]
        if (isOfRefund) {
          books.refund("refund", amount)
          books.hearOfRefund("refund", report("completed"))
          books.hearOfRefund("refund", report("returned"))
        }
        books.giveBack("return", of, amount)
        const isGone = words.at(-1) === "completed" && !words.includes("returned")
        const { has, words: others } = disputed(disputes, isGone ? ASKED - amount : ASKED)
        const lots = order.slice(0, words.length).toSorted((a, b) => a - b)
        const told = [
          ...words.map((state, nth) => ({ at: lots[nth]!, hear: () => books.hearOfReturn("return", report(state)) })),
          ...others.map((word, nth) => ({ at: order[words.length + nth] ?? 0, hear: () => hearing(books)(word) }))
        ]
        for (const { hear } of told.toSorted((a, b) => a.at - b.at)) hear()
        expect(open(books)).toEqual({ has, items: waitingIn(books) })
        const states = books.payment().refunds.map(({ state }) => state)
        expect(states).toEqual(isOfRefund ? [isGone ? "completed" : "failed"] : [])
      }),
      { numRuns: 300, seed: 19 }
    )
  })
})
