import { BigDecimal, Either, Schema } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { AnyCurrencyCode, computedScaleOf } from "../../src/domain/Currency.ts"
import { fractionDigits } from "../../src/domain/Decimal.ts"
import { type Exchange, expected, given, taken, withinTolerance, Rate } from "../../src/domain/Exchange.ts"
import { Money } from "../../src/domain/Money.ts"

const code = Schema.decodeUnknownSync(AnyCurrencyCode)
const money = (text: string, currency: string) => Either.getOrThrow(Money.fromNumericText(text, code(currency)))
const exchange = (from: string, to: string, rate: string): Exchange => ({
  from: code(from),
  to: code(to),
  rate: Rate.make(BigDecimal.unsafeFromString(rate))
})

const roundings = { given, taken, expected }

describe("an exchange", () => {
  it.each<[string, string, string, string, keyof typeof roundings, string]>([
    ["100.00", "USD", "129.35", "KES", "expected", "12935.00 KES"],
    ["0.05", "USD", "0.5", "EUR", "expected", "0.02 EUR"],
    ["0.15", "USD", "0.5", "EUR", "expected", "0.08 EUR"],
    ["0.15", "USD", "0.5", "EUR", "given", "0.07 EUR"],
    ["0.05", "USD", "0.5", "EUR", "taken", "0.03 EUR"],
    ["10.00", "USD", "3712.55", "UGX", "given", "37125 UGX"],
    ["10.00", "USD", "3712.55", "UGX", "taken", "37126 UGX"],
    ["1.00", "USD", "0.000123456789", "BTC", "expected", "0.00012346 BTC"],
    ["1.00", "USD", "0.000123456789", "ETH", "given", "0.00012345 ETH"],
    ["1.00", "USD", "0.000123456789", "ETH", "taken", "0.00012346 ETH"],
    ["0.000000000000000001", "ETH", "2500", "USD", "given", "0.00 USD"],
    ["0.000000000000000001", "ETH", "2500", "USD", "taken", "0.01 USD"],
    ["9.77", "NGN", "0.000511811023622", "GBP", "given", "0.00 GBP"],
    ["9.77", "NGN", "0.000511811023622", "GBP", "expected", "0.01 GBP"]
  ])("of %s %s at %s into %s is, as %s, %s", (text, from, rate, to, how, result) => {
    expect(String(roundings[how](money(text, from), exchange(from, to, rate)))).toBe(result)
  })

  it.each<[string, string, string, string, keyof typeof roundings, string]>([
    ["12935.00", "KES", "129.35", "USD", "given", "100.00 USD"],
    ["12935.00", "KES", "129.35", "USD", "taken", "100.00 USD"],
    ["12935.01", "KES", "129.35", "USD", "given", "100.00 USD"],
    ["12935.01", "KES", "129.35", "USD", "taken", "100.01 USD"],
    ["100", "UGX", "3", "ETH", "given", "33.33333333 ETH"],
    ["100", "UGX", "3", "ETH", "taken", "33.33333334 ETH"],
    ["1.00", "USD", "1000", "BTC", "taken", "0.00100000 BTC"]
  ])("of %s %s at %s back into %s is, as %s, %s", (text, to, rate, from, how, result) => {
    expect(String(roundings[how](money(text, to), exchange(from, to, rate)))).toBe(result)
  })

  it("is of its two currencies only", () => {
    expect(() => given(money("1", "EUR"), exchange("USD", "KES", "129"))).toThrow(
      "1.00 EUR is not changed by USD to KES"
    )
  })

  const currencies = fc.constantFrom("KES", "UGX", "KWD", "USDT", "BTC", "ETH").map((text) => code(text))
  const trades = fc.record({
    from: currencies,
    to: currencies,
    minor: fc.bigInt(1n, 10n ** 20n),
    rate: fc
      .tuple(fc.bigInt(1n, 10n ** 12n - 1n), fc.integer({ min: -4, max: 16 }))
      .map(([value, scale]) => Rate.make(BigDecimal.make(value, scale)))
  })

  it("gives no more than an amount is worth, takes no less, and is off by less than one unit", () => {
    fc.assert(
      fc.property(trades, ({ from, minor, rate, to }) => {
        fc.pre(from !== to)
        const amount = new Money({ currency: from, minor })
        const exact = BigDecimal.multiply(amount.toDecimal(), rate)
        const unit = BigDecimal.make(1n, computedScaleOf(to))
        const [low, high] = [
          given(amount, { from, to, rate }).toDecimal(),
          taken(amount, { from, to, rate }).toDecimal()
        ]
        expect(BigDecimal.lessThanOrEqualTo(low, exact) && BigDecimal.lessThanOrEqualTo(exact, high)).toBe(true)
        expect(BigDecimal.lessThan(BigDecimal.subtract(exact, low), unit)).toBe(true)
        expect(BigDecimal.lessThan(BigDecimal.subtract(high, exact), unit)).toBe(true)
        for (const one of [low, high]) expect(fractionDigits(one)).toBeLessThanOrEqual(computedScaleOf(to))
      })
    )
  })

  it("takes at least what a wanted amount costs, and not a unit more than it must", () => {
    fc.assert(
      fc.property(trades, ({ from, minor, rate, to }) => {
        fc.pre(from !== to)
        const wanted = new Money({ currency: to, minor })
        const price = taken(wanted, { from, to, rate })
        const unit = BigDecimal.make(1n, computedScaleOf(from))
        const worth = (d: BigDecimal.BigDecimal) => BigDecimal.multiply(d, rate)
        expect(BigDecimal.greaterThanOrEqualTo(worth(price.toDecimal()), wanted.toDecimal())).toBe(true)
        const less = worth(BigDecimal.subtract(price.toDecimal(), unit))
        expect(BigDecimal.lessThan(less, wanted.toDecimal())).toBe(true)
        const back = given(wanted, { from, to, rate })
        expect(BigDecimal.lessThanOrEqualTo(worth(back.toDecimal()), wanted.toDecimal())).toBe(true)
      })
    )
  })

  it("tolerates half a percent of the target, exactly", () => {
    const at = exchange("KES", "USD", "0.0001")
    // Of 0.01 USD half a percent are 0.00005: half a shilling.
    for (const text of ["99.50", "100.00", "100.50"]) {
      expect(withinTolerance(money(text, "KES"), money("0.01", "USD"), at), text).toBe(true)
    }
    for (const text of ["99.49", "100.51"]) {
      expect(withinTolerance(money(text, "KES"), money("0.01", "USD"), at), text).toBe(false)
    }
  })
})
