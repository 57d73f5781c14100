import { BigDecimal, Either, Equal, Schema } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { AnyCurrencyCode, exponentOfAny } from "../../src/domain/Currency.ts"
import { fractionDigits, stringifyWire, WireDecimal } from "../../src/domain/Decimal.ts"
import { CurrencyMismatch, Money } from "../../src/domain/Money.ts"

const code = Schema.decodeUnknownSync(AnyCurrencyCode)
const dec = (text: string) => BigDecimal.unsafeFromString(text)
const money = (text: string, currency: string) => Either.getOrThrow(Money.fromNumericText(text, code(currency)))

const currency = fc.constantFrom("KES", "UGX", "KWD", "USDT", "BTC", "ETH").map((text) => code(text))
const minor = fc.bigInt(-(10n ** 20n), 10n ** 20n)
const pairOfOneCurrency = fc
  .tuple(currency, minor, minor)
  .map(([c, a, b]) => [new Money({ currency: c, minor: a }), new Money({ currency: c, minor: b })] as const)

describe("reading amounts", () => {
  it.each([
    ["10.000", "KES", 1000n],
    ["1500", "UGX", 1500n],
    ["1500.00", "UGX", 1500n],
    ["1.234", "KWD", 1234n],
    ["0.000001", "USDT", 1n],
    ["0.000000000000000001", "ETH", 1n],
    ["-2.5", "USD", -250n]
  ])("%s %s", (text, currencyText, expected) => {
    expect(Either.getOrThrow(Money.fromDecimal(dec(text), code(currencyText))).minor).toBe(expected)
  })

  it.each([
    ["10.001", "KES", "has more than 2 fraction digits, which KES does not allow"],
    ["1500.5", "UGX", "has a fraction, but UGX has no minor unit"],
    ["0.0000001", "USDC", "has more than 6 fraction digits, which USDC does not allow"]
  ])("refuses %s %s", (text, currencyText, reason) => {
    expect(Money.fromDecimal(dec(text), code(currencyText))).toEqual(Either.left(reason))
  })

  it.each(["NaN", "Infinity", "", "1e3", "ten"])("refuses the numeric text %j", (text) => {
    expect(Money.fromNumericText(text, code("KES"))).toEqual(Either.left("is not decimal text"))
  })
})

describe("writing amounts", () => {
  it.each([
    ["1500", "KES", "1500.00", "1500.00"],
    ["0.1", "USD", "0.10", "0.10"],
    ["1500", "UGX", "1500", "1500.0"],
    ["1.5", "USDT", "1.500000", "1.500000"],
    ["-0.05", "KES", "-0.05", "-0.05"],
    ["0.00109943", "ETH", "0.00109943", "0.00109943"],
    ["2", "ETH", "2.00000000", "2.00000000"],
    ["-1.5", "ETH", "-1.50000000", "-1.50000000"],
    // More digits than that were given by somebody: the books have them all, the wire has eight.
    ["0.001099430000000019", "ETH", "0.001099430000000019", "0.00109943"],
    ["-0.0000000199", "ETH", "-0.0000000199", "-0.00000001"]
  ])("%s %s", (text, currencyText, numeric, wire) => {
    const amount = money(text, currencyText)
    expect(amount.toNumericText()).toBe(numeric)
    expect(stringifyWire(Schema.encodeSync(WireDecimal)(amount.toShown()))).toBe(wire)
    expect(String(amount)).toBe(`${numeric} ${currencyText}`)
  })

  it("round trips through numeric text and decimals", () => {
    fc.assert(
      fc.property(currency, minor, (c, n) => {
        const amount = new Money({ currency: c, minor: n })
        expect(Equal.equals(Either.getOrThrow(Money.fromNumericText(amount.toNumericText(), c)), amount)).toBe(true)
        expect(Equal.equals(Either.getOrThrow(Money.fromDecimal(amount.toDecimal(), c)), amount)).toBe(true)
        const { scale } = amount.toDecimal()
        expect(scale).toBe(Math.max(Math.min(exponentOfAny(c), 8), fractionDigits(amount.toDecimal())))
        expect(amount.toShown().scale).toBe(Math.min(exponentOfAny(c), 8))
      })
    )
  })
})

describe("arithmetic", () => {
  const right = Either.getOrThrow

  it("adds what it subtracts, in any order", () => {
    fc.assert(
      fc.property(pairOfOneCurrency, ([a, b]) => {
        const sum = right(a.add(b))
        expect(sum.minor).toBe(a.minor + b.minor)
        expect(Equal.equals(sum, right(b.add(a)))).toBe(true)
        expect(Equal.equals(right(sum.subtract(b)), a)).toBe(true)
        expect(Equal.equals(right(a.subtract(b)), right(a.add(b.negate())))).toBe(true)
        expect(Equal.equals(right(a.add(a.negate())), Money.zero(a.currency))).toBe(true)
      })
    )
  })

  it("compares by sign of the difference", () => {
    fc.assert(
      fc.property(pairOfOneCurrency, ([a, b]) => {
        const difference = right(a.subtract(b))
        expect(right(a.compare(b))).toBe(difference.isZero ? 0 : difference.isPositive ? 1 : -1)
        expect(difference.isNegative).toBe(a.minor < b.minor)
        expect(right(a.compare(a))).toBe(0)
      })
    )
  })

  it("refuses to mix currencies", () => {
    const [kes, usd] = [money("1", "KES"), money("1", "USD")]
    for (const result of [kes.add(usd), kes.subtract(usd), kes.compare(usd)]) {
      const error = Either.getOrThrow(Either.flip<unknown, CurrencyMismatch>(result))
      expect(error).toBeInstanceOf(CurrencyMismatch)
      expect(error).toMatchObject({ left: "KES", right: "USD", message: "cannot combine KES with USD" })
    }
  })
})
