/**
 * What a provider's word does to a ramp, as a pure function. A ramp is paid in two legs: `pending` until its customer's
 * money was collected, `processing` until that was settled. Each happens once, in whatever order words come.
 */
import type { Money } from "./Money.ts"
import { canMove, type PaymentStatus } from "./PaymentStatus.ts"
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
  /** What was to be collected. */
  readonly expected: Money
}

/** What the word means for the money. `stranded`: it was collected and cannot be settled. */
export type RampEffect = "none" | "collected" | "underpaid" | "settled" | "stranded" | "returned" | "suspense"

export interface RampDecision {
  readonly status: PaymentStatus
  readonly outcome: AttemptOutcome | null
  readonly effect: RampEffect
}

const to = ({ status }: RampStanding, next: PaymentStatus): PaymentStatus => (canMove(status, next) ? next : status)

const unmoved = ({ outcome, status }: RampStanding, effect: RampEffect = "none"): RampDecision => ({
  status,
  outcome,
  effect
})

const receivedBy = (word: Word): Money | undefined => (word._tag === "Report" ? word.received : undefined)

const moneyCame = (standing: RampStanding, word: Word): RampDecision => {
  if (standing.collected) return { ...unmoved(standing), outcome: "accepted" }
  if (!canMove(standing.status, "processing")) return { ...unmoved(standing, "suspense"), outcome: "accepted" }
  const received = receivedBy(word)
  return received !== undefined && received.minor < standing.expected.minor
    ? { status: "failed", outcome: "accepted", effect: "underpaid" }
    : { status: "processing", outcome: "accepted", effect: "collected" }
}

const moneyWent = (standing: RampStanding): RampDecision => {
  if (standing.status === "completed" || standing.status === "refunded") {
    return { ...unmoved(standing), outcome: "accepted" }
  }
  const status = to(standing, "completed")
  return { status, outcome: "accepted", effect: status === "completed" ? "settled" : "suspense" }
}

const completed = (standing: RampStanding, word: Word): RampDecision =>
  standing.leg === "collection" ? moneyCame(standing, word) : moneyWent(standing)

const failed = (standing: RampStanding): RampDecision => {
  const outcome = standing.outcome === "accepted" ? "accepted" : "declined"
  if (standing.leg === "collection") {
    return standing.collected ? unmoved(standing) : { status: to(standing, "failed"), outcome, effect: "none" }
  }
  const status = to(standing, "failed")
  return { status, outcome, effect: status === standing.status ? "none" : "stranded" }
}

/** What was settled comes back, and is held again; what was collected is taken back for a person to see. */
const returned = (standing: RampStanding): RampDecision => {
  if (standing.leg === "collection") return standing.collected ? unmoved(standing, "suspense") : failed(standing)
  return standing.status === "completed"
    ? { status: "refunded", outcome: "accepted", effect: "returned" }
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
  return { status, outcome: "accepted", effect: "none" }
}

/** A refused attempt no longer speaks for the payment, which another candidate may have. */
const takenBack = (standing: RampStanding, word: Word): RampDecision =>
  unmoved(
    standing,
    (word._tag === "Accepted" || word._tag === "Report") && word.state === "completed" ? "suspense" : "none"
  )

const silent = (standing: RampStanding): RampDecision => {
  if (standing.outcome !== null) return unmoved(standing)
  const status = standing.leg === "collection" ? to(standing, "pending") : standing.status
  return { status, outcome: "unknown", effect: "none" }
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
