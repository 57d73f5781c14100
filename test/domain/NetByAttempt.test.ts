import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { CurrencyCode } from "../../src/domain/Currency.ts"
import { AttemptId } from "../../src/domain/Ids.ts"
import { Money } from "../../src/domain/Money.ts"
import {
  movementKinds,
  movementStates,
  type RecordedMovement,
  signOf,
  allocate,
  type ExpectedMovement,
  netOf,
  netByAttempt,
  type NetByAttempt
} from "../../src/domain/Movement.ts"

const currencies = ["KES", "USD"].map((code) => CurrencyCode.make(code))
const attempts = ["1", "2"].map((last) => AttemptId.make(`019a0000-0000-7000-8000-00000000000${last}`))

const movements: fc.Arbitrary<ReadonlyArray<RecordedMovement>> = fc.array(
  fc
    .record({
      kind: fc.constantFrom(...movementKinds),
      attempt_id: fc.constantFrom(...attempts),
      currency: fc.constantFrom(...currencies),
      minor: fc.constantFrom(1n, 500n, 1500n),
      state: fc.constantFrom(...movementStates)
    })
    .map(({ currency, minor, ...rest }) => ({
      provider: "stripe" as const,
      account: null,
      movement_id: "m",
      refund_id: null,
      amount: new Money({ currency, minor }),
      is_total: false,
      source: "callback" as const,
      heard_at: new Date(0),
      ...rest
    })),
  { maxLength: 12 }
)

const intents: fc.Arbitrary<ReadonlyArray<ExpectedMovement>> = fc.array(
  fc
    .record({
      attempt_id: fc.constantFrom(...attempts),
      currency: fc.constantFrom(...currencies),
      minor: fc.bigInt(-3000n, 3000n)
    })
    .map(({ attempt_id, currency, minor }) => ({ attempt_id, money: new Money({ currency, minor }) })),
  { maxLength: 6 }
)

const shuffled = <A>(all: ReadonlyArray<A>) => fc.shuffledSubarray([...all], { minLength: all.length })

const sorted = (sums: NetByAttempt) =>
  sums
    .map(({ attempt_id, money }) => `${attempt_id} ${money.toString()}`)
    .sort((one, other) => one.localeCompare(other))

const totalOf = (sums: ReadonlyArray<Money>, currency: Money["currency"]) =>
  sums.filter((one) => one.currency === currency).reduce((sum, { minor }) => sum + minor, 0n)

describe("the position of a payment", () => {
  it("does not depend on the order of its movements", () => {
    fc.assert(
      fc.property(
        movements.chain((all) => fc.tuple(fc.constant(all), shuffled(all))),
        ([one, other]) => {
          expect(sorted(netByAttempt(other))).toEqual(sorted(netByAttempt(one)))
        }
      )
    )
  })

  it("is the sum of what has settled, for each attempt and currency, and no entry where that is nothing", () => {
    fc.assert(
      fc.property(movements, (all) => {
        const sums = netByAttempt(all)
        expect(sums.every(({ money }) => !money.isZero)).toBe(true)
        for (const attempt of attempts) {
          for (const currency of currencies) {
            const mine = all.filter(
              ({ amount, attempt_id, state }) =>
                state === "settled" && attempt_id === attempt && amount.currency === currency
            )
            const net = mine.reduce((sum, { amount, kind }) => sum + signOf(kind) * amount.minor, 0n)
            expect(netOf(sums, attempt, currency).minor).toBe(net)
          }
        }
      })
    )
  })
})

describe("allocating a position", () => {
  it("gives every intent what it asks for, and leaves exactly the rest", () => {
    fc.assert(
      fc.property(movements, intents, (all, wanted) => {
        const of = netByAttempt(all)
        const { rest, taken } = allocate(of, wanted)
        expect(taken).toEqual(wanted.map(({ money }) => money))
        for (const currency of currencies) {
          const had = totalOf(
            of.map(({ money }) => money),
            currency
          )
          const left = totalOf(
            rest.map(({ money }) => money),
            currency
          )
          expect(totalOf(taken, currency) + left).toBe(had)
        }
        for (const { attempt_id, money } of rest) {
          const used = wanted.filter((one) => one.attempt_id === attempt_id && one.money.currency === money.currency)
          const net = netOf(of, attempt_id, money.currency).minor
          expect(money.minor).toBe(net - used.reduce((sum, one) => sum + one.money.minor, 0n))
        }
      })
    )
  })

  it("does not depend on the order of movements or intents", () => {
    const both = fc
      .tuple(movements, intents)
      .chain(([all, wanted]) => fc.tuple(fc.constant([all, wanted] as const), shuffled(all), shuffled(wanted)))
    fc.assert(
      fc.property(both, ([[all, wanted], others, turned]) => {
        const one = allocate(netByAttempt(all), wanted)
        const other = allocate(netByAttempt(others), turned)
        expect(sorted(other.rest)).toEqual(sorted(one.rest))
      })
    )
  })

  it("leaves nothing where every movement has its intent", () => {
    fc.assert(
      fc.property(movements, (all) => {
        const { rest } = allocate(netByAttempt(all), netByAttempt(all))
        expect(rest).toEqual([])
      })
    )
  })

  it("takes what is there, up to its amount, and never less than what was spent of it", () => {
    const [attempt_id] = attempts as [AttemptId]
    const [currency] = currencies as [CurrencyCode]
    fc.assert(
      fc.property(fc.bigInt(-2000n, 4000n), fc.bigInt(0n, 1500n), (there, spent) => {
        const of = [{ attempt_id, money: new Money({ currency, minor: there }) }]
        const intent = { attempt_id, money: new Money({ currency, minor: 1500n }), atLeast: spent }
        const { rest, taken } = allocate(of, [intent])
        const expected = there >= 1500n ? 1500n : there > spent ? there : spent
        expect(taken.map(({ minor }) => minor)).toEqual([expected])
        expect(
          totalOf(
            rest.map(({ money }) => money),
            currency
          )
        ).toBe(there - expected)
      })
    )
  })

  it("takes only what the other intents leave, and leaves nothing lacking that it could do without", () => {
    const [attempt_id] = attempts as [AttemptId]
    const [currency] = currencies as [CurrencyCode]
    const money = (minor: bigint) => new Money({ currency, minor })
    fc.assert(
      fc.property(fc.bigInt(-2000n, 4000n), fc.bigInt(-1500n, 1500n), fc.bigInt(0n, 1500n), (there, other, spent) => {
        const of = [{ attempt_id, money: money(there) }]
        const intent = { attempt_id, money: money(1500n), atLeast: spent }
        const { rest, taken } = allocate(of, [{ attempt_id, money: money(other) }, intent])
        const [, { minor } = money(0n)] = taken
        const left = netOf(rest, attempt_id, currency).minor
        if (left < 0n) expect(minor).toBe(spent)
        if (left > 0n) expect(minor).toBe(1500n > spent ? 1500n : spent)
      })
    )
  })
})
