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

export interface Standing {
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

export type Word = Accepted | Declined | Unknown | Report | Absent

/** The attempt that is not refused, of which there is one, is where a completed payment's money is. */
export const ownsMoney = ({ outcome, status }: Pick<Standing, "outcome" | "status">): boolean =>
  outcome !== "declined" && (status === "completed" || status === "refunded")

const settledOr = (standing: Standing, to: PaymentStatus): PaymentStatus =>
  canMove(standing.status, to) ? to : standing.status

const unmoved = ({ outcome, received, status }: Standing): Decision => ({
  status,
  outcome,
  received,
  resurfaced: false
})

/** Waiting states only go forward: a late "pending" does not undo a "processing". */
const forward = (standing: Standing, to: "pending" | "processing"): PaymentStatus =>
  to === "pending" && standing.status === "processing" ? "processing" : settledOr(standing, to)

/** A provider that does not say how much it has, has what it was asked for; what it pays out is what it was told to. */
export const arrived = ({ asked, flow, ordered, received }: Standing, word: Accepted | Report): Received =>
  withTotal(received, flow === "outbound" ? asked : (word.received ?? ordered ?? asked))

/** Less than was asked for never completes a payment: it waits for the rest, or for a person. */
const moneyMoved = (standing: Standing, word: Accepted | Report): Decision => {
  const received = arrived(standing, word)
  const { asked } = standing
  const enough = totalIn(received, asked.currency).minor >= asked.minor
  const status = isSettled(standing.status) ? standing.status : settledOr(standing, enough ? "completed" : "pending")
  return { status, outcome: "accepted", received, resurfaced: false }
}

const waiting = (standing: Standing, to: "pending" | "processing"): Decision => ({
  ...unmoved(standing),
  status: isSettled(standing.status) ? standing.status : forward(standing, to),
  outcome: "accepted"
})

const failed = (standing: Standing): Decision => ({
  ...unmoved(standing),
  status: settledOr(standing, "failed"),
  outcome: standing.outcome === "accepted" ? "accepted" : "declined"
})

/** A payout that its provider sends back after it was completed, or a payin that it takes back. */
const returned = (standing: Standing): Decision =>
  standing.status === "completed" ? { ...unmoved(standing), status: "refunded", outcome: "accepted" } : failed(standing)

const answered = (standing: Standing, word: Accepted | Declined | Unknown, othersLeft: boolean): Decision => {
  switch (word._tag) {
    case "Accepted":
      return word.state === "completed" ? moneyMoved(standing, word) : waiting(standing, word.state)
    case "Declined":
      return othersLeft && standing.outcome === null ? { ...unmoved(standing), outcome: "declined" } : failed(standing)
    case "Unknown":
      return standing.outcome === null
        ? { ...unmoved(standing), status: settledOr(standing, "pending"), outcome: "unknown" }
        : unmoved(standing)
  }
}

/** A refused attempt no longer speaks for the payment, which another candidate may have: its money is for a person to see. */
const takenBack = (standing: Standing, word: Word): Decision => {
  if (word._tag === "Unknown") return { ...unmoved(standing), resurfaced: standing.pursued === true }
  if (word._tag !== "Accepted" && word._tag !== "Report") return unmoved(standing)
  switch (word.state) {
    case "completed":
      return { ...unmoved(standing), received: arrived(standing, word) }
    case "pending":
    case "processing":
      return { ...unmoved(standing), resurfaced: true }
    default:
      return unmoved(standing)
  }
}

/** `othersLeft`: the call is still being answered, and another candidate takes over from a refusal. */
export const decide = (standing: Standing, word: Word, othersLeft = false): Decision => {
  if (standing.outcome === "declined") return takenBack(standing, word)
  switch (word._tag) {
    case "Accepted":
    case "Declined":
    case "Unknown":
      return answered(standing, word, othersLeft)
    case "Absent":
      return standing.outcome === "accepted" ? unmoved(standing) : failed(standing)
    case "Report":
      switch (word.state) {
        case "completed":
          return moneyMoved(standing, word)
        case "failed":
          return failed(standing)
        case "returned":
          return returned(standing)
        default:
          return waiting(standing, word.state)
      }
  }
}
