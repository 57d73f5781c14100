import { BigDecimal, Either } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { CurrencyCode } from "../../src/domain/Currency.ts"
import type { AnyCurrencyCode } from "../../src/domain/CryptoAsset.ts"
import { checkLocked, type LockedRate } from "../../src/domain/LockedRate.ts"
import { Money } from "../../src/domain/Money.ts"
import { Rate } from "../../src/domain/Rate.ts"

const [KES, USD, UGX] = ["KES", "USD", "UGX"].map((code) => CurrencyCode.make(code)) as [
  CurrencyCode,
  CurrencyCode,
  CurrencyCode
]
const rate = (text: string) => Rate.make(BigDecimal.unsafeFromString(text))
const money = (text: string, currency: AnyCurrencyCode) => Either.getOrThrow(Money.fromNumericText(text, currency))

const expiresAt = new Date("2026-03-02T09:30:00.000Z")
const before = new Date(expiresAt.getTime() - 1)
const lockOf = (from: AnyCurrencyCode, to: AnyCurrencyCode, text: string): LockedRate => ({
  from,
  to,
  rate: rate(text),
  expiresAt
})
const lock = lockOf(USD, KES, "129.35")
const agreed = { amount: money("10.01", USD), target: money("1294.79", KES), now: before }

describe("checkLocked", () => {
  it("gives the rate for the exact product until the millisecond before it expires", () => {
    expect(checkLocked(lock, agreed)).toEqual(Either.right(lock.rate))
  })

  it("refuses from the moment it expires", () => {
    expect(checkLocked(lock, { ...agreed, now: expiresAt })).toEqual(
      Either.left("org_rate_id: expired at 2026-03-02T09:30:00.000Z; look the rate up again.")
    )
  })

  it.each([
    ["the other direction", KES, USD],
    ["another source", UGX, KES],
    ["another target", USD, UGX]
  ])("refuses %s", (_, from, to) => {
    const asked = { amount: money("10", from), target: money("1294", to), now: before }
    const refusal = `org_rate_id: is locked for USD to KES, not for ${from} to ${to}; look that rate up.`
    expect(checkLocked(lock, asked)).toEqual(Either.left(refusal))
  })

  it.each([
    [KES, "0.5", "0.01", "0.00"],
    [KES, "1.5", "0.01", "0.02"],
    [KES, "2.5", "0.01", "0.02"],
    [KES, "2.500000001", "0.01", "0.03"],
    [UGX, "2.5", "1", "2"],
    [UGX, "3.5", "1", "4"]
  ])("rounds half to even: to %s at %s, %s is %s", (to, text, amount, target) => {
    const locked = lockOf(USD, to, text)
    expect(checkLocked(locked, { amount: money(amount, USD), target: money(target, to), now: before })).toEqual(
      Either.right(locked.rate)
    )
  })

  it("computes crypto to 8 digits, though the asset has 18", () => {
    const locked = lockOf(USD, "ETH", "0.000284090909091")
    const amount = money("3", USD)
    expect(checkLocked(locked, { amount, target: money("0.00085227", "ETH"), now: before })).toEqual(
      Either.right(locked.rate)
    )
    expect(checkLocked(locked, { amount, target: money("0.000852272727273", "ETH"), now: before })).toMatchObject({
      left: expect.stringContaining("target_amount: must be 0.00085227")
    })
  })

  it("takes the one target that is nearest to amount times rate, and says which it is", () => {
    const amounts = fc.bigInt(1n, 10n ** 15n - 1n).map((minor) => new Money({ currency: USD, minor }))
    const rates = fc
      .tuple(fc.bigInt(1n, 10n ** 12n - 1n), fc.integer({ min: 0, max: 16 }))
      .map(([value, scale]) => Rate.make(BigDecimal.make(value, scale)))
    fc.assert(
      fc.property(amounts, rates, fc.bigInt(1n, 10n ** 6n), fc.boolean(), (amount, r, off, above) => {
        const locked = { from: USD, to: KES, rate: r, expiresAt }
        const wrong = checkLocked(locked, { amount, target: new Money({ currency: KES, minor: -1n }), now: before })
        const said = /must be (\d+\.\d\d),/.exec(Either.getOrThrow(Either.flip(wrong)))?.[1] ?? ""
        const target = money(said, KES)
        const error = BigDecimal.abs(
          BigDecimal.subtract(BigDecimal.multiply(amount.toDecimal(), r), target.toDecimal())
        )
        expect(BigDecimal.lessThanOrEqualTo(error, BigDecimal.make(5n, 3))).toBe(true)
        expect(Either.isRight(checkLocked(locked, { amount, target, now: before }))).toBe(true)
        const other = new Money({ currency: KES, minor: target.minor + (above ? off : -off) })
        expect(Either.isLeft(checkLocked(locked, { amount, target: other, now: before }))).toBe(true)
      })
    )
  })
})
