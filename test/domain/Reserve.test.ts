/** Reserved and released parts of any payin, in exact minor units. */
import { Schema } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { AnyCurrencyCode } from "../../src/domain/Currency.ts"
import { Money } from "../../src/domain/Money.ts"
import { openAmount, released, reservedParts, type ReserveTerms } from "../../src/domain/Reserve.ts"

const code = Schema.decodeUnknownSync(AnyCurrencyCode)
const at = new Date("2026-03-02T09:15:00.000Z")
const later = (days: number) => new Date(at.getTime() + days * 86_400_000)

const payins = fc.record({
  currency: fc.constantFrom(...["EUR", "UGX", "KWD", "USDT"].map((text) => code(text))),
  amount: fc.bigInt(1n, 10n ** 12n),
  feeShare: fc.bigInt(0n, 100n),
  basis_points: fc.integer({ min: 0, max: 10_000 }),
  reserve_days: fc.integer({ min: 0, max: 365 }),
  delay_days: fc.integer({ min: 0, max: 90 })
})

const euros = (minor: bigint) => new Money({ currency: code("EUR"), minor })

const amounts = (terms: Partial<ReserveTerms>, credited: bigint, fees: bigint | null = null) =>
  reservedParts(
    { basis_points: 0, reserve_days: 0, delay_days: 0, ...terms },
    euros(credited),
    fees === null ? null : euros(fees),
    at
  ).map(({ amount, release_at }) => [amount.minor, release_at.toISOString().slice(0, 10)])

describe("A reserve", () => {
  it("is a share of the amount before fees, and a delay holds the rest", () => {
    expect(amounts({ basis_points: 1000, reserve_days: 180 }, 10_000n, 150n)).toEqual([[1000n, "2026-08-29"]])
    expect(amounts({ delay_days: 2 }, 10_000n, 150n)).toEqual([[9850n, "2026-03-04"]])
    expect(amounts({ basis_points: 1000, reserve_days: 180, delay_days: 2 }, 10_000n, 150n)).toEqual([
      [8850n, "2026-03-04"],
      [1000n, "2026-08-29"]
    ])
  })

  it("is rounded half-even, is at most what the fees leave, and is never released before the delay ends", () => {
    expect(amounts({ basis_points: 1000, reserve_days: 1 }, 25n)).toEqual([[2n, "2026-03-03"]])
    expect(amounts({ basis_points: 1000, reserve_days: 1 }, 35n)).toEqual([[4n, "2026-03-03"]])
    expect(amounts({ basis_points: 1, reserve_days: 1 }, 10n)).toEqual([])
    expect(amounts({ basis_points: 10_000, reserve_days: 1, delay_days: 9 }, 100n, 40n)).toEqual([[60n, "2026-03-11"]])
    expect(amounts({ basis_points: 5000, reserve_days: 1 }, 100n, 100n)).toEqual([])
  })

  it("and what is settled at once are together what the fees leave, of any payin", () => {
    fc.assert(
      fc.property(payins, ({ amount, currency, feeShare, ...terms }) => {
        const credited = new Money({ currency, minor: amount })
        const fees = new Money({ currency, minor: (amount * feeShare) / 100n })
        const parts = reservedParts(terms, credited, fees, at)
        const settled = amount - fees.minor - openAmount(parts)
        expect(settled).toBeGreaterThanOrEqual(0n)
        expect(parts.every((part) => part.amount.minor > 0n && part.amount.currency === currency)).toBe(true)
        if (terms.delay_days > 0) expect(settled).toBe(0n)
        if (terms.basis_points === 0 && terms.delay_days === 0) expect(parts).toEqual([])
      })
    )
  })

  it("gives back exactly what it holds, at whatever times its parts are looked at", () => {
    fc.assert(
      fc.property(
        payins,
        fc.bigInt(0n, 100n),
        fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 6 }),
        ({ amount, currency, feeShare: _, ...terms }, share, looks) => {
          const first = reservedParts(terms, new Money({ currency, minor: amount }), null, at)
          const taken = (openAmount(first) * share) / 100n
          const heldOf = (parts: typeof first) => (openAmount(parts) > taken ? openAmount(parts) - taken : 0n)
          let parts = first
          for (const days of [...looks.toSorted((a, b) => a - b), 400]) {
            parts = released(parts, heldOf(parts), later(days))
            const given = parts.reduce((sum, part) => sum + (part.released?.minor ?? 0n), 0n)
            expect(given + heldOf(parts)).toBe(openAmount(first) - taken)
          }
          expect(openAmount(parts)).toBe(0n)
        }
      )
    )
  })
})
