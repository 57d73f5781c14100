/** Fee of a payment: a share of the organisation's side plus a fixed amount. Pure. */
import { Either } from "effect"
import type { Flow } from "./Corridor.ts"
import { computedScaleOf } from "./Currency.ts"
import { divideRounded } from "./Decimal.ts"
import { Money } from "./Money.ts"

export const wholeInBasisPoints = 10_000

export interface FeeTerms {
  /** 0 to 10,000. */
  readonly basis_points: number
  /** Above zero. Counts only where the organisation's side of the payment is in its currency. */
  readonly fixed: Money | null
}

export interface Charged {
  readonly direction: Flow
  readonly amount: Money
  readonly target: Money
}

/** The organisation's side: what it receives from a payin, what it pays for anything else. Fees are in its currency. */
export const chargedSide = ({ amount, direction, target }: Charged): Money =>
  direction === "inbound" ? target : amount

/**
 * Rounded half-even once, to the digits that the service computes in that currency. A fixed amount in another currency
 * is left out, since the rule names no rate for it. A payin is never charged more than it brings.
 */
export const feeOf = ({ basis_points, fixed }: FeeTerms, payment: Charged): Money => {
  const { currency, exponent, minor } = chargedSide(payment)
  const whole = BigInt(wholeInBasisPoints)
  const finest = 10n ** BigInt(exponent - computedScaleOf(currency))
  const share = minor * BigInt(basis_points)
  const exact = fixed?.currency === currency ? share + fixed.minor * whole : share
  const rounded = divideRounded(exact, whole * finest, "half-even") * finest
  const fee = payment.direction === "inbound" && rounded > minor ? minor : rounded
  return new Money({ currency, minor: fee })
}

/** null where nothing is charged. All fees of a payment are in one currency. */
export const totalOf = ([first, ...others]: ReadonlyArray<Money>): Money | null =>
  first === undefined ? null : others.reduce((sum, fee) => Either.getOrThrow(sum.add(fee)), first)

/** Fee that a rule charges, decided when the payment is initiated. */
export interface NewFee {
  readonly fee_id: string
  readonly fee_rule_id: string
  readonly amount: Money
}
