/** What a provider's word does to a refund, and what the parts of a payment add up to. Pure, like `Settlement`. */
import { given, taken } from "../../domain/Exchange.ts"
import { Money } from "../../domain/Money.ts"
import type { PaymentStatus } from "../../domain/PaymentStatus.ts"
import type { Rate } from "../../domain/Rate.ts"
import type { AttemptOutcome, Word } from "../../domain/Settlement.ts"
import type { Payment, Refund, RefundState } from "../store/Payment.ts"

export interface RefundStanding {
  readonly payment: PaymentStatus
  readonly state: RefundState
  /** null: asked, and not yet answered. */
  readonly outcome: AttemptOutcome | null
  /** One that was given up, has resurfaced, and that its provider is being asked about. */
  readonly pursued?: boolean
}

export interface RefundDecision {
  readonly state: RefundState
  readonly outcome: AttemptOutcome | null
  /** Money for which the books have no place: it went although the part was given up, or came back after it had gone. */
  readonly strayed: "went" | "came" | null
  /** It went back although the payment had nothing left to give back. */
  readonly excessive: boolean
  /** A part that was given up and that the provider has after all: nobody may lose sight of it. */
  readonly resurfaced: boolean
}

const unmoved = ({ outcome, state }: RefundStanding): RefundDecision => ({
  state,
  outcome,
  strayed: null,
  excessive: false,
  resurfaced: false
})

/** A payment that is refunded by another way has nothing left to give back. */
const wentBack = (standing: RefundStanding): RefundDecision => {
  switch (standing.state) {
    case "open":
      return {
        ...unmoved(standing),
        state: "completed",
        outcome: "accepted",
        excessive: standing.payment !== "completed"
      }
    case "failed":
      return { ...unmoved(standing), strayed: "went" }
    case "completed":
      return unmoved(standing)
  }
}

const stayed = (standing: RefundStanding): RefundDecision =>
  standing.state === "open"
    ? { ...unmoved(standing), state: "failed", outcome: standing.outcome === "accepted" ? "accepted" : "declined" }
    : unmoved(standing)

/** The provider could not hand it over and has it again. */
const bounced = (standing: RefundStanding): RefundDecision =>
  standing.state === "completed" ? { ...unmoved(standing), state: "failed", strayed: "came" } : stayed(standing)

const onItsWay = (standing: RefundStanding): RefundDecision =>
  standing.state === "open"
    ? { ...unmoved(standing), outcome: "accepted" }
    : { ...unmoved(standing), resurfaced: standing.state === "failed" }

export const decideRefund = (standing: RefundStanding, word: Word): RefundDecision => {
  switch (word._tag) {
    case "Declined":
      return stayed(standing)
    case "Absent":
      return standing.outcome === "accepted" ? unmoved(standing) : stayed(standing)
    case "Unknown":
      return standing.outcome === null
        ? { ...unmoved(standing), outcome: "unknown" }
        : { ...unmoved(standing), resurfaced: standing.state === "failed" && standing.pursued === true }
    case "Accepted":
    case "Report":
      switch (word.state) {
        case "completed":
          return wentBack(standing)
        case "failed":
          return stayed(standing)
        case "returned":
          return bounced(standing)
        default:
          return onItsWay(standing)
      }
  }
}

type Parts = ReadonlyArray<Refund>

const sum = (parts: Parts, of: (part: Refund) => Money): bigint =>
  parts.reduce((total, part) => total + of(part).minor, 0n)

const standingParts = (parts: Parts): Parts => parts.filter(({ state }) => state !== "failed")

/** What may still be given back: paid, less what went back, less what is on its way. */
export const leftOf = ({ amount }: Payment, refunds: Parts): Money =>
  new Money({ currency: amount.currency, minor: amount.minor - sum(standingParts(refunds), (part) => part.amount) })

/** What so much of a payment costs the organisation: rounded up, and enough to leave it no more than the rest is worth. */
const dueFor = ({ amount, target }: Payment, back: Money, rate: Rate): bigint => {
  const exchange = { from: amount.currency, to: target.currency, rate }
  const rest = new Money({ currency: amount.currency, minor: amount.minor - back.minor })
  const [cost, surplus] = [taken(back, exchange).minor, target.minor - given(rest, exchange).minor]
  return cost > surplus ? cost : surplus
}

/**
 * The next part on the target's side: what all parts together cost, less what was posted before. So the parts of a whole
 * payment add up to its target exactly, and never to more.
 */
export const targetOfPart = (payment: Payment, refunds: Parts, part: Money, rate: Rate | null): Money => {
  if (rate === null) return part
  const { currency, minor: whole } = payment.target
  const before = standingParts(refunds)
  const posted = sum(before, ({ target }) => target)
  const together = new Money({ currency: part.currency, minor: part.minor + sum(before, ({ amount }) => amount) })
  const due = dueFor(payment, together, rate) - posted
  const most = whole - posted
  return new Money({ currency, minor: due < 0n ? 0n : due > most ? most : due })
}

/** Refunded once all of it is back. */
export const statusAfter = ({ amount, status }: Payment, refunds: Parts): PaymentStatus => {
  const back = sum(
    refunds.filter(({ state }) => state === "completed"),
    (part) => part.amount
  )
  return status === "completed" && back === amount.minor ? "refunded" : status
}
