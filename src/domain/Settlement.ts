/**
 * What a provider's word does to a payment, as a pure function of where payment and attempt stand. It is asked again
 * whenever someone else was faster, so every order of answers, callbacks and look-ups ends in the same place.
 */
import type { Flow } from "./Corridor.ts"
import type { Money } from "./Money.ts"
import type { Absent, Accepted, Declined, Report, Unknown } from "./Outcome.ts"
import { canMove, isSettled, type PaymentStatus } from "./PaymentStatus.ts"
import { type Received, totalIn, withTotal } from "./Received.ts"

export type AttemptOutcome = "accepted" | "declined" | "unknown"

export interface AttemptState {
  readonly status: PaymentStatus
  /** null: asked, and not yet answered. */
  readonly outcome: AttemptOutcome | null
  readonly flow: Flow
  /** What the provider was asked to collect or to pay. */
  readonly asked: Money
  /** What it was asked for when it was sent, where a person has settled for less since. */
  readonly ordered?: Money
  /** What it said so far that it has. */
  readonly received: Received
  /** A refused attempt that resurfaced, and that its provider is being asked about. */
  readonly pursued?: boolean
}

export interface Decision {
  readonly status: PaymentStatus
  readonly outcome: AttemptOutcome | null
  readonly received: Received
  /** A refused attempt that its provider has after all: nobody may lose sight of it. */
  readonly resurfaced: boolean
}

export type ProviderSignal = Accepted | Declined | Unknown | Report | Absent

/** The attempt that is not refused, of which there is one, is where a completed payment's money is. */
export const ownsMoney = ({ outcome, status }: Pick<AttemptState, "outcome" | "status">): boolean =>
  outcome !== "declined" && (status === "completed" || status === "refunded")

const settledOr = (current: AttemptState, to: PaymentStatus): PaymentStatus =>
  canMove(current.status, to) ? to : current.status

const unmoved = ({ outcome, received, status }: AttemptState): Decision => ({
  status,
  outcome,
  received,
  resurfaced: false
})

/** Waiting states only go forward: a late "pending" does not undo a "processing". */
const forward = (current: AttemptState, to: "pending" | "processing"): PaymentStatus =>
  to === "pending" && current.status === "processing" ? "processing" : settledOr(current, to)

/** A provider that does not say how much it has, has what it was asked for; what it pays out is what it was told to. */
export const arrived = ({ asked, flow, ordered, received }: AttemptState, signal: Accepted | Report): Received =>
  withTotal(received, flow === "outbound" ? asked : (signal.received ?? ordered ?? asked))

/** Less than was asked for never completes a payment: it waits for the rest, or for a person. */
const moneyMoved = (current: AttemptState, signal: Accepted | Report): Decision => {
  const received = arrived(current, signal)
  const { asked } = current
  const enough = totalIn(received, asked.currency).minor >= asked.minor
  const status = isSettled(current.status) ? current.status : settledOr(current, enough ? "completed" : "pending")
  return { status, outcome: "accepted", received, resurfaced: false }
}

const waiting = (current: AttemptState, to: "pending" | "processing"): Decision => ({
  ...unmoved(current),
  status: isSettled(current.status) ? current.status : forward(current, to),
  outcome: "accepted"
})

const failed = (current: AttemptState, calledOff = false): Decision => ({
  ...unmoved(current),
  status: settledOr(current, calledOff ? "canceled" : "failed"),
  outcome: current.outcome === "accepted" ? "accepted" : "declined"
})

/**
 * What is back was there: the word that it came, which this one has overtaken, then tells of nothing new. Where a part had
 * been heard of, what comes besides is news.
 */
export const hadBefore = (received: Received, money: Money): Received =>
  Object.keys(received).length === 0 ? withTotal(received, money) : received

/** A payout that its provider sends back after it was completed, or a payin that it takes back. */
const returned = (current: AttemptState, calledOff?: true): Decision => {
  if (current.status === "completed") return { ...unmoved(current), status: "refunded", outcome: "accepted" }
  const ended = failed(current, calledOff)
  return current.status === "refunded"
    ? ended
    : { ...ended, received: hadBefore(current.received, current.ordered ?? current.asked) }
}

const answered = (current: AttemptState, signal: Accepted | Declined | Unknown, othersLeft: boolean): Decision => {
  switch (signal._tag) {
    case "Accepted":
      return signal.state === "completed" ? moneyMoved(current, signal) : waiting(current, signal.state)
    case "Declined":
      return othersLeft && current.outcome === null ? { ...unmoved(current), outcome: "declined" } : failed(current)
    case "Unknown":
      return current.outcome === null
        ? { ...unmoved(current), status: settledOr(current, "pending"), outcome: "unknown" }
        : unmoved(current)
  }
}

/** A refused attempt no longer speaks for the payment, which another candidate may have: its money is for a person to see. */
const takenBack = (current: AttemptState, signal: ProviderSignal): Decision => {
  if (signal._tag === "Unknown") return { ...unmoved(current), resurfaced: current.pursued === true }
  if (signal._tag !== "Accepted" && signal._tag !== "Report") return unmoved(current)
  switch (signal.state) {
    case "completed":
      return { ...unmoved(current), received: arrived(current, signal) }
    case "pending":
    case "processing":
      return { ...unmoved(current), resurfaced: true }
    case "returned":
      return { ...unmoved(current), received: hadBefore(current.received, current.ordered ?? current.asked) }
    case "failed":
      return unmoved(current)
  }
}

/** `othersLeft`: the call is still being answered, and another candidate takes over from a refusal. */
export const decide = (current: AttemptState, signal: ProviderSignal, othersLeft = false): Decision => {
  if (current.outcome === "declined") return takenBack(current, signal)
  switch (signal._tag) {
    case "Accepted":
    case "Declined":
    case "Unknown":
      return answered(current, signal, othersLeft)
    case "Absent":
      return current.outcome === "accepted" ? unmoved(current) : failed(current)
    case "Report":
      switch (signal.state) {
        case "completed":
          return moneyMoved(current, signal)
        case "failed":
          return failed(current, signal.calledOff)
        case "returned":
          return returned(current, signal.calledOff)
        default:
          return waiting(current, signal.state)
      }
  }
}
