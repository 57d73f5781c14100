import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { CurrencyCode } from "../../src/domain/Currency.ts"
import { AttemptId } from "../../src/domain/Ids.ts"
import { Money } from "../../src/domain/Money.ts"
import {
  movementKinds,
  movementStates,
  OPERATOR_ID,
  record,
  type RecordedMovement,
  netByAttempt
} from "../../src/domain/Movement.ts"

const shillings = (minor: bigint) => new Money({ currency: CurrencyCode.make("KES"), minor })
const dollars = (minor: bigint) => new Money({ currency: CurrencyCode.make("USD"), minor })
const attempt = AttemptId.make("019a0000-0000-7000-8000-000000000001")
const refund = AttemptId.make("019a0000-0000-7000-8000-000000000002")

const recordedAt = (second: number) => new Date(1_700_000_000_000 + second * 1000)

const collection: RecordedMovement = {
  provider: "stripe",
  account: null,
  kind: "collection",
  movement_id: "c1",
  attempt_id: attempt,
  refund_id: null,
  amount: shillings(150_000n),
  state: "settled",
  is_total: false,
  source: "callback",
  heard_at: recordedAt(0)
}

const keyOf = ({ account, kind, movement_id, provider }: RecordedMovement) =>
  `${provider} ${account} ${kind} ${movement_id}`

/** Recorded movements, without when and by whom they were reported. */
const essence = (movements: ReadonlyArray<RecordedMovement>) =>
  movements
    .map((one) => `${keyOf(one)} ${one.state} ${one.amount.toString()} ${one.refund_id}`)
    .sort((one, other) => one.localeCompare(other))

const kept = (sequence: ReadonlyArray<RecordedMovement>) =>
  sequence.reduce<ReadonlyArray<RecordedMovement>>((movements, one) => record(movements, [one]).movements, [])

/** States of one movement, and those that are reported. */
const finalMovements = fc
  .record({
    kind: fc.constantFrom(...movementKinds),
    id: fc.constantFrom("1", "2", "3"),
    // Equal amounts for different reasons are the usual case.
    minor: fc.constantFrom(50_000n, 150_000n),
    isOurs: fc.boolean(),
    states: fc.uniqueArray(fc.constantFrom(...movementStates), { minLength: 1, maxLength: 3 }),
    totals: fc.option(fc.uniqueArray(fc.bigInt(1n, 300_000n), { minLength: 1, maxLength: 3 }), { nil: null })
  })
  .map(({ id, isOurs, kind, minor, states, totals }) => {
    const one = { ...collection, kind, movement_id: id, refund_id: isOurs && kind === "refund" ? refund : null }
    return totals === null
      ? states.map((state) => ({ ...one, amount: shillings(minor), state }))
      : totals.map((total) => ({ ...one, amount: shillings(total), is_total: true }))
  })

/** Reports of several movements, each under its own id, with a shuffled copy that repeats some of them. */
const reports = fc
  .uniqueArray(finalMovements, { maxLength: 6, selector: ([one]) => keyOf(one!) })
  .map((all) => all.flat())
  .chain((all) =>
    fc.record({
      sequence: fc.constant(all),
      again: fc
        .array(fc.constantFrom(...(all.length === 0 ? [collection] : all)), { maxLength: 5 })
        .chain((twice) => fc.shuffledSubarray([...all, ...(all.length === 0 ? [] : twice)], { minLength: all.length }))
        .filter((some) => all.every((one) => some.includes(one)))
    })
  )

