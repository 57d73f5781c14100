import { BigDecimal, Either } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { CurrencyCode, type AnyCurrencyCode } from "../../../src/domain/Currency.ts"
import { checkGiven, checkLocked, checkTarget, type LockedRate } from "../../../src/domain/LockedRate.ts"
import { Money } from "../../../src/domain/Money.ts"
import { Rate } from "../../../src/domain/Exchange.ts"

const [KES, USD, UGX] = ["KES", "USD", "UGX"].map((code) => CurrencyCode.make(code)) as [
  CurrencyCode,
  CurrencyCode,
  CurrencyCode
]
const rate = (text: string) => Rate.make(BigDecimal.unsafeFromString(text))
const money = (text: string, currency: AnyCurrencyCode) => Either.getOrThrow(Money.fromNumericText(text, currency))

const expiresAt = new Date("2026-03-02T09:30:00.000Z")
const lockOf = (from: AnyCurrencyCode, to: AnyCurrencyCode, text: string): LockedRate => ({
  orgRateId: "0199c2a4-9e05-7d11-a2b3-c4d5e6f70819",
  from,
  to,
  rate: rate(text),
  amount: null,
  isUsed: false,
  expiresAt,
  readAt: new Date(expiresAt.getTime() - 1)
})
const lock = lockOf(USD, KES, "129.35")

describe("checkLocked", () => {
  it("gives the lock until the millisecond before it expires", () => {
    expect(checkLocked(lock, USD, KES)).toEqual(Either.right(lock))
  })

  it("refuses from the moment it expires", () => {
    expect(checkLocked({ ...lock, readAt: expiresAt }, USD, KES)).toEqual(
      Either.left(expect.stringMatching(/^org_rate_id: .*\b2026-03-02T09:30:00\.000Z\b/))
    )
  })

  it.each([
    ["the other direction", KES, USD],
    ["another source", UGX, KES],
    ["another target", USD, UGX]
  ])("refuses %s", (_, from, to) => {
    const refusal = `org_rate_id: is locked for USD to KES, not for ${from} to ${to}; look that rate up.`
    expect(checkLocked(lock, from, to)).toEqual(Either.left(refusal))
  })
})

const refusalOf = (result: Either.Either<void, { readonly code: string; readonly message: string }>) =>
  Either.match(result, { onLeft: ({ code, message }) => `${code} ${message}`, onRight: () => "taken" })

describe("checkTarget", () => {
  it.each([
    [KES, "1000.5", "0.01", "10.00"],
    [KES, "1001.5", "0.01", "10.02"],
    [KES, "1002.5", "0.01", "10.02"],
    [KES, "1002.50000001", "0.01", "10.03"],
    [UGX, "1002.5", "1", "1002"],
    [UGX, "1003.5", "1", "1004"]
  ])("rounds half to even: to %s at %s, %s is %s", (to, text, amount, target) => {
    const sides = { amount: money(amount, USD), target: money(target, to) }
    expect(refusalOf(checkTarget(lockOf(USD, to, text), sides))).toBe("taken")
  })

  it("computes crypto to 8 digits, though the asset has 18", () => {
    const locked = lockOf(USD, "ETH", "0.000284090909091")
    const amount = money("3", USD)
    expect(refusalOf(checkTarget(locked, { amount, target: money("0.00085227", "ETH") }))).toBe("taken")
    expect(refusalOf(checkTarget(locked, { amount, target: money("0.000852272727273", "ETH") }))).toMatch(
      /^RATE_MISMATCH target_amount: .*\b0\.00085227\b/
    )
  })

  const amounts = fc.bigInt(1n, 10n ** 15n - 1n).map((minor) => new Money({ currency: USD, minor }))
  const rates = fc
    .tuple(fc.bigInt(1n, 10n ** 12n - 1n), fc.integer({ min: 0, max: 16 }))
    .map(([value, scale]) => Rate.make(BigDecimal.make(value, scale)))

  it("takes the one target that is nearest to amount times rate, and says which it is", () => {
    fc.assert(
      fc.property(amounts, rates, fc.bigInt(1n, 10n ** 6n), fc.boolean(), (amount, r, off, above) => {
        const locked = { from: USD, to: KES, rate: r }
        const wrong = refusalOf(checkTarget(locked, { amount, target: new Money({ currency: KES, minor: -1n }) }))
        fc.pre(!wrong.includes("worth less than the smallest"))
        const target = money(/must be (\d+\.\d\d),/.exec(wrong)?.[1] ?? "", KES)
        const worth = BigDecimal.multiply(amount.toDecimal(), r)
        const error = BigDecimal.abs(BigDecimal.subtract(worth, target.toDecimal()))
        expect(BigDecimal.lessThanOrEqualTo(error, BigDecimal.make(5n, 3))).toBe(true)
        const small = BigDecimal.greaterThan(BigDecimal.multiply(error, BigDecimal.make(200n, 0)), target.toDecimal())
        expect(refusalOf(checkTarget(locked, { amount, target }))).toMatch(
          small ? /^VALIDATION_ERROR target_amount: / : /^taken$/
        )
        const other = new Money({ currency: KES, minor: target.minor + (above ? off : -off) })
        expect(refusalOf(checkTarget(locked, { amount, target: other }))).toMatch(/^RATE_MISMATCH/)
      })
    )
  })

  it("never takes a target that is worth half a percent more than the amount", () => {
    const small = fc.bigInt(1n, 2_000n).map((minor) => new Money({ currency: USD, minor }))
    fc.assert(
      fc.property(small, rates, fc.bigInt(1n, 300n), (amount, r, minor) => {
        const target = new Money({ currency: KES, minor })
        if (Either.isLeft(checkTarget({ from: USD, to: KES, rate: r }, { amount, target }))) return
        const worth = BigDecimal.multiply(amount.toDecimal(), r)
        const most = BigDecimal.multiply(target.toDecimal(), BigDecimal.make(995n, 3))
        expect(BigDecimal.greaterThanOrEqualTo(worth, most)).toBe(true)
      })
    )
  })
})

describe("checkGiven", () => {
  it("takes what the service gives, and nothing else", () => {
    const locked = lockOf(USD, KES, "129.359")
    const amount = money("1", USD)
    expect(refusalOf(checkGiven(locked, { amount, target: money("129.35", KES) }))).toBe("taken")
    for (const target of ["129.36", "129.34"]) {
      expect(refusalOf(checkGiven(locked, { amount, target: money(target, KES) }))).toMatch(/^RATE_MISMATCH/)
    }
    const dust = lockOf(USD, KES, "0.5")
    expect(refusalOf(checkGiven(dust, { amount: money("0.01", USD), target: money("0", KES) }))).toMatch(/^RATE_MISM/)
  })
})
