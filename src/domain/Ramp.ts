/**
 * Status of a ramp and outcome of its attempt after a provider's signal. Pure. A ramp has two legs: `pending` until the
 * collection, `processing` until the payout. Each happens once, in whatever order signals come.
 */
import type { Money } from "./Money.ts"
import { canMove, type PaymentStatus } from "./PaymentStatus.ts"
import { type AttemptOutcome, type StatusDecision, isResurfaced, type ProviderSignal } from "./PaymentStatusRules.ts"
import { BigDecimal, Either } from "effect"
import type { CryptoAssetCode } from "./Currency.ts"
import { given, taken, type Rate } from "./Exchange.ts"

export type RampLeg = "collection" | "settlement"

export interface RampLegState {
  readonly status: PaymentStatus
  readonly leg: RampLeg
  /** null: asked, and not yet answered. */
  readonly outcome: AttemptOutcome | null
  /** The customer's money is here, or was. */
  readonly collected: boolean
  /** The payin has ended. */
  readonly expired: boolean
  /** Amount to collect or to pay out. */
  readonly expected: Money
  /** Amount that the provider has collected or paid for this leg, less reversals. */
  readonly moved: Money
  /** A declined attempt that its provider has after all, and that is being asked about. */
  readonly isPolledAfterDecline: boolean
}

/** Effect of the signal on the ramp. `stranded`: collected money cannot be paid out. */
export type RampEffect = "none" | "collected" | "underpaid" | "paid_out" | "stranded" | "returned"

export interface RampDecision extends StatusDecision {
  readonly effect: RampEffect
}

const to = ({ status }: RampLegState, next: PaymentStatus): PaymentStatus => (canMove(status, next) ? next : status)

const unmoved = ({ outcome, status }: RampLegState): RampDecision => ({
  status,
  outcome,
  effect: "none",
  resurfaced: false
})

const accepted = (current: RampLegState): RampDecision => ({ ...unmoved(current), outcome: "accepted" })

/** Only a provider that still waits for the customer proves that nothing was paid. */
const waiting = (current: RampLegState, state: "pending" | "processing"): RampDecision => {
  const status = current.expired && state === "pending" ? to(current, "canceled") : to(current, "pending")
  return { ...accepted(current), status }
}

const failed = (current: RampLegState): RampDecision => {
  const outcome = current.outcome === "accepted" ? "accepted" : "declined"
  const status = to(current, "failed")
  if (current.leg === "collection")
    return current.collected ? unmoved(current) : { ...unmoved(current), status, outcome }
  return { ...unmoved(current), status, outcome, effect: status === current.status ? "none" : "stranded" }
}

type Spoken = Extract<ProviderSignal, { readonly _tag: "Accepted" | "Report" }>

const collecting = (current: RampLegState, { state }: Spoken): RampDecision => {
  const { collected, expected, moved, status } = current
  if (collected || !canMove(status, "processing")) return state === "failed" ? failed(current) : accepted(current)
  if (moved.minor >= expected.minor) return { ...accepted(current), status: "processing", effect: "collected" }
  switch (state) {
    case "completed":
      // Nothing is no money: it may still come, and the leg goes on waiting for it.
      return moved.isPositive ? { ...accepted(current), status: "failed", effect: "underpaid" } : accepted(current)
    case "pending":
    case "processing":
      return waiting(current, state)
    case "failed":
      return failed(current)
    case "returned":
      // A part that went back leaves the leg waiting for what is still to come.
      return moved.isPositive || (moved.isNegative && -moved.minor < expected.minor)
        ? accepted(current)
        : failed(current)
  }
}

const payingOut = (current: RampLegState, { state }: Spoken): RampDecision => {
  const { expected, moved, status } = current
  if (status === "completed") {
    return moved.minor <= 0n ? { ...accepted(current), status: "refunded", effect: "returned" } : accepted(current)
  }
  if (moved.minor >= expected.minor && canMove(status, "completed")) {
    return { ...accepted(current), status: "completed", effect: "paid_out" }
  }
  return state === "failed" || state === "returned" ? failed(current) : accepted(current)
}

const silent = (current: RampLegState): RampDecision => {
  if (current.outcome !== null) return unmoved(current)
  const status = current.leg === "collection" ? to(current, "pending") : current.status
  return { ...unmoved(current), status, outcome: "unknown" }
}

/** `othersLeft`: another candidate takes over from a refusal. */
export const decideRamp = (current: RampLegState, signal: ProviderSignal, othersLeft: boolean): RampDecision => {
  // A declined attempt no longer decides about the payment, which another candidate may have.
  if (current.outcome === "declined") {
    return { ...unmoved(current), resurfaced: isResurfaced(signal, current.isPolledAfterDecline) }
  }
  switch (signal._tag) {
    case "Accepted":
    case "Report":
      return current.leg === "collection" ? collecting(current, signal) : payingOut(current, signal)
    case "Declined":
      return othersLeft && current.outcome === null ? { ...unmoved(current), outcome: "declined" } : failed(current)
    case "Unknown":
      return silent(current)
    case "Absent":
      return current.outcome === "accepted" ? unmoved(current) : failed(current)
  }
}

/** The arithmetic of a crypto ramp: whether a client's rate is still good, and how much crypto goes with an amount of fiat. */
export const rampDirections = ["on_ramp", "off_ramp"] as const
export type RampDirection = (typeof rampDirections)[number]

const toleratedDrift = BigDecimal.make(5n, 3)

/** At most half a percent of the live rate away from it, by exact arithmetic. */
export const withinDrift = (clientRate: BigDecimal.BigDecimal, live: BigDecimal.BigDecimal): boolean =>
  BigDecimal.lessThanOrEqualTo(
    BigDecimal.abs(BigDecimal.subtract(clientRate, live)),
    BigDecimal.multiply(live, toleratedDrift)
  )

interface RampTrade {
  readonly direction: RampDirection
  readonly fiat: Money
  readonly asset: CryptoAssetCode
  /** From fiat to crypto for an on-ramp, from crypto to fiat for an off-ramp. */
  readonly rate: Rate
}

/** An on-ramp's payout rounds down, an off-ramp's charge rounds up. Zero is refused. */
export const rampAmounts = ({ asset, direction, fiat, rate }: RampTrade): Either.Either<Money, string> => {
  const crypto =
    direction === "on_ramp"
      ? given(fiat, { from: fiat.currency, to: asset, rate })
      : taken(fiat, { from: asset, to: fiat.currency, rate })
  return crypto.isPositive
    ? Either.right(crypto)
    : Either.left(`is too small: ${fiat.toString()} buys less than the smallest amount of ${asset}`)
}
