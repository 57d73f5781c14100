import { BigDecimal, Either, Schema } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { significantDigits, toPlainText } from "../../src/domain/Decimal.ts"
import {
  applySpread,
  BasisPoints,
  cross,
  fromDecimal,
  cappedByInverse,
  invert,
  Rate
} from "../../src/domain/Exchange.ts"

const rate = (text: string) => Rate.make(BigDecimal.unsafeFromString(text))

const rates = fc
  .tuple(fc.bigInt(1n, 10n ** 12n - 1n), fc.integer({ min: -4, max: 16 }))
  .map(([value, scale]) => Rate.make(BigDecimal.make(value, scale)))

const spreads = fc.integer({ min: 0, max: 9_999 }).map((n) => BasisPoints.make(n))

describe("fromDecimal", () => {
  it("takes 12 significant digits and no more, above zero", () => {
    expect(Either.map(fromDecimal(BigDecimal.make(1234567890120n, 1)), toPlainText)).toEqual(
      Either.right("123456789012")
    )
    expect(fromDecimal(BigDecimal.make(1234567890123n, 1))).toEqual(Either.left("has more than 12 significant digits"))
    expect(fromDecimal(BigDecimal.make(0n, 0))).toEqual(Either.left("is not above zero"))
    expect(fromDecimal(BigDecimal.make(-1n, 0))).toEqual(Either.left("is not above zero"))
    expect(Schema.is(Rate)(BigDecimal.make(1234567890123n, 1))).toBe(false)
  })
})

describe("cross and invert", () => {
  it.each([
    ["129.35", "0.00773096250483"],
    ["3", "0.333333333333"],
    ["0.006", "166.666666666"],
    ["1", "1"],
    ["1000", "0.001"],
    ["0.0001", "10000"],
    ["1e3", "0.001"]
  ])("inverts %s to %s", (text, inverse) => {
    expect(toPlainText(invert(rate(text)))).toBe(inverse)
  })

  it("crosses through a third currency", () => {
    expect(toPlainText(cross(rate("0.00773096250483"), rate("1550.5")))).toBe("11.9868573637")
  })

  it("inverts to no more than the exact inverse, within a unit of the twelfth digit", () => {
    fc.assert(
      fc.property(rates, (r) => {
        const inverse = invert(r)
        expect(significantDigits(inverse)).toBeLessThanOrEqual(12)
        const error = BigDecimal.subtract(BigDecimal.make(1n, 0), BigDecimal.multiply(r, inverse))
        expect(BigDecimal.isNegative(error)).toBe(false)
        expect(BigDecimal.lessThanOrEqualTo(error, BigDecimal.make(1n, 11))).toBe(true)
      })
    )
  })

  it("crosses in either order, to no more than the exact product, within 12 digits of it", () => {
    fc.assert(
      fc.property(rates, rates, (a, b) => {
        const crossed = cross(a, b)
        expect(BigDecimal.equals(crossed, cross(b, a))).toBe(true)
        expect(significantDigits(crossed)).toBeLessThanOrEqual(12)
        const exact = BigDecimal.multiply(a, b)
        const error = BigDecimal.subtract(exact, crossed)
        expect(BigDecimal.isNegative(error)).toBe(false)
        const bound = BigDecimal.multiply(exact, BigDecimal.make(1n, 11))
        expect(BigDecimal.lessThanOrEqualTo(error, bound)).toBe(true)
      })
    )
  })

  it("holds a rate to its way back, so that there and back is never a gain", () => {
    fc.assert(
      fc.property(rates, rates, (there, back) => {
        const held = cappedByInverse(there, back)
        const round = BigDecimal.multiply(held, back)
        expect(BigDecimal.lessThanOrEqualTo(round, BigDecimal.make(1n, 0))).toBe(true)
        expect(BigDecimal.lessThanOrEqualTo(held, there)).toBe(true)
        if (BigDecimal.lessThanOrEqualTo(BigDecimal.multiply(there, back), BigDecimal.make(1n, 0))) {
          expect(BigDecimal.equals(held, there)).toBe(true)
        }
      })
    )
  })
})

describe("applySpread", () => {
  it.each([
    ["129.35", 0, "129.35"],
    ["129.35", 50, "128.70325"],
    ["1", 9_999, "0.0001"],
    ["0.333333333333", 1, "0.333299999999"]
  ])("%s less %i basis points is %s", (text, spread, expected) => {
    expect(toPlainText(applySpread(rate(text), BasisPoints.make(spread)))).toBe(expected)
  })

  it("never favours the customer, and a wider spread never gives more", () => {
    fc.assert(
      fc.property(rates, spreads, spreads, (r, one, other) => {
        const [narrow, wide] = one <= other ? [one, other] : [other, one]
        const exact = BigDecimal.multiply(r, BigDecimal.make(10_000n - BigInt(narrow), 4))
        const lowered = applySpread(r, narrow)
        expect(BigDecimal.lessThanOrEqualTo(lowered, exact)).toBe(true)
        expect(BigDecimal.lessThanOrEqualTo(applySpread(r, wide), lowered)).toBe(true)
        expect(BigDecimal.equals(lowered, r)).toBe(narrow === 0)
        expect(BigDecimal.isPositive(lowered)).toBe(true)
      })
    )
  })

  it.each([-1, 10_000, 1.5])("refuses a spread of %d", (n) => {
    expect(Schema.is(BasisPoints)(n)).toBe(false)
  })
})
