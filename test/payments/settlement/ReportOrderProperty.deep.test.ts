/**
 * Movements of a payin, a payout or a ramp, reported in any order and any number of times. In the end the books of each
 * provider are the sum of its movements, and an item is open exactly where money is in suspense.
 */
import { setImmediate as nextTurn } from "node:timers/promises"
import { describe, expect, it } from "@effect/vitest"
import fc from "fast-check"
import type { Movement } from "../../../src/domain/Movement.ts"
import { movement, onRamp, openBooks, payout, report, shillings, tether } from "../support/SettlementRules.ts"

const ASKED = 1500
const RUNS = 20_000
const TURNS = 20

/** Checks in turns: vitest takes a process that computes for a minute without a pause for a dead one. */
const assertInTurns = async <A>(property: fc.IProperty<A>): Promise<void> => {
  for (let turn = 0; turn < TURNS; turn++) {
    fc.assert(property, { numRuns: RUNS / 4 / TURNS })
    await nextTurn()
  }
}

interface Fact {
  readonly of: "payment" | "settlement" | "refund"
  readonly movement: Movement
}

const factOf = (of: Fact["of"], kind: Movement["kind"], id: string, amount: Movement["amount"]): Fact => ({
  of,
  movement: movement(kind, id, amount!)
})

const amounts = fc.constantFrom(100, 400, 500, ASKED, ASKED, 1600)

/** Transfers as they happened: each once, in an order that makes sense. */
const payinFacts = fc
  .record({
    collected: fc.array(amounts, { minLength: 1, maxLength: 3 }),
    foreign: fc.boolean(),
    taken: fc.array(
      fc.record({
        amount: amounts,
        isWon: fc.boolean(),
        kind: fc.constantFrom("refund" as const, "reversal" as const)
      }),
      {
        maxLength: 3
      }
    ),
    refund: fc.option(fc.record({ amount: fc.constantFrom(500, ASKED), bounces: fc.boolean() }))
  })
  .map(({ collected, foreign, refund, taken }): ReadonlyArray<Fact> => [
    ...collected.map((amount, nth) => factOf("payment", "collection", `c${nth}`, shillings(amount))),
    ...(foreign ? [factOf("payment", "collection", "foreign", tether(20_000_000))] : []),
    ...taken.flatMap(({ amount, isWon, kind }, nth) => [
      factOf("payment", kind, `x${nth}`, shillings(amount)),
      ...(isWon ? [factOf("payment", "reinstatement", `x${nth}`, shillings(amount))] : [])
    ]),
    ...(refund === null
      ? []
      : [
          factOf("refund", "refund", "r", shillings(refund.amount)),
          ...(refund.bounces ? [factOf("refund", "reinstatement", "r:back", shillings(refund.amount))] : [])
        ])
  ])

const payoutFacts = fc
  .record({ paid: fc.boolean(), again: fc.boolean(), back: fc.constantFrom(0, 500, ASKED) })
  .map(({ again, back, paid }): ReadonlyArray<Fact> => [
    ...(paid ? [factOf("payment", "disbursement", "d", shillings(ASKED))] : []),
    ...(again ? [factOf("payment", "disbursement", "d2", shillings(ASKED))] : []),
    ...(back === 0 ? [] : [factOf("payment", "reinstatement", "d:returned", shillings(back))])
  ])

const rampFacts = fc
  .record({
    collected: fc.array(amounts, { minLength: 1, maxLength: 2 }),
    taken: fc.option(fc.record({ amount: amounts, isWon: fc.boolean() })),
    settled: fc.boolean(),
    back: fc.boolean()
  })
  .map(({ back, collected, settled, taken }): ReadonlyArray<Fact> => [
    ...collected.map((amount, nth) => factOf("payment", "collection", `c${nth}`, shillings(amount))),
    ...(taken === null
      ? []
      : [
          factOf("payment", "reversal", "x", shillings(taken.amount)),
          ...(taken.isWon ? [factOf("payment", "reinstatement", "x", shillings(taken.amount))] : [])
        ]),
    ...(settled ? [factOf("settlement", "disbursement", "d", tether(11_600_000))] : []),
    ...(settled && back ? [factOf("settlement", "reinstatement", "d:returned", tether(11_600_000))] : [])
  ])

