/** Cycles through currencies of every length, over random tables of rates: none multiplies to more than one. */
import { BigDecimal, Either, Option } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { CurrencyCode, type AnyCurrencyCode, CryptoAssetCode } from "../../../src/domain/Currency.ts"
import { roundToSignificantDigits, toPlainText } from "../../../src/domain/Decimal.ts"
import { given, applySpread, BasisPoints, rateDigits } from "../../../src/domain/Exchange.ts"
import { Money } from "../../../src/domain/Money.ts"
import { baseRate } from "../../../src/money/rates/RateQuote.ts"
import type { ReadRate } from "../../../src/money/rates/RateStore.ts"

/** With two, no and three fraction digits, and crypto. */
const codes: ReadonlyArray<AnyCurrencyCode> = [
  ...["USD", "KES", "UGX", "KWD", "NGN", "GBP"].map((code) => CurrencyCode.make(code)),
  ...CryptoAssetCode.literals.slice(0, 2)
]

const pairs = codes.flatMap((from) => codes.filter((to) => to !== from).map((to) => [from, to] as const))

const rate = fc
  .tuple(fc.bigInt(1n, 10n ** 12n - 1n), fc.integer({ min: 6, max: 13 }))
  .map(([value, scale]) => toPlainText(BigDecimal.normalize(BigDecimal.make(value, scale))))

/** Close to a common market, where a cycle would gain by a little, or anywhere. */
const worths: ReadonlyArray<bigint> = [1_000_000n, 7_740n, 272n, 3_250_000n, 650n, 1_270_000n, 1_000_000n, 1_000_100n]
const nearMarket = fc.tuple(fc.constantFrom(...pairs), fc.integer({ min: 950, max: 1_050 })).map(([pair, off]) => {
  const [from, to] = [worths[codes.indexOf(pair[0])]!, worths[codes.indexOf(pair[1])]!]
  const value = (from * BigInt(off) * 10n ** 6n) / to
  const exact = BigDecimal.make(value > 0n ? value : 1n, 9)
  return [pair, toPlainText(roundToSignificantDigits(exact, rateDigits, "half-even"))] as const
})
const anywhere = fc.tuple(fc.constantFrom(...pairs), rate)

const rowsOf = fc.array(fc.tuple(fc.oneof(nearMarket, anywhere), fc.nat({ max: 5 })), { minLength: 4, maxLength: 60 })

const table = rowsOf.map((all): ReadonlyArray<ReadRate> => {
  const rows = new Map<string, ReadRate>()
  for (const [[[from_currency, to_currency], text], at] of all) {
    const times = { updated_at: new Date(at), read_at: new Date(9) }
    rows.set(`${from_currency} ${to_currency}`, { from_currency, to_currency, rate: text, ...times, spread_bps: 0 })
  }
  return Array.from(rows.values())
})

/** Against USD every currency has a rate both ways, so that most cycles are open. */
const completed = (rows: ReadonlyArray<ReadRate>): ReadonlyArray<ReadRate> => {
  const has = (from: string, to: string) => rows.some((row) => row.from_currency === from && row.to_currency === to)
  const market = codes.flatMap((code, n) => {
    const worth = BigDecimal.make(worths[n]!, 6)
    const back = BigDecimal.make(10n ** 14n / worths[n]!, 8)
    const times = { updated_at: new Date(0), read_at: new Date(9), spread_bps: 0 }
    const text = (d: BigDecimal.BigDecimal) => toPlainText(BigDecimal.normalize(d))
    return code === "USD"
      ? []
      : [
          { from_currency: code, to_currency: "USD", rate: text(worth), ...times },
          { from_currency: "USD", to_currency: code, rate: text(back), ...times }
        ]
  })
  return [...rows, ...market.filter(({ from_currency, to_currency }) => !has(from_currency, to_currency))]
}

const cycle = fc.array(fc.constantFrom(...codes), { minLength: 2, maxLength: 9 })
const spread = fc.oneof(fc.constant(0), fc.nat({ max: 300 }))
const one = BigDecimal.make(1n, 0)

describe("A cycle of quotes", () => {
  it("never gains, whatever rows its pairs have, with and without a spread, in rates and in money", () => {
    let walked = 0
    const property = fc.property(table, cycle, spread, fc.bigInt(1n, 10n ** 9n), (rows, stops, bps, minor) => {
      const all = completed(rows)
      const way = stops.map((from, n) => [from, stops[(n + 1) % stops.length]!] as const)
      const start = new Money({ currency: stops[0]!, minor })
      let product = one
      let have = start
      for (const [from, to] of way) {
        if (from === to) continue
        const quoted = baseRate(all, from, to)
        if (Option.isNone(quoted)) return
        const served = applySpread(quoted.value, BasisPoints.make(bps))
        product = BigDecimal.multiply(product, served)
        have = given(have, { from, to, rate: served })
        walked += 1
      }
      expect(BigDecimal.lessThanOrEqualTo(product, one), toPlainText(product)).toBe(true)
      expect(have.minor <= start.minor, `${start.toString()} became ${have.toString()}`).toBe(true)
    })
    fc.assert(property, { numRuns: 3_000 })
    expect(walked).toBeGreaterThan(5_000)
  })

  it("that gained by a row of its own gains no more", () => {
    const at = { updated_at: new Date(0), read_at: new Date(9), spread_bps: 0 }
    const rows: ReadonlyArray<ReadRate> = [
      { from_currency: "KES", to_currency: "USD", rate: "0.00774", ...at },
      { from_currency: "USD", to_currency: "KES", rate: "129.198966408", ...at },
      { from_currency: "NGN", to_currency: "USD", rate: "0.00065", ...at },
      { from_currency: "USD", to_currency: "NGN", rate: "1538.46153846", ...at },
      // One percent better than through USD.
      { from_currency: "KES", to_currency: "NGN", rate: "12.0267692307", ...at }
    ]
    const [KES, NGN, USD] = ["KES", "NGN", "USD"].map((code) => CurrencyCode.make(code)) as [
      CurrencyCode,
      CurrencyCode,
      CurrencyCode
    ]
    let have = Either.getOrThrow(Money.fromNumericText("100000.00", KES))
    for (let round = 0; round < 20; round++) {
      for (const [from, to] of [
        [KES, NGN],
        [NGN, USD],
        [USD, KES]
      ] as const) {
        have = given(have, { from, to, rate: Option.getOrThrow(baseRate(rows, from, to)) })
      }
    }
    expect(have.minor).toBeLessThanOrEqual(10_000_000n)
  })
})
