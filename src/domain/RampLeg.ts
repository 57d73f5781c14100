/**
 * What a provider's word does to a ramp, as a pure function. A ramp is paid in two legs: `pending` until its customer's
 * money was collected, `processing` until that was settled. Each happens once, in whatever order words come.
 */
import type { Money } from "./Money.ts"
import { canMove, type PaymentStatus } from "./PaymentStatus.ts"
import { type Received, totalIn, withTotal } from "./Received.ts"
import type { AttemptOutcome, Word } from "./Settlement.ts"

export type RampLeg = "collection" | "settlement"

export interface RampStanding {
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

const to = ({ status }: RampStanding, next: PaymentStatus): PaymentStatus => (canMove(status, next) ? next : status)

const unmoved = ({ outcome, received, status }: RampStanding, effect: RampEffect = "none"): RampDecision => ({
  status,
  outcome,
  effect,
  received,
  resurfaced: false
})

type Spoken = Extract<Word, { readonly _tag: "Accepted" | "Report" }>

/** Money that the ramp has no place for, where the word tells of any that nobody knew of. */
const stray = (standing: RampStanding, received: Received): RampDecision => ({
  ...unmoved(standing, received === standing.received ? "none" : "suspense"),
  received
})

const moneyCame = (standing: RampStanding, word: Spoken): RampDecision => {
  const { expected } = standing
  const came = word.received ?? expected
  const received = withTotal(standing.received, came)
  const fits = came.currency === expected.currency && !standing.collected && canMove(standing.status, "processing")
  if (!fits) return { ...stray(standing, received), outcome: "accepted" }
  const taken = { ...unmoved(standing), outcome: "accepted" as const, received }
  return totalIn(received, expected.currency).minor < expected.minor
    ? { ...taken, status: "failed", effect: "underpaid" }
    : { ...taken, status: "processing", effect: "collected" }
}

const moneyWent = (standing: RampStanding): RampDecision => {
  if (standing.status === "completed" || standing.status === "refunded") {
    return { ...unmoved(standing), outcome: "accepted" }
  }
  const status = to(standing, "completed")
  const received = withTotal(standing.received, standing.expected)
  if (status !== "completed") return { ...stray(standing, received), outcome: "accepted" }
  return { ...unmoved(standing, "settled"), status, outcome: "accepted", received }
}

const completed = (standing: RampStanding, word: Spoken): RampDecision =>
  standing.leg === "collection" ? moneyCame(standing, word) : moneyWent(standing)

const failed = (standing: RampStanding): RampDecision => {
  const outcome = standing.outcome === "accepted" ? "accepted" : "declined"
  if (standing.leg === "collection") {
    return standing.collected ? unmoved(standing) : { ...unmoved(standing), status: to(standing, "failed"), outcome }
  }
  const status = to(standing, "failed")
  return { ...unmoved(standing, status === standing.status ? "none" : "stranded"), status, outcome }
}

/** What was settled comes back, and is held again; what was collected is taken back for a person to see. */
const returned = (standing: RampStanding): RampDecision => {
  if (standing.leg === "collection") return standing.collected ? unmoved(standing, "suspense") : failed(standing)
  return standing.status === "completed"
    ? { ...unmoved(standing, "returned"), status: "refunded", outcome: "accepted" }
    : failed(standing)
}

/** Only a provider that still waits for the customer proves that nobody has paid. */
const waiting = (standing: RampStanding, state: "pending" | "processing"): RampDecision => {
  const collecting = standing.leg === "collection" && !standing.collected
  const status = !collecting
    ? standing.status
    : standing.expired && state === "pending"
      ? to(standing, "canceled")
      : to(standing, "pending")
  return { ...unmoved(standing), status, outcome: "accepted" }
}

/** A refused attempt no longer speaks for the payment, which another candidate may have. */
const takenBack = (standing: RampStanding, word: Word): RampDecision => {
  if (word._tag === "Unknown") return { ...unmoved(standing), resurfaced: standing.pursued }
  if (word._tag !== "Accepted" && word._tag !== "Report") return unmoved(standing)
  switch (word.state) {
    case "completed":
      return stray(standing, withTotal(standing.received, word.received ?? standing.expected))
    case "pending":
    case "processing":
      return { ...unmoved(standing), resurfaced: true }
    default:
      return unmoved(standing)
  }
}

const silent = (standing: RampStanding): RampDecision => {
  if (standing.outcome !== null) return unmoved(standing)
  const status = standing.leg === "collection" ? to(standing, "pending") : standing.status
  return { ...unmoved(standing), status, outcome: "unknown" }
}

/** `othersLeft`: another candidate takes over from a refusal. */
export const decideRamp = (standing: RampStanding, word: Word, othersLeft: boolean): RampDecision => {
  if (standing.outcome === "declined") return takenBack(standing, word)
  switch (word._tag) {
    case "Accepted":
      return word.state === "completed" ? completed(standing, word) : waiting(standing, word.state)
    case "Declined":
      return othersLeft && standing.outcome === null ? { ...unmoved(standing), outcome: "declined" } : failed(standing)
    case "Unknown":
      return silent(standing)
    case "Absent":
      return standing.outcome === "accepted" ? unmoved(standing) : failed(standing)
    case "Report":
      switch (word.state) {
        case "completed":
          return completed(standing, word)
        case "failed":
          return failed(standing)
        case "returned":
          return returned(standing)
        default:
          return waiting(standing, word.state)
      }
  }
}
