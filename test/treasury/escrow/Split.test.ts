import { describe, expect, it } from "@effect/vitest"
import { BigDecimal, Either } from "effect"
import fc from "fast-check"
import { CurrencyCode } from "../../../src/domain/Currency.ts"
import { Money } from "../../../src/domain/Money.ts"
import { type Share, split, type SplitType } from "../../../src/domain/Split.ts"

const share =
  (split_type: SplitType) =>
  (value: string): Share => ({
    split_type,
    split_value: BigDecimal.unsafeFromString(value)
  })
const percent = share("percentage")
const fixed = share("fixed")

const shillings = (minor: bigint, currency = "KES") => new Money({ currency: CurrencyCode.make(currency), minor })

const minors = (whole: Money, shares: ReadonlyArray<Share>) =>
  Either.getOrThrowWith(split(whole, shares), (why) => new Error(why)).map(({ minor }) => minor)

const refusal = (whole: Money, shares: ReadonlyArray<Share>) => Either.getOrThrow(Either.flip(split(whole, shares)))

/** A hundred percent cut at random places, each piece with up to four fraction digits. */
const percentages = fc.uniqueArray(fc.integer({ min: 1, max: 999_999 }), { maxLength: 12 }).map((cuts) => {
  const edges = [0, ...cuts.toSorted((a, b) => a - b), 1_000_000]
  return edges.slice(1).map((edge, at) => percent(String((edge - edges[at]!) / 10_000)))
})

const amounts = fc.bigInt({ min: 0n, max: 10n ** 18n })

describe("split", () => {
  it("distributes every unit, each share less than one unit off", () => {
    fc.assert(
      fc.property(amounts, percentages, (amount, shares) => {
        const parts = minors(shillings(amount), shares)
        expect(parts.reduce((sum, part) => sum + part, 0n)).toBe(amount)
        parts.forEach((part, at) => {
          const exact = amount * BigDecimal.scale(shares[at]!.split_value, 4).value
          const off = part * 1_000_000n - exact
          expect(off < 1_000_000n && off > -1_000_000n).toBe(true)
        })
      })
    )
  })

  it("depends on the order only where two shares are the same", () => {
    const shuffled = percentages.chain((shares) =>
      fc.tuple(fc.constant(shares), fc.shuffledSubarray(shares, { minLength: shares.length, maxLength: shares.length }))
    )
    const pairs = (whole: Money, shares: ReadonlyArray<Share>) =>
      minors(whole, shares)
        .map((part, at) => `${BigDecimal.format(shares[at]!.split_value)}: ${part}`)
        .toSorted()
    fc.assert(
      fc.property(amounts, shuffled, (amount, [shares, others]) => {
        const whole = shillings(amount)
        expect(pairs(whole, others)).toEqual(pairs(whole, shares))
        expect(minors(whole, shares)).toEqual(minors(whole, shares))
      })
    )
  })

  it("never gives a larger percentage less", () => {
    fc.assert(
      fc.property(amounts, percentages, (amount, shares) => {
        const parts = minors(shillings(amount), shares)
        const order = shares
          .map(({ split_value }, at) => ({ split_value, part: parts[at]! }))
          .toSorted((a, b) => BigDecimal.Order(a.split_value, b.split_value))
        for (const [at, { part, split_value }] of order.entries()) {
          const next = order[at + 1]
          if (next !== undefined && !BigDecimal.equals(split_value, next.split_value)) {
            expect(next.part >= part).toBe(true)
          }
        }
      })
    )
  })

  it("gives the units that are left over to the largest remainders", () => {
    expect(minors(shillings(100n), [percent("33.3"), percent("33.3"), percent("33.4")])).toEqual([33n, 33n, 34n])
    expect(minors(shillings(10n), [percent("25"), percent("25"), percent("50")])).toEqual([3n, 2n, 5n])
    expect(minors(shillings(1n), [percent("50"), percent("50")])).toEqual([1n, 0n])
    expect(minors(shillings(7n, "JPY"), [percent("12.5"), percent("87.5")])).toEqual([1n, 6n])
    expect(minors(shillings(0n), [percent("40"), percent("60")])).toEqual([0n, 0n])
  })

  it("takes fixed amounts as they are", () => {
    const parts = fc.array(fc.bigInt({ min: 1n, max: 10n ** 12n }), { minLength: 1, maxLength: 12 })
    fc.assert(
      fc.property(parts, (given) => {
        const whole = shillings(given.reduce((sum, part) => sum + part, 0n))
        const shares = given.map((part) => ({ split_type: "fixed" as const, split_value: BigDecimal.make(part, 2) }))
        expect(minors(whole, shares)).toEqual(given)
        expect(refusal(shillings(whole.minor + 1n), shares)).toMatch(/^the fixed splits add up to/)
      })
    )
  })

  it("says what is wrong with shares that are no whole", () => {
    const whole = shillings(10_000n)
    expect(refusal(whole, [])).toMatch(/no party/)
    expect(refusal(whole, [percent("60"), percent("39.99")])).toBe(
      "the percentages add up to 99.99, and must add up to exactly 100"
    )
    expect(refusal(whole, [percent("100.0000001")])).toMatch(/100\.0000001/)
    expect(refusal(whole, [fixed("60"), fixed("39.99")])).toBe(
      "the fixed splits add up to 99.99 KES, and must add up to 100.00 KES"
    )
    expect(refusal(whole, [fixed("99.999"), fixed("0.001")])).toMatch(/fraction digits/)
    expect(refusal(whole, [percent("50"), fixed("50")])).toMatch(/mixed/)
    expect(refusal(whole, [percent("110"), percent("-10")])).toMatch(/above zero/)
    expect(refusal(whole, [percent("100"), percent("0")])).toMatch(/above zero/)
    expect(refusal(shillings(-1n), [percent("100")])).toMatch(/cannot be shared out/)
  })
})
