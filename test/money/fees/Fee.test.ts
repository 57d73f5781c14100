/** Fee of a payment, against the definition of half-even rounding of the exact fee. */
import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import { flows } from "../../../src/domain/Corridor.ts"
import { type AnyCurrencyCode, computedScaleOf, CurrencyCode } from "../../../src/domain/Currency.ts"
import { type Charged, chargedSide, feeOf, type FeeTerms, totalOf } from "../../../src/domain/Fee.ts"
import { Money } from "../../../src/domain/Money.ts"

const codes: ReadonlyArray<AnyCurrencyCode> = [
  ...["KES", "JPY", "KWD"].map((code) => CurrencyCode.make(code)),
  "USDT",
  "BTC",
  "ETH"
]
const KES = CurrencyCode.make("KES")
const UGX = CurrencyCode.make("UGX")

const money = (currency: AnyCurrencyCode, minor: bigint) => new Money({ currency, minor })
const kes = (minor: bigint) => money(KES, minor)

const currency = fc.constantFrom(...codes)
const positive = (most: bigint) => fc.bigInt({ min: 1n, max: most })
const amountIn = (code: AnyCurrencyCode, most = 10n ** 22n) => positive(most).map((minor) => money(code, minor))

const payment: fc.Arbitrary<Charged> = fc.record({
  direction: fc.constantFrom(...flows),
  amount: currency.chain((code) => amountIn(code)),
  target: currency.chain((code) => amountIn(code))
})

const termsFor = (charged: Charged): fc.Arbitrary<FeeTerms> =>
  fc.record({
    basis_points: fc.integer({ min: 0, max: 10_000 }),
    fixed: fc.option(
      fc.oneof(
        amountIn(chargedSide(charged).currency),
        currency.chain((code) => amountIn(code))
      )
    )
  })

const priced = payment.chain((charged) => termsFor(charged).map((terms) => ({ charged, terms })))

/** The fee before rounding, in ten-thousandths of the minor unit. */
const exactly = (terms: FeeTerms, side: Money): bigint =>
  side.minor * BigInt(terms.basis_points) +
  (terms.fixed !== null && terms.fixed.currency === side.currency ? terms.fixed.minor * 10_000n : 0n)

const fee = (terms: FeeTerms, about: Partial<Charged> = {}) =>
  feeOf(terms, { direction: "inbound", amount: kes(150_000n), target: kes(150_000n), ...about })

const percent = (basis_points: number, fixed: Money | null = null): FeeTerms => ({ basis_points, fixed })

describe("a fee", () => {
  it("is the exact fee rounded half-even once, in the currency of the organisation's side", () => {
    fc.assert(
      fc.property(priced, ({ charged, terms }) => {
        const side = chargedSide(charged)
        const got = feeOf(terms, charged)
        expect(got.currency).toBe(side.currency)
        if (charged.direction === "inbound" && got.minor === side.minor) return
        const finest = 10n ** BigInt(side.exponent - computedScaleOf(side.currency))
        expect(got.minor % finest).toBe(0n)
        const away = 2n * (got.minor * 10_000n - exactly(terms, side))
        const step = 10_000n * finest
        const distance = away < 0n ? -away : away
        expect(distance <= step).toBe(true)
        if (distance === step) expect((got.minor / finest) % 2n).toBe(0n)
      }),
      { numRuns: 1000 }
    )
  })

  it("is never more than a payin brings, and exactly that where the rule asks for more", () => {
    const greedy = amountIn(KES, 10n ** 9n).chain((target) =>
      fc.record({
        target: fc.constant(target),
        fixed: amountIn(KES, 10n ** 9n),
        basis_points: fc.integer({ min: 0, max: 10_000 })
      })
    )
    fc.assert(
      fc.property(greedy, ({ basis_points, fixed, target }) => {
        const terms = { basis_points, fixed }
        const got = fee(terms, { target }).minor
        expect(got <= target.minor).toBe(true)
        if (exactly(terms, target) >= target.minor * 10_000n) expect(got).toBe(target.minor)
      })
    )
    expect(fee(percent(10_000, kes(1n)), { direction: "outbound" })).toEqual(kes(150_001n))
  })

  it("breaks ties to the even minor unit", () => {
    const onePercentOf = (minor: bigint) => fee(percent(100), { target: kes(minor) }).minor
    expect([50n, 150n, 250n, 350n].map(onePercentOf)).toEqual([0n, 2n, 2n, 4n])
    expect([49n, 51n, 149n].map(onePercentOf)).toEqual([0n, 1n, 1n])
  })

  it("is not rounded before its parts are added", () => {
    expect(fee(percent(100, kes(1n)), { target: kes(50n) })).toEqual(kes(2n))
  })

  it("is of the target for a payin, of the amount for anything else", () => {
    const across = { amount: kes(150_000n), target: money(UGX, 43_025n) }
    expect(fee(percent(150), across)).toEqual(money(UGX, 645n))
    expect(fee(percent(150), { ...across, direction: "outbound" })).toEqual(kes(2_250n))
    expect(fee(percent(150), { ...across, direction: "external" })).toEqual(kes(2_250n))
  })

  it("leaves a fixed amount in another currency out, and keeps the share", () => {
    expect(fee(percent(150, money(UGX, 500n)))).toEqual(kes(2_250n))
    expect(fee(percent(0, money(UGX, 500n)))).toEqual(kes(0n))
    expect(fee(percent(150, kes(1_050n)))).toEqual(kes(3_300n))
  })
})

describe("the total of fees", () => {
  it("is their sum, or nothing at all", () => {
    expect(totalOf([])).toBeNull()
    expect(totalOf([kes(5n)])).toEqual(kes(5n))
    expect(totalOf([kes(5n), kes(7n), kes(11n)])).toEqual(kes(23n))
  })
})