describe("recording movements", () => {
  it("comes to the same in any order, with any of them repeated, one by one or together", () => {
    fc.assert(
      fc.property(reports, ({ again, sequence }) => {
        const once = essence(kept(sequence))
        expect(essence(kept(again))).toEqual(once)
        expect(essence(record([], again).movements)).toEqual(once)
        expect(record([], again).contradicted).toEqual([])
      }),
      { numRuns: 2000 }
    )
  })

  it("writes nothing for what it has recorded", () => {
    fc.assert(
      fc.property(reports, ({ sequence }) => {
        const movements = kept(sequence)
        expect(record(movements, sequence)).toEqual({ movements, toWrite: [], contradicted: [] })
      }),
      { numRuns: 1000 }
    )
  })

  it("keeps one for each provider, account, kind and id", () => {
    fc.assert(
      fc.property(reports, ({ again }) => {
        const keys = kept(again).map(keyOf)
        expect(new Set(keys).size).toBe(keys.length)
        expect(new Set(keys)).toEqual(new Set(again.map(keyOf)))
      })
    )
  })

  it("writes what is new or has advanced, and nothing else", () => {
    fc.assert(
      fc.property(reports, reports, (before, now) => {
        const stood = kept(before.sequence)
        const { toWrite: written, movements } = record(stood, now.sequence)
        expect(movements.filter((one) => !stood.includes(one))).toEqual(
          movements.filter((one) => written.some((other) => keyOf(other) === keyOf(one)))
        )
        for (const one of written) expect(movements).toContainEqual(one)
      })
    )
  })

  it("never books another amount over the first that was settled", () => {
    const others = fc.oneof(fc.bigInt(1n, 300_000n).map(shillings), fc.bigInt(1n, 300_000n).map(dollars))
    fc.assert(
      fc.property(fc.array(fc.record({ amount: others, state: fc.constantFrom(...movementStates) })), (all) => {
        const sequence = all.map(({ amount, state }) => ({ ...collection, amount, state }))
        const { contradicted, movements } = record([collection], sequence)
        expect(netByAttempt(movements)).toEqual([{ attempt_id: attempt, money: collection.amount }])
        const isOther = ({ amount, state }: RecordedMovement) =>
          state === "settled" && amount.toString() !== collection.amount.toString()
        expect(contradicted.map((one) => one.reported)).toEqual(sequence.filter(isOther).map(({ amount }) => amount))
      })
    )
  })

  it("is contradicted by another currency, also of a total", () => {
    const total = { ...collection, is_total: true }
    const { contradicted, toWrite: written } = record([total], [{ ...total, amount: dollars(900_000n) }])
    expect(written).toEqual([])
    expect(contradicted).toEqual([{ recorded: total, reported: dollars(900_000n) }])
  })

  it("lets a total grow by what has settled, and by nothing else", () => {
    const total = { ...collection, is_total: true }
    const amountsAfter = (minor: bigint, state: RecordedMovement["state"]) =>
      record([total], [{ ...total, amount: shillings(minor), state }]).movements.map(({ amount }) => amount.minor)
    expect(amountsAfter(160_000n, "settled")).toEqual([160_000n])
    expect(amountsAfter(140_000n, "settled")).toEqual([150_000n])
    expect(amountsAfter(160_000n, "pending")).toEqual([150_000n])
    expect(amountsAfter(160_000n, "failed")).toEqual([150_000n])
  })

  it("takes the amount with which a pending movement settles", () => {
    const pending = { ...collection, amount: shillings(140_000n), state: "pending" as const }
    expect(record([pending], [collection]).movements).toMatchObject([{ state: "settled", amount: collection.amount }])
  })

  it("learns which refund of ours a movement carries out, and never forgets it", () => {
    const unmatched = { ...collection, kind: "refund" as const, movement_id: "r1" }
    const matched = { ...unmatched, refund_id: refund }
    for (const order of [
      [unmatched, matched],
      [matched, unmatched]
    ]) {
      expect(kept(order)).toMatchObject([{ movement_id: "r1", refund_id: refund }])
    }
  })
})

describe("a transfer that an operator stated before its provider named it", () => {
  const stated: RecordedMovement = {
    ...collection,
    kind: "reinstatement",
    movement_id: `${OPERATOR_ID}x`,
    refund_id: refund,
    source: "operator"
  }
  const named: RecordedMovement = { ...collection, kind: "reinstatement", movement_id: "d1:won" }

  it("is replaced by it, once", () => {
    const first = record([stated], [named])
    expect(first.movements).toEqual([{ ...named, refund_id: refund }])
    expect(first.toWrite).toEqual([{ ...named, refund_id: refund, replaces: stated.movement_id }])
    const second = record(first.movements, [{ ...named, movement_id: "d2:won" }])
    expect(second.movements).toHaveLength(2)
    expect(second.toWrite).toMatchObject([{ movement_id: "d2:won" }])
    expect(second.toWrite[0]).not.toHaveProperty("replaces")
  })

  it.each([
    ["another amount", { amount: shillings(1n) }],
    ["another currency", { amount: dollars(150_000n) }],
    ["the other way", { kind: "reversal" }],
    ["another account", { provider: "adyen" }],
    ["another attempt", { attempt_id: refund }],
    ["one that has not settled", { state: "pending" }],
    ["a second statement", { source: "operator" }],
    ["money that a payer paid", { kind: "collection" }]
  ] as ReadonlyArray<readonly [string, Partial<RecordedMovement>]>)("stays beside %s", (_, about) => {
    const { toWrite: written, movements } = record([stated], [{ ...named, ...about }])
    expect(movements).toHaveLength(2)
    expect(written[0]).not.toHaveProperty("replaces")
  })

  const givenBack: RecordedMovement = { ...stated, kind: "refund", refund_id: null }

  it("may be called a refund by one and a reversal by the other", () => {
    const taken: RecordedMovement = { ...collection, kind: "reversal", movement_id: "d1" }
    expect(record([givenBack], [taken]).movements).toEqual([taken])
  })

  it("is not a refund of ours that settles afterwards with the same amount", () => {
    const ours: RecordedMovement = { ...collection, kind: "refund", movement_id: "re_1", refund_id: refund }
    expect(record([givenBack], [ours]).movements).toEqual([givenBack, ours])
  })

  it("is a refund of ours if the operator stated that refund", () => {
    const ours: RecordedMovement = { ...collection, kind: "refund", movement_id: "re_1", refund_id: refund }
    expect(record([{ ...givenBack, refund_id: refund }], [ours]).movements).toEqual([ours])
  })

  it("is not a dispute that was won, where the collection was stated", () => {
    const paid: RecordedMovement = { ...stated, kind: "collection", refund_id: null }
    const lost: RecordedMovement = { ...collection, kind: "reversal", movement_id: "d1" }
    const { movements } = record([paid], [lost, named])
    expect(movements).toHaveLength(3)
    expect(netByAttempt(movements)).toEqual([{ attempt_id: attempt, money: collection.amount }])
  })
})
