import { BigDecimal } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { CurrencyCode } from "../../../src/domain/Currency.ts"
import { Money } from "../../../src/domain/Money.ts"
import { Rate } from "../../../src/domain/Exchange.ts"
import { linkRefFrom, isLinkRef, REF_BYTES } from "../../../src/hosted/links/LinkTokens.ts"
import { priceOfPaying, priceOfReceiving } from "../../../src/hosted/links/LinkPrices.ts"

const code = (text: string) => CurrencyCode.make(text)
const money = (currency: string, minor: bigint) => new Money({ currency: code(currency), minor })
const locked = (rate: string) => ({ orgRateId: "lock", rate: Rate.make(BigDecimal.unsafeFromString(rate)) })

describe("the price of a link", () => {
  it.each([
    // 10.00 USD / 0.00774 = 1291.98966 KES
    ["USD", 1_000n, "KES", "0.00774", 129_199n, 1_000n],
    // 1500.00 KES / 129.2 = 11.6099 USD, and the cent too much is worth 1.04 KES
    ["KES", 150_000n, "USD", "129.2", 1_161n, 150_001n],
    // A coin of the payer is worth more than one of the organisation.
    ["UGX", 1_000n, "USD", "3700", 28n, 1_036n],
    ["USD", 100n, "UGX", "0.00027", 3_704n, 100n],
    ["KES", 100n, "USD", "100", 1n, 100n]
  ])("of %s %i in %s at %s is %i, for which %i are received", (currency, wanted, payer, rate, pays, receives) => {
    const price = priceOfReceiving(money(currency, wanted), code(currency), code(payer), locked(rate))
    expect([price.pays.minor, price.pays.currency]).toEqual([pays, payer])
    expect([price.receives.minor, price.receives.currency]).toEqual([receives, currency])
  })

  it("is enough, and a coin less would not be", () => {
    const currencies = fc.constantFrom("KES", "UGX", "KWD")
    fc.assert(
      fc.property(
        currencies,
        currencies,
        fc.bigInt({ min: 1n, max: 10n ** 12n }),
        fc.bigInt({ min: 1n, max: 10n ** 9n }),
        fc.integer({ min: -3, max: 9 }),
        (currency, payer, minor, value, scale) => {
          fc.pre(currency !== payer)
          const wanted = money(currency, minor)
          const at = { orgRateId: "lock", rate: Rate.make(BigDecimal.make(value, scale)) }
          const { pays, receives } = priceOfReceiving(wanted, code(currency), code(payer), at)
          expect(pays.isPositive).toBe(true)
          expect(receives.minor >= wanted.minor).toBe(true)
          expect(receives).toEqual(priceOfPaying(pays, code(currency), at).receives)
          const given = BigDecimal.multiply(pays.toDecimal(), at.rate)
          expect(BigDecimal.lessThanOrEqualTo(receives.toDecimal(), given)).toBe(true)
          const less = new Money({ currency: pays.currency, minor: pays.minor - 1n })
          const worth = BigDecimal.multiply(less.toDecimal(), at.rate)
          expect(BigDecimal.lessThan(worth, wanted.toDecimal())).toBe(true)
        }
      )
    )
  })
})

describe("a reference", () => {
  it("is 23 characters of base62, one for one with its bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: REF_BYTES, maxLength: REF_BYTES }), (bytes) => {
        const ref = linkRefFrom(bytes)
        expect(isLinkRef(ref)).toBe(true)
        const other = Uint8Array.from(bytes)
        other[REF_BYTES - 1]! ^= 1
        expect(linkRefFrom(other)).not.toBe(ref)
      })
    )
    expect(linkRefFrom(new Uint8Array(REF_BYTES).fill(255))).toHaveLength(23)
    expect(["", "0".repeat(22), `${"0".repeat(22)}-`].some(isLinkRef)).toBe(false)
  })
})
