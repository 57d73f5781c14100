/**
 * What a provider's word does to a ramp, as a pure function. A ramp is paid in two legs: `pending` until its customer's
 * money was collected, `processing` until that was settled. Each happens once, in whatever order words come.
 */
import type { Money } from "./Money.ts"
import { canMove, type PaymentStatus } from "./PaymentStatus.ts"
import { type Received, totalIn, withTotal } from "./Received.ts"
import { type AttemptOutcome, hadBefore, type ProviderSignal } from "./Settlement.ts"

export type RampLeg = "collection" | "settlement"

export interface RampLegState {
  readonly status: PaymentStatus
  readonly leg: RampLeg
  /** null: asked, and not yet answered. */
  readonly outcome: AttemptOutcome | null
  /** The customer's money is here, or was. */
  readonly collected: boolean
  /** Nobody may pay any more. */
  readonly expired: boolean
  /** What was to be collected, or to be settled. */
  readonly expected: Money
  /** What the provider said so far that it has. */
  readonly received: Received
  /** A refused attempt that resurfaced, and that its provider is being asked about. */
  readonly pursued: boolean
}

/** What the word means for the money. `stranded`: it was collected and cannot be settled. */
export type RampEffect = "none" | "collected" | "underpaid" | "settled" | "stranded" | "returned" | "suspense"

export interface RampDecision {
  readonly status: PaymentStatus
  readonly outcome: AttemptOutcome | null
  readonly effect: RampEffect
  readonly received: Received
  /** A refused attempt that its provider has after all: nobody may lose sight of it. */
  readonly resurfaced: boolean
}

const to = ({ status }: RampLegState, next: PaymentStatus): PaymentStatus => (canMove(status, next) ? next : status)

const unmoved = ({ outcome, received, status }: RampLegState, effect: RampEffect = "none"): RampDecision => ({
  status,
  outcome,
  effect,
  received,
  resurfaced: false
})

type Spoken = Extract<ProviderSignal, { readonly _tag: "Accepted" | "Report" }>

/** Money that the ramp has no place for, where the word tells of any that nobody knew of. */
const stray = (current: RampLegState, received: Received): RampDecision => ({
  ...unmoved(current, received === current.received ? "none" : "suspense"),
  received
})

const moneyCame = (current: RampLegState, signal: Spoken): RampDecision => {
  const { expected } = current
  const came = signal.received ?? expected
  // Nothing is no money: it may still come, and the leg goes on waiting for it.
  if (!came.isPositive) return { ...unmoved(current), outcome: "accepted" }
  const received = withTotal(current.received, came)
  const fits = came.currency === expected.currency && !current.collected && canMove(current.status, "processing")
  if (!fits) return { ...stray(current, received), outcome: "accepted" }
  const taken = { ...unmoved(current), outcome: "accepted" as const, received }
  return totalIn(received, expected.currency).minor < expected.minor
    ? { ...taken, status: "failed", effect: "underpaid" }
    : { ...taken, status: "processing", effect: "collected" }
}

const moneyWent = (current: RampLegState): RampDecision => {
  if (current.status === "completed" || current.status === "refunded") {
    return { ...unmoved(current), outcome: "accepted" }
  }
  const status = to(current, "completed")
  const received = withTotal(current.received, current.expected)
  if (status !== "completed") return { ...stray(current, received), outcome: "accepted" }
  return { ...unmoved(current, "settled"), status, outcome: "accepted", received }
}

const completed = (current: RampLegState, signal: Spoken): RampDecision =>
  current.leg === "collection" ? moneyCame(current, signal) : moneyWent(current)

const failed = (current: RampLegState): RampDecision => {
  const outcome = current.outcome === "accepted" ? "accepted" : "declined"
  if (current.leg === "collection") {
    return current.collected ? unmoved(current) : { ...unmoved(current), status: to(current, "failed"), outcome }
  }
  const status = to(current, "failed")
  return { ...unmoved(current, status === current.status ? "none" : "stranded"), status, outcome }
}

/** What was settled comes back, and is held again; what was collected is taken back for a person to see. */
const returned = (current: RampLegState): RampDecision => {
  const isThere = current.leg === "collection" ? current.collected : current.status === "completed"
  if (!isThere) return { ...failed(current), received: hadBefore(current.received, current.expected) }
  return current.leg === "collection"
    ? unmoved(current, "suspense")
    : { ...unmoved(current, "returned"), status: "refunded", outcome: "accepted" }
}

/** Only a provider that still waits for the customer proves that nobody has paid. */
const waiting = (current: RampLegState, state: "pending" | "processing"): RampDecision => {
  const collecting = current.leg === "collection" && !current.collected
  const status = !collecting
    ? current.status
    : current.expired && state === "pending"
      ? to(current, "canceled")
      : to(current, "pending")
  return { ...unmoved(current), status, outcome: "accepted" }
}

/** A refused attempt no longer speaks for the payment, which another candidate may have. */
const takenBack = (current: RampLegState, signal: ProviderSignal): RampDecision => {
  if (signal._tag === "Unknown") return { ...unmoved(current), resurfaced: current.pursued }
  if (signal._tag !== "Accepted" && signal._tag !== "Report") return unmoved(current)
  switch (signal.state) {
    case "completed":
      return stray(current, withTotal(current.received, signal.received ?? current.expected))
    case "pending":
    case "processing":
      return { ...unmoved(current), resurfaced: true }
    case "returned":
      return { ...unmoved(current), received: hadBefore(current.received, current.expected) }
    case "failed":
      return unmoved(current)
  }
}

const silent = (current: RampLegState): RampDecision => {
  if (current.outcome !== null) return unmoved(current)
  const status = current.leg === "collection" ? to(current, "pending") : current.status
  return { ...unmoved(current), status, outcome: "unknown" }
}

/** `othersLeft`: another candidate takes over from a refusal. */
export const decideRamp = (current: RampLegState, signal: ProviderSignal, othersLeft: boolean): RampDecision => {
  if (current.outcome === "declined") return takenBack(current, signal)
  switch (signal._tag) {
    case "Accepted":
      return signal.state === "completed" ? completed(current, signal) : waiting(current, signal.state)
    case "Declined":
      return othersLeft && current.outcome === null ? { ...unmoved(current), outcome: "declined" } : failed(current)
    case "Unknown":
      return silent(current)
    case "Absent":
      return current.outcome === "accepted" ? unmoved(current) : failed(current)
    case "Report":
      switch (signal.state) {
        case "completed":
          return completed(current, signal)
        case "failed":
          return failed(current)
        case "returned":
          return returned(current)
        default:
          return waiting(current, signal.state)
      }
  }
}
