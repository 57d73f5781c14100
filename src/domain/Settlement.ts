/**
 * What a provider's signal does to a payment, as a pure function of where payment and attempt stand and of what all
 * movements of the attempt add up to. It is asked again whenever another change came first, so every order of answers,
 * callbacks and enquiries ends in the same place.
 */
import type { Money } from "./Money.ts"
import type { Absent, Accepted, Declined, Report, Unknown } from "./Outcome.ts"
import { canMove, isFinal, type PaymentStatus } from "./PaymentStatus.ts"

export type AttemptOutcome = "accepted" | "declined" | "unknown"

export interface AttemptState {
  readonly status: PaymentStatus
  /** null: asked, and not yet answered. */
  readonly outcome: AttemptOutcome | null
  /** Amount that the provider was asked to collect or pay. */
  readonly asked: Money
  /** What it has collected or paid by all of its movements, those that this signal names included, less what went back. */
  readonly moved: Money
  /** The same before anything went back; `moved` unless given. */
  readonly brought?: Money
  /** Something was heard to have come, or to have been paid, and nothing of it in another currency is left. */
  readonly wasMoved?: boolean
  /** It was heard what went back, or came back of that, and not what it was a part of. */
  readonly lacksFirstMovement?: boolean
  /** A declined attempt that its provider has after all, and that is being asked about. */
  readonly pursued?: boolean
}

export interface StatusDecision {
  readonly status: PaymentStatus
  readonly outcome: AttemptOutcome | null
  /** A declined attempt that its provider has after all: it has to be asked about. */
  readonly resurfaced: boolean
}

export type ProviderSignal = Accepted | Declined | Unknown | Report | Absent

/** Whether a signal says how far the attempt is. */
export const hasState = (signal: ProviderSignal): signal is Accepted | Report =>
  signal._tag === "Accepted" || signal._tag === "Report"

/** Whether a declined attempt is under way after all; `pursued`: that was reported before. */
export const isResurfaced = (signal: ProviderSignal, pursued: boolean): boolean =>
  hasState(signal) ? signal.state === "pending" || signal.state === "processing" : signal._tag === "Unknown" && pursued

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

/** All of the money has moved, and is not all gone again: whether a part was taken back before or after makes no difference. */
const isComplete = ({ asked, moved, brought = moved }: AttemptState): boolean =>
  moved.minor >= asked.minor || (brought.minor >= asked.minor && moved.isPositive)

/** A completed payment whose money is all gone again was given back. Less than was asked for never completes a payment. */
const byMoney = (current: AttemptState, otherwise: PaymentStatus): StatusDecision => {
  if (current.status === "completed") return accepted(current.moved.minor <= 0n ? "refunded" : "completed")
  if (isFinal(current.status)) return accepted(current.status)
  return accepted(isComplete(current) ? movedOr(current, "completed") : otherwise)
}

/** Money went back before the payment was completed. A part of it leaves the payment waiting for what is still to come. */
const returned = (current: AttemptState, calledOff?: true): StatusDecision => {
  const { asked, lacksFirstMovement = false, moved, status } = current
  if (isFinal(status)) return byMoney(current, status)
  const isPart = moved.minor > 0n || (-moved.minor < asked.minor && (!moved.isZero || lacksFirstMovement))
  return isPart ? byMoney(current, status) : failed(current, calledOff)
}

const reported = (current: AttemptState, signal: Accepted | Report): StatusDecision => {
  switch (signal.state) {
    case "completed":
      // Too little came, and all of it went back: nothing more is to come.
      return current.wasMoved === true && current.moved.minor <= 0n && !isFinal(current.status)
        ? accepted(movedOr(current, "failed"))
        : // What a dispute is about was paid, whether or not that was heard: no customer is waited for.
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

/** `othersLeft`: the call is still being answered, and another candidate takes over from a refusal. */
export const decide = (current: AttemptState, signal: ProviderSignal, othersLeft = false): StatusDecision => {
  // A declined attempt no longer decides about the payment, which another candidate may have.
  if (current.outcome === "declined") {
    return { ...unmoved(current), resurfaced: isResurfaced(signal, current.pursued === true) }
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
