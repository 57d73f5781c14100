import { BigDecimal, Either } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { computedScaleOf, type CryptoAssetCode, CurrencyCode } from "../../src/domain/Currency.ts"
import { fractionDigits, fromJsonNumber } from "../../src/domain/Decimal.ts"
import { Money } from "../../src/domain/Money.ts"
import { rampAmounts, type RampDirection, withinDrift } from "../../src/domain/Ramp.ts"
import { invert, Rate } from "../../src/domain/Exchange.ts"

const decimal = (text: string) => BigDecimal.unsafeFromString(text)
const rate = (text: string) => Rate.make(decimal(text))

const rates = fc
  .tuple(fc.bigInt(1n, 10n ** 12n - 1n), fc.integer({ min: -4, max: 16 }))
  .map(([value, scale]) => Rate.make(BigDecimal.make(value, scale)))

describe("withinDrift", () => {
  it.each([
    ["129.35", "129.35", true],
    ["100.5", "100", true],
    ["100.500000000001", "100", false],
    ["99.5", "100", true],
    ["99.499999999999", "100", false],
    ["0.0201", "0.02", true],
    ["0.0201000000000000000000000001", "0.02", false],
    ["0.00000077690450", "0.00000077303930", false],
    ["1", "1000", false],
    ["1000", "1", false]
  ])("%s against %s: %s", (client, live, within) => {
    expect(withinDrift(decimal(client), decimal(live))).toBe(within)
  })

  it("ends at exactly half a percent, however fine the digits", () => {
    fc.assert(
      fc.property(rates, fc.integer({ min: 0, max: 30 }), (live, finer) => {
        const scale = live.scale + 3 + finer
        const at = (thousandths: bigint) => live.value * thousandths * 10n ** BigInt(finer)
        const upper = at(1005n)
        const lower = at(995n)
        expect(withinDrift(BigDecimal.make(upper, scale), live)).toBe(true)
        expect(withinDrift(BigDecimal.make(upper + 1n, scale), live)).toBe(false)
        expect(withinDrift(BigDecimal.make(lower, scale), live)).toBe(true)
        expect(withinDrift(BigDecimal.make(lower - 1n, scale), live)).toBe(false)
      })
    )
  })

  it("catches the rate of the wrong direction, unless the two are worth about the same", () => {
    const nearOne = (r: Rate) => BigDecimal.between(r, { minimum: decimal("0.997"), maximum: decimal("1.003") })
    const anyRate = fc.oneof(
      rates,
      fc.integer({ min: 900, max: 1100 }).map((n) => Rate.make(BigDecimal.make(BigInt(n), 3)))
    )
    fc.assert(
      fc.property(anyRate, (live) => {
        fc.pre(!nearOne(live))
        expect(withinDrift(invert(live), live)).toBe(false)
      })
    )
  })

  it("holds for the largest and the smallest number that JSON can bring", () => {
    for (const n of [Number.MAX_VALUE, Number.MIN_VALUE]) {
      const client = Either.getOrThrow(fromJsonNumber(n))
      expect(withinDrift(client, rate("129.35"))).toBe(false)
      expect(withinDrift(client, client)).toBe(true)
    }
  })
})

const amountText = (direction: RampDirection, fiat: Money, asset: CryptoAssetCode, text: string) =>
  Either.map(rampAmounts({ direction, fiat, asset, rate: rate(text) }), (crypto) => crypto.toString())

const money = (text: string, currency: string) =>
  Either.getOrThrow(Money.fromNumericText(text, CurrencyCode.make(currency)))