const stateOf = ({ movement: { kind } }: Fact): "completed" | "returned" =>
  kind === "collection" || kind === "disbursement" || kind === "refund" ? "completed" : "returned"

/** A report names one transfer, or all that the provider knows by then. */
const scenario = (facts: fc.Arbitrary<ReadonlyArray<Fact>>) =>
  fc.record({
    facts,
    order: fc.array(fc.nat(1000), { minLength: 14, maxLength: 14 }),
    repeats: fc.boolean(),
    lists: fc.boolean(),
    fails: fc.option(fc.nat(5))
  })

type Scenario = ReturnType<typeof scenario> extends fc.Arbitrary<infer A> ? A : never

const replay = (books: ReturnType<typeof openBooks>, { facts, fails, lists, order, repeats }: Scenario) => {
  const shuffled = facts.map((fact, nth) => ({ fact, at: order[nth]! })).toSorted((a, b) => a.at - b.at)
  const shuffledFacts = shuffled.map(({ fact }) => fact)
  const all = repeats ? [...shuffledFacts, ...shuffledFacts.toReversed()] : shuffledFacts
  all.forEach((fact, nth) => {
    if (fails === nth) books.record(report("failed"), fact.of)
    const before = lists ? all.slice(0, nth).filter(({ of }) => of === fact.of) : []
    const named = new Map([...before, fact].map(({ movement: one }) => [`${one.kind} ${one.id}`, one]))
    books.record(report(stateOf(fact), ...named.values()), fact.of)
  })
}

const check = (books: ReturnType<typeof openBooks>) => {
  expect(books.atProviders()).toEqual(books.byMovements())
  const clearing = books.balances("clearing").map(({ amount }) => `clearing ${amount.toString()}`)
  const ramp = books.balances("ramp").filter(() => books.payment().status !== "processing")
  expect([...clearing, ...ramp.map(({ amount }) => `ramp ${amount.toString()}`)].toSorted()).toEqual(books.waiting())
}

const holds = (name: string, facts: fc.Arbitrary<ReadonlyArray<Fact>>, open: () => ReturnType<typeof openBooks>) =>
  it(name, () =>
    assertInTurns(
      fc.property(scenario(facts), (one) => {
        const books = open()
        if (one.facts.some(({ of }) => of === "refund")) {
          books.record(
            report(
              "completed",
              movement(
                "collection",
                "c0",
                shillings(
                  one.facts[0]!.movement.amount!.minor === 0n ? 1 : Number(one.facts[0]!.movement.amount!.minor / 100n)
                )
              )
            )
          )
          if (books.payment().status === "completed") {
            books.refund("refund", Number(one.facts.find(({ of }) => of === "refund")!.movement.amount!.minor / 100n))
          }
        }
        replay(books, one)
        check(books)
      })
    )
  )

describe("movements in any order", () => {
  holds("of a payin", payinFacts, () => openBooks(ASKED))
  holds("of a payin in another currency than its organisation's", payinFacts, () =>
    openBooks(ASKED, { target: tether(11_600_000) })
  )
  holds("of a payout", payoutFacts, () => openBooks(ASKED, payout))
  holds("of a ramp", rampFacts, () => openBooks(ASKED, onRamp))

  it("come to the same sums in every order", () =>
    assertInTurns(
      fc.property(payinFacts, fc.array(fc.nat(1000), { minLength: 14, maxLength: 14 }), (facts, order) => {
        const mine = facts.filter(({ of }) => of === "payment")
        const inOrder = openBooks(ASKED)
        const shuffled = openBooks(ASKED)
        replay(inOrder, { facts: mine, order: mine.map((_, nth) => nth), repeats: false, lists: false, fails: null })
        replay(shuffled, { facts: mine, order, repeats: true, lists: true, fails: null })
        expect(shuffled.byMovements()).toEqual(inOrder.byMovements())
        expect(shuffled.atProviders()).toEqual(inOrder.atProviders())
      })
    ))
})
