/** How much can be paid out of an amount that must also carry the payout's fee. */
import { Effect } from "effect"
import { Money } from "../../domain/Money.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"

/**
 * A fee is a share plus a fixed amount, rounded: two of its values give all others, but for the rounding. What is left
 * over is a minor unit or two at most. Not above zero: the fee alone is more than there is.
 */
export const payableFrom = Effect.fnUntraced(function* (available: Money, feeOn: (amount: Money) => Stored<Money>) {
  const { currency, minor } = available
  const money = (units: bigint) => new Money({ currency, minor: units })
  const spareAfter = (units: bigint) => Effect.map(feeOn(money(units)), (fee) => minor - units - fee.minor)
  const most = (yield* feeOn(available)).minor
  if (most === 0n) return available
  const fixed = (yield* feeOn(money(0n))).minor
  const guess = ((minor - fixed) * minor) / (minor + most - fixed)
  if (guess <= 0n) return money(guess)
  const spare = yield* spareAfter(guess)
  // A smaller payout never has a larger fee, so leaving out what is too much is enough.
  if (spare <= 0n) return money(guess + spare)
  return money((yield* spareAfter(guess + spare)) < 0n ? guess : guess + spare)
})