describe("rampAmounts", () => {
  it.each([
    ["13000.00", "KES", "USDT", "0.00773096250483", "100.502512 USDT"],
    ["1.00", "USD", "BTC", "0.0000123456789", "0.00001234 BTC"],
    ["1.00", "USD", "ETH", "0.000379999999999", "0.00037999 ETH"],
    ["1500", "JPY", "USDC", "0.0066666666666", "9.999999 USDC"],
    ["1000.000", "KWD", "USDC", "3.25", "3250.000000 USDC"],
    ["2.00", "USD", "USDT", "1e3", "2000.000000 USDT"]
  ] as const)("on-ramp: %s %s buy %s at %s: %s", (fiat, currency, asset, at, crypto) => {
    expect(amountText("on_ramp", money(fiat, currency), asset, at)).toEqual(Either.right(crypto))
  })

  it.each([
    ["12870.00", "KES", "USDT", "128.7", "100.000000 USDT"],
    ["100.00", "USD", "USDT", "3", "33.333334 USDT"],
    ["0.01", "USD", "BTC", "98765.4321", "0.00000011 BTC"],
    ["1.00", "USD", "ETH", "3000", "0.00033334 ETH"],
    ["1", "JPY", "BTC", "1e12", "0.00000001 BTC"],
    ["1.000", "KWD", "USDC", "0.0000001", "10000000.000000 USDC"]
  ] as const)("off-ramp: %s %s cost %s at %s: %s", (fiat, currency, asset, at, crypto) => {
    expect(amountText("off_ramp", money(fiat, currency), asset, at)).toEqual(Either.right(crypto))
  })

  it("refuses fiat that buys nothing", () => {
    expect(amountText("on_ramp", money("0.01", "USD"), "BTC", "0.0000009")).toEqual(
      Either.left("is too small: 0.01 USD buys less than the smallest amount of BTC")
    )
    expect(amountText("on_ramp", money("0.01", "USD"), "BTC", "0.000001")).toEqual(Either.right("0.00000001 BTC"))
  })

  const currencies = fc.constantFrom(...["JPY", "KES", "KWD"].map((code) => CurrencyCode.make(code)))
  const minors = fc.oneof(fc.bigInt(1n, 100n), fc.bigInt(1n, 10n ** 15n - 1n))
  const assets = fc.constantFrom<CryptoAssetCode>("USDT", "USDC", "BTC", "ETH")
  const directions = fc.constantFrom<RampDirection>("on_ramp", "off_ramp")
  const smallest = (asset: CryptoAssetCode) => BigDecimal.make(1n, computedScaleOf(asset))

  it("rounds once, by less than one step, and never for the customer", () => {
    fc.assert(
      fc.property(directions, currencies, minors, assets, rates, (direction, currency, minor, asset, at) => {
        const fiat = new Money({ currency, minor })
        const result = rampAmounts({ direction, fiat, asset, rate: at })
        const worth = BigDecimal.multiply(fiat.toDecimal(), at)
        if (Either.isLeft(result)) {
          expect(direction).toBe("on_ramp")
          expect(BigDecimal.lessThan(worth, smallest(asset))).toBe(true)
          return
        }
        const crypto = result.right.toDecimal()
        expect(result.right.currency).toBe(asset)
        expect(fractionDigits(crypto)).toBeLessThanOrEqual(computedScaleOf(asset))
        if (direction === "on_ramp") {
          expect(BigDecimal.lessThanOrEqualTo(crypto, worth)).toBe(true)
          expect(BigDecimal.greaterThan(BigDecimal.sum(crypto, smallest(asset)), worth)).toBe(true)
        } else {
          const oneLess = BigDecimal.subtract(crypto, smallest(asset))
          expect(BigDecimal.greaterThanOrEqualTo(BigDecimal.multiply(crypto, at), fiat.toDecimal())).toBe(true)
          expect(BigDecimal.lessThan(BigDecimal.multiply(oneLess, at), fiat.toDecimal())).toBe(true)
        }
      }),
      { numRuns: 500 }
    )
  })

  it("never gives more for two halves than for the whole, and at most one step less", () => {
    fc.assert(
      fc.property(directions, minors, minors, assets, rates, (direction, one, other, asset, at) => {
        const currency = CurrencyCode.make("KES")
        const unitsFor = (minor: bigint) =>
          Either.match(rampAmounts({ direction, fiat: new Money({ currency, minor }), asset, rate: at }), {
            onLeft: () => 0n,
            onRight: (crypto) => crypto.minor
          })
        const step = 10n ** BigInt(Money.zero(asset).exponent - computedScaleOf(asset))
        const lost = unitsFor(one + other) - unitsFor(one) - unitsFor(other)
        expect([0n, direction === "on_ramp" ? step : -step]).toContain(lost)
      })
    )
  })
})
