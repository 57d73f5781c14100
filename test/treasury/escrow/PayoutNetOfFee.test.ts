import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import fc from "fast-check"
import { CurrencyCode } from "../../../src/domain/Currency.ts"
import { feeOf } from "../../../src/domain/Fee.ts"
import { Money } from "../../../src/domain/Money.ts"
import { payoutNetOfFee } from "../../../src/treasury/escrow/PartyPayouts.ts"

const KES = CurrencyCode.make("KES")
const money = (minor: bigint) => new Money({ currency: KES, minor })

const feeBy = (basis_points: number, fixed: bigint) => (amount: Money) =>
  feeOf({ basis_points, fixed: fixed === 0n ? null : money(fixed) }, { direction: "outbound", amount, target: amount })

describe("payableFrom", () => {
  it("takes no more than there is, and leaves next to nothing", () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 1n, max: 10n ** 15n }),
        fc.integer({ min: 0, max: 10_000 }),
        fc.bigInt({ min: 0n, max: 10n ** 6n }),
        (available, points, fixed) => {
          const fee = feeBy(points, fixed)
          const amount = Effect.runSync(payoutNetOfFee(money(available), (one) => Effect.sync(() => fee(one))))
          if (!amount.isPositive) {
            expect(1n + fee(money(1n)).minor >= available).toBe(true)
            return
          }
          const left = available - amount.minor - fee(amount).minor
          expect(left >= 0n).toBe(true)
          expect(left <= 3n).toBe(true)
        }
      )
    )
  })

  it("pays all of it where there is no fee", () => {
    expect(Effect.runSync(payoutNetOfFee(money(12_345n), () => Effect.succeed(money(0n))))).toEqual(money(12_345n))
  })
})
