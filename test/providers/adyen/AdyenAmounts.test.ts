/** Adyen counts four currencies in its own way; whatever it can be asked for comes back as it was. */
import { describe, expect, it } from "@effect/vitest"
import { Either, Option } from "effect"
import fc from "fast-check"
import { isCurrencyCode } from "../../../src/domain/Currency.ts"
import { adyen } from "../../../src/providers/adyen/AdyenAdapter.ts"
import { amountOf, cardCurrencies, moneyIn } from "../../../src/providers/adyen/AdyenCorridors.ts"
import { inMinor } from "../support/TestOrders.ts"

describe("amounts at Adyen", () => {
  it("are of currencies that exist", () => {
    const all = adyen.serves.flatMap(({ currencies }) => currencies)
    expect(all.filter((code) => !isCurrencyCode(code))).toEqual([])
    expect(new Set(cardCurrencies).size).toBe(cardCurrencies.length)
  })

  it("come back as they were, in every currency that it takes", () => {
    fc.assert(
      fc.property(fc.constantFrom(...cardCurrencies), fc.bigInt(1n, 10n ** 15n), (currency, minor) => {
        const asked = inMinor(currency, minor)
        const amount = amountOf(asked)
        if (Either.isRight(amount)) {
          expect(moneyIn({ currency, value: `${amount.right.value}` })).toEqual(Option.some(asked))
        } else {
          // Only hundredths of an escudo or a rupiah cannot be asked for.
          expect(["CVE", "IDR"]).toContain(currency)
          expect(minor % 100n).not.toBe(0n)
        }
      })
    )
  })

  const written = [
    ["EUR", 12_300n, 12_300n],
    ["JPY", 500n, 500n],
    ["BHD", 5_125n, 5_125n],
    ["CLP", 5_000n, 500_000n],
    ["ISK", 5_000n, 500_000n],
    ["IDR", 500_000n, 5_000n],
    ["CVE", 500_000n, 5_000n],
    ["UGX", 5_000n, 5_000n]
  ] as const
  for (const [currency, minor, value] of written) {
    it(`writes ${minor} minor units of ${currency} as ${value}`, () => {
      expect(amountOf(inMinor(currency, minor))).toEqual(Either.right({ currency, value }))
    })
  }

  it("that cannot be asked for are not supported, and those of no currency are none", () => {
    expect(Either.flip(amountOf(inMinor("IDR", 501n)))).toMatchObject({ right: { code: "NOT_SUPPORTED" } })
    expect(moneyIn({ currency: "ZZZ", value: "100" })).toEqual(Option.none())
    // Half a peso, which CLP does not have.
    expect(moneyIn({ currency: "CLP", value: "150" })).toEqual(Option.none())
  })
})
