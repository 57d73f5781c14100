/** Stripe counts a few currencies in its own way; whatever it can be asked for comes back as it was. */
import { expect, it } from "@effect/vitest"
import { Option } from "effect"
import fc from "fast-check"
import { describe } from "vitest"
import { isCurrencyCode } from "../../../src/domain/Currency.ts"
import { amountText, cardCurrencies, moneyIn } from "../../../src/providers/stripe/StripeRequests.ts"
import { stripe } from "../../../src/providers/stripe/StripeAdapter.ts"
import { inMinor } from "../support/TestOrders.ts"

describe("amounts at Stripe", () => {
  it("are of currencies that exist", () => {
    const all = stripe.serves.flatMap(({ currencies }) => currencies)
    expect(all.filter((code) => !isCurrencyCode(code))).toEqual([])
    expect(new Set(cardCurrencies).size).toBe(cardCurrencies.length)
  })

  it("come back as they were, in every currency that it takes", () => {
    fc.assert(
      fc.property(fc.constantFrom(...cardCurrencies), fc.bigInt(1n, 10n ** 12n), (currency, minor) => {
        const asked = inMinor(currency, minor)
        const text = amountText(asked)
        if (Option.isSome(text)) {
          expect(text.value).toMatch(/^\d+$/)
          expect(moneyIn(text.value, currency.toLowerCase())).toEqual(Option.some(asked))
        } else {
          // Only the ariary's hundredths and a third digit cannot be asked for.
          expect(currency === "MGA" ? minor % 100n !== 0n : asked.exponent === 3 && minor % 10n !== 0n).toBe(true)
        }
      })
    )
  })

  const written = [
    ["EUR", 12_300n, "12300"],
    ["JPY", 500n, "500"],
    ["UGX", 5_000n, "500000"],
    ["ISK", 5_000n, "500000"],
    ["KWD", 5_120n, "5120"],
    ["MGA", 5_000_00n, "5000"]
  ] as const
  for (const [currency, minor, text] of written) {
    it(`writes ${minor} minor units of ${currency} as ${text}`, () => {
      expect(amountText(inMinor(currency, minor))).toEqual(Option.some(text))
    })
  }

  it("cannot be asked for a third digit, or for hundredths of an ariary", () => {
    expect(amountText(inMinor("KWD", 5_125n))).toEqual(Option.none())
    expect(amountText(inMinor("MGA", 5_001n))).toEqual(Option.none())
  })

  it("that are no amounts, or of no currency, are none", () => {
    expect(moneyIn("12.5", "eur")).toEqual(Option.none())
    expect(moneyIn("100", "zzz")).toEqual(Option.none())
    // Half a shilling, which UGX does not have.
    expect(moneyIn("150", "ugx")).toEqual(Option.none())
  })
})
