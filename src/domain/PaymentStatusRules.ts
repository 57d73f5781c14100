/**
 * Payment status and attempt outcome after a provider's signal. Pure: depends on the state before and on the sum of the
 * attempt's movements. Every order of answers, callbacks and polls leads to the same state.
 */
import type { Money } from "./Money.ts"
import type { Absent, Accepted, Declined, Report, Unknown } from "./Outcome.ts"
import { canMove, isFinal, type PaymentStatus } from "./PaymentStatus.ts"

export type AttemptOutcome = "accepted" | "declined" | "unknown"

export interface AttemptState {
  readonly status: PaymentStatus
  /** null: sent, and not answered yet. */
  readonly outcome: AttemptOutcome | null
  /** Amount that the provider was ordered to collect or pay. */
  readonly ordered: Money
  /** Amount collected or paid, less returns. Includes the movements of this signal. */
  readonly moved: Money
  /** Amount collected or paid, without returns. Default: `moved`. */
  readonly gross?: Money
  /** A collection or payout was reported, and no amount in another currency is left. */
  readonly isOtherCurrencyCleared?: boolean
  /** A reversal was reported, and its collection or payout was not. */
  readonly lacksFirstMovement?: boolean
  /** The attempt was declined and then reported as under way: it is polled. */
  readonly isPolledAfterDecline?: boolean
}

export interface StatusDecision {
  readonly status: PaymentStatus
  readonly outcome: AttemptOutcome | null
  /** The attempt was declined, and its provider reports it as under way: it must be polled. */
  readonly resurfaced: boolean
}

export type ProviderSignal = Accepted | Declined | Unknown | Report | Absent

/** Whether a signal reports a state of the attempt. */
export const hasState = (signal: ProviderSignal): signal is Accepted | Report =>
  signal._tag === "Accepted" || signal._tag === "Report"

/** Whether a declined attempt is under way after all. */
export const isResurfaced = (signal: ProviderSignal, isPolledAfterDecline: boolean): boolean =>
  hasState(signal)
    ? signal.state === "pending" || signal.state === "processing"
    : signal._tag === "Unknown" && isPolledAfterDecline

const movedOr = (current: AttemptState, to: PaymentStatus): PaymentStatus =>
  canMove(current.status, to) ? to : current.status

const unmoved = ({ outcome, status }: AttemptState): StatusDecision => ({ status, outcome, resurfaced: false })

const accepted = (status: PaymentStatus): StatusDecision => ({ status, outcome: "accepted", resurfaced: false })

/** Waiting states only go forward: a late "pending" does not undo a "processing". */
const forward = (current: AttemptState, to: "pending" | "processing"): PaymentStatus =>
  to === "pending" && current.status === "processing" ? "processing" : movedOr(current, to)

const failed = (current: AttemptState, calledOff = false): StatusDecision => ({
  status: movedOr(current, calledOff ? "canceled" : "failed"),
  outcome: current.outcome === "accepted" ? "accepted" : "declined",
  resurfaced: false
})

/** Whether all of the money has moved and some of it is left, in whatever order a part was taken back. */
const isComplete = ({ gross, moved, ordered }: AttemptState): boolean =>
  moved.minor >= ordered.minor || ((gross ?? moved).minor >= ordered.minor && moved.isPositive)

/** A completed payment becomes refunded once nothing of its money is left. An underpaid one never becomes completed. */
const byMoney = (current: AttemptState, otherwise: PaymentStatus): StatusDecision => {
  if (current.status === "completed") return accepted(current.moved.minor <= 0n ? "refunded" : "completed")
  if (isFinal(current.status)) return accepted(current.status)
  return accepted(isComplete(current) ? movedOr(current, "completed") : otherwise)
}

/** Money went back before the payment was completed. If only a part did, the payment still waits for the rest. */
const returned = (current: AttemptState, calledOff?: true): StatusDecision => {
  const { lacksFirstMovement = false, moved, ordered, status } = current
  if (isFinal(status)) return byMoney(current, status)
  const isPart = moved.minor > 0n || (-moved.minor < ordered.minor && (!moved.isZero || lacksFirstMovement))
  return isPart ? byMoney(current, status) : failed(current, calledOff)
}

const reported = (current: AttemptState, signal: Accepted | Report): StatusDecision => {
  switch (signal.state) {
    case "completed":
      // Underpaid, and returned in full: no more money is expected.
      return current.isOtherCurrencyCleared === true && current.moved.minor <= 0n && !isFinal(current.status)
        ? accepted(movedOr(current, "failed"))
        : // A dispute proves that the customer paid, even if no collection was reported.
          byMoney(current, movedOr(current, current.lacksFirstMovement === true ? "processing" : "pending"))
    case "pending":
    case "processing":
      return byMoney(current, forward(current, signal.state))
    case "failed":
      return failed(current, signal.calledOff)
    case "returned":
      return returned(current, signal.calledOff)
  }
}

/** `othersLeft`: another candidate takes over after a decline. */
export const decide = (current: AttemptState, signal: ProviderSignal, othersLeft = false): StatusDecision => {
  // Another candidate may have taken over the payment.
  if (current.outcome === "declined") {
    return { ...unmoved(current), resurfaced: isResurfaced(signal, current.isPolledAfterDecline === true) }
  }
  switch (signal._tag) {
    case "Accepted":
    case "Report":
      return reported(current, signal)
    case "Declined":
      return othersLeft && current.outcome === null ? { ...unmoved(current), outcome: "declined" } : failed(current)
    case "Unknown":
      return current.outcome === null
        ? { ...unmoved(current), status: movedOr(current, "pending"), outcome: "unknown" }
        : unmoved(current)
    case "Absent":
      return current.outcome === "accepted" ? unmoved(current) : failed(current)
  }
}
