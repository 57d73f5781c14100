/** Any walk through currencies, by any mix of the ways in which money changes its currency, ends with no more worth. */
import { BigDecimal, Either, Option, Schema } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { transferAmounts } from "../../src/treasury/accounts/RecordMovement.ts"
import type { VirtualAccount } from "../../src/treasury/accounts/VirtualAccountStore.ts"
import { AnyCurrencyCode, isCryptoAssetCode, isCurrencyCode } from "../../src/domain/Currency.ts"
import { expected, given, applySpread, BasisPoints, cross, invert, Rate } from "../../src/domain/Exchange.ts"
import { checkTarget, type LockedRate } from "../../src/domain/LockedRate.ts"
import { Money } from "../../src/domain/Money.ts"
import { rampAmounts } from "../../src/domain/Ramp.ts"
import { priceOfPaying, priceOfReceiving } from "../../src/hosted/links/LinkPrices.ts"
import type { Payment, Refund } from "../../src/payments/store/Payment.ts"
import { targetOfPart } from "../../src/payments/settlement/RefundSignalRules.ts"

const code = Schema.decodeUnknownSync(AnyCurrencyCode)
const currencies = ["NGN", "GBP", "UGX", "KWD", "USD", "USDT", "BTC", "ETH"].map((text) => code(text))

/** Value of one of each in dollars: from the tiniest to the dearest, to 12 digits. */
const markets = fc.record({
  dollars: fc.array(fc.tuple(fc.bigInt(1n, 10n ** 12n - 1n), fc.integer({ min: 7, max: 15 })), {
    minLength: currencies.length,
    maxLength: currencies.length
  }),
  spread: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 200 }))
})

const ways = ["transfer", "ramp", "link", "open link", "initiation", "payin and refund"] as const

const steps = fc.array(
  fc.record({ way: fc.constantFrom(...ways), to: fc.constantFrom(...currencies), share: fc.bigInt(1n, 99n) }),
  { minLength: 1, maxLength: 8 }
)

type Step = typeof steps extends fc.Arbitrary<ReadonlyArray<infer S>> ? S : never

/** Amounts before and after; null where the conversion is refused. `bonus`: what an initiation's rounding may add. */
type Change = { readonly after: Money; readonly bonus?: Money } | null

const account = (currency: AnyCurrencyCode) => ({ currency }) as VirtualAccount
const worthOf = (money: Money, dollar: BigDecimal.BigDecimal) => BigDecimal.multiply(money.toDecimal(), dollar)

/** Named at the moment of its lookup. */
const named = (lock: LockedRate) => {
  const usd = Rate.make(BigDecimal.make(1n, 9))
  const limits = { rateLockMax: BigDecimal.make(1n, -30), rateGainMax: BigDecimal.make(0n, 0) }
  return {
    lock: Option.some(lock),
    values: Option.some({ live: lock.rate, usdPerFrom: usd, usdPerTo: usd }),
    limits
  }
}

const changed = (have: Money, { share, to, way }: Step, lock: LockedRate): Change => {
  const right = <A>(result: Either.Either<A, unknown>, then: (value: A) => Change): Change =>
    Either.isRight(result) ? then(result.right) : null
  switch (way) {
    case "transfer":
      return right(
        transferAmounts(have.toDecimal(), { from: account(have.currency), to: account(to) }, named(lock)),
        ({ received }) => ({ after: received })
      )
    case "ramp": {
      if (isCryptoAssetCode(to) && !isCryptoAssetCode(have.currency)) {
        return right(rampAmounts({ direction: "on_ramp", fiat: have, asset: to, rate: lock.rate }), (after) => ({
          after
        }))
      }
      if (!isCryptoAssetCode(have.currency) || isCryptoAssetCode(to)) return null
      // The most fiat that what is had can pay for.
      const fiat = given(have, lock)
      const trade = { direction: "off_ramp", fiat, asset: have.currency, rate: lock.rate } as const
      return right(rampAmounts(trade), (crypto) => (crypto.minor > have.minor ? null : { after: fiat }))
    }
    case "link":
    case "open link": {
      if (!isCurrencyCode(to) || !isCurrencyCode(have.currency)) return null
      const locked = { orgRateId: "lock", rate: lock.rate }
      const price =
        way === "link"
          ? priceOfReceiving(given(have, lock), to, have.currency, locked)
          : priceOfPaying(have, to, locked)
      return price.pays.minor > have.minor || price.receives.isZero ? null : { after: price.receives }
    }
    case "initiation":
    case "payin and refund": {
      const target = expected(have, lock)
      if (Either.isLeft(checkTarget(lock, { amount: have, target }))) return null
      if (way === "initiation") return { after: target, bonus: target }
      // A part goes back to the payer, who is then worth what the organisation keeps and what they have again.
      const part = new Money({ currency: have.currency, minor: (have.minor * share) / 100n })
      if (part.isZero) return null
      const payment = { amount: have, target } as Payment
      const parts: ReadonlyArray<Refund> = []
      const cost = targetOfPart(payment, parts, part, lock.rate)
      const kept = new Money({ currency: to, minor: target.minor - cost.minor })
      const paid = new Money({ currency: have.currency, minor: have.minor - part.minor })
      const fair = BigDecimal.multiply(paid.toDecimal(), lock.rate)
      expect(BigDecimal.lessThanOrEqualTo(kept.toDecimal(), fair), "kept more than was paid for").toBe(true)
      return kept.isZero ? null : { after: kept }
    }
  }
}

describe("A walk", () => {
  it("never gains, but for what initiations are rounded by, which is half a percent of each at most", () => {
    let walked = 0
    const property = fc.property(
      markets,
      fc.constantFrom(...currencies),
      fc.bigInt(1n, 10n ** 12n),
      steps,
      ({ dollars, spread }, start, minor, way) => {
        const dollarOf = new Map(
          currencies.map((one, n) => {
            const [value, scale] = dollars[n]!
            return [one, one === "USD" ? Rate.make(BigDecimal.make(1n, 0)) : Rate.make(BigDecimal.make(value, scale))]
          })
        )
        const lockFor = (from: AnyCurrencyCode, to: AnyCurrencyCode): LockedRate => {
          const rate = cross(dollarOf.get(from)!, invert(dollarOf.get(to)!))
          const times = { readAt: new Date(0), expiresAt: new Date(1) }
          const used = { orgRateId: "lock", amount: null, isUsed: false }
          return { from, to, rate: applySpread(rate, BasisPoints.make(spread)), ...times, ...used }
        }
        let have = new Money({ currency: start, minor })
        let most = worthOf(have, dollarOf.get(start)!)
        for (const step of way) {
          if (step.to === have.currency) continue
          const change = changed(have, step, lockFor(have.currency, step.to))
          if (change === null) continue
          walked += 1
          have = change.after
          const dollar = dollarOf.get(have.currency)!
          if (change.bonus !== undefined) {
            most = BigDecimal.sum(most, BigDecimal.multiply(worthOf(change.bonus, dollar), BigDecimal.make(5n, 3)))
          }
          const worth = worthOf(have, dollar)
          expect(BigDecimal.lessThanOrEqualTo(worth, most), `${step.way} into ${have.toString()}`).toBe(true)
          if (change.bonus === undefined) most = worth
        }
      }
    )
    fc.assert(property, { numRuns: 2_000 })
    expect(walked, "walks that were closed at every step would prove nothing").toBeGreaterThan(1_000)
  })
})
