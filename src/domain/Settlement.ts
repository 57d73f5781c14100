/**
 * What a provider's word does to a payment, as a pure function of where payment and attempt stand. It is asked again
 * whenever someone else was faster, so every order of answers, callbacks and look-ups ends in the same place.
 */
import type { Absent, Accepted, Declined, Report, Unknown } from "./Outcome.ts"
import { canMove, isSettled, type PaymentStatus } from "./PaymentStatus.ts"

export type AttemptOutcome = "accepted" | "declined" | "unknown"

export interface Standing {
  readonly status: PaymentStatus
  /** null: asked, and not yet answered. */
  readonly outcome: AttemptOutcome | null
}

export interface Decision {
  readonly status: PaymentStatus
  readonly outcome: AttemptOutcome | null
  /** Money moved that the payment's state has no place for: a person must see it. */
  readonly suspense: boolean
}

export type Word = Accepted | Declined | Unknown | Report | Absent

const settledOr = (standing: Standing, to: PaymentStatus): PaymentStatus =>
  canMove(standing.status, to) ? to : standing.status

/** Waiting states only go forward: a late "pending" does not undo a "processing". */
const forward = (standing: Standing, to: "pending" | "processing"): PaymentStatus =>
  to === "pending" && standing.status === "processing" ? "processing" : settledOr(standing, to)

const moneyArrived = (standing: Standing): Decision => {
  const status = settledOr(standing, "completed")
  return { status, outcome: "accepted", suspense: status !== "completed" && status !== "refunded" }
}

const waiting = (standing: Standing, to: "pending" | "processing"): Decision => ({
  status: isSettled(standing.status) ? standing.status : forward(standing, to),
  outcome: "accepted",
  suspense: false
})

const failed = (standing: Standing): Decision => ({
  status: settledOr(standing, "failed"),
  outcome: standing.outcome === "accepted" ? "accepted" : "declined",
  suspense: false
})

/** A payout that its provider sends back after it was completed. */
const returned = (standing: Standing): Decision =>
  standing.status === "completed" ? { status: "refunded", outcome: "accepted", suspense: false } : failed(standing)

const answered = (standing: Standing, word: Accepted | Declined | Unknown, othersLeft: boolean): Decision => {
  switch (word._tag) {
    case "Accepted":
      if (word.state === "completed") return moneyArrived(standing)
      return waiting(standing, word.state)
    case "Declined":
      return othersLeft && standing.outcome === null
        ? { status: standing.status, outcome: "declined", suspense: false }
        : failed(standing)
    case "Unknown":
      return standing.outcome === null
        ? { status: settledOr(standing, "pending"), outcome: "unknown", suspense: false }
        : { ...standing, suspense: false }
  }
}

/** A refused attempt no longer speaks for the payment, which another candidate may have: its money is for a person to see. */
const takenBack = (standing: Standing, word: Word): Decision => ({
  ...standing,
  suspense: (word._tag === "Accepted" || word._tag === "Report") && word.state === "completed"
})

/** `othersLeft`: the call is still being answered, and another candidate takes over from a refusal. */
export const decide = (standing: Standing, word: Word, othersLeft = false): Decision => {
  if (standing.outcome === "declined") return takenBack(standing, word)
  switch (word._tag) {
    case "Accepted":
    case "Declined":
    case "Unknown":
      return answered(standing, word, othersLeft)
    case "Absent":
      return standing.outcome === "accepted" ? { ...standing, suspense: false } : failed(standing)
    case "Report":
      switch (word.state) {
        case "completed":
          return moneyArrived(standing)
        case "failed":
          return failed(standing)
        case "returned":
          return returned(standing)
        default:
          return waiting(standing, word.state)
      }
  }
}
