/** What a provider's word does to a refund, and what the parts of a payment add up to. Pure, like `Settlement`. */
import { given, taken } from "../../domain/Exchange.ts"
import { Money } from "../../domain/Money.ts"
import type { PaymentStatus } from "../../domain/PaymentStatus.ts"
import type { Rate } from "../../domain/Rate.ts"
import type { AttemptOutcome, ProviderSignal } from "../../domain/Settlement.ts"
import type { Payment, Refund, RefundState } from "../store/Payment.ts"
import { ownSide } from "../store/PaymentPostings.ts"

export interface RefundLegState {
  readonly payment: PaymentStatus
  readonly state: RefundState
  /** null: asked, and not yet answered. */
  readonly outcome: AttemptOutcome | null
  /** One that was given up, has resurfaced, and that its provider is being asked about. */
  readonly pursued?: boolean
  /** One that was given up, and that went nevertheless. */
  readonly gone?: boolean
  /** Its provider has said that it came back: that it went, which may be heard later, tells of nothing new. */
  readonly back?: boolean
}

export interface RefundDecision {
  readonly state: RefundState
  readonly outcome: AttemptOutcome | null
  /** Money for which the books have no place: it went although the part was given up, or came back after it had gone. */
  readonly strayed: "went" | "came" | null
  /** It has come back, whether or not anybody had heard that it went. */
  readonly back: boolean
  /** It went back although the payment had nothing left to give back. */
  readonly excessive: boolean
  /** A part that was given up and that the provider has after all: nobody may lose sight of it. */
  readonly resurfaced: boolean
}

const unmoved = ({ outcome, state }: RefundLegState): RefundDecision => ({
  state,
  outcome,
  strayed: null,
  back: false,
  excessive: false,
  resurfaced: false
})

/** A payment that is refunded by another way has nothing left to give back. */
const wentBack = (current: RefundLegState): RefundDecision => {
  switch (current.state) {
    case "open":
      return {
        ...unmoved(current),
        state: "completed",
        outcome: "accepted",
        excessive: current.payment !== "completed"
      }
    case "failed":
      return current.gone === true || current.back === true
        ? unmoved(current)
        : { ...unmoved(current), strayed: "went" }
    case "completed":
      return unmoved(current)
  }
}

const stayed = (current: RefundLegState): RefundDecision =>
  current.state === "open"
    ? { ...unmoved(current), state: "failed", outcome: current.outcome === "accepted" ? "accepted" : "declined" }
    : unmoved(current)

/** The provider could not hand it over and has it again; told twice, that is nothing new. */
const bounced = (current: RefundLegState): RefundDecision =>
  (current.state === "completed" && current.back !== true) || (current.state === "failed" && current.gone === true)
    ? { ...unmoved(current), state: "failed", strayed: "came", back: true }
    : { ...stayed(current), back: true }

const onItsWay = (current: RefundLegState): RefundDecision =>
  current.state === "open"
    ? { ...unmoved(current), outcome: "accepted" }
    : { ...unmoved(current), resurfaced: current.state === "failed" }

export const decideRefund = (current: RefundLegState, signal: ProviderSignal): RefundDecision => {
  switch (signal._tag) {
    case "Declined":
      return stayed(current)
    case "Absent":
      return current.outcome === "accepted" ? unmoved(current) : stayed(current)
    case "Unknown":
      return current.outcome === null
        ? { ...unmoved(current), outcome: "unknown" }
        : { ...unmoved(current), resurfaced: current.state === "failed" && current.pursued === true }
    case "Accepted":
    case "Report":
      switch (signal.state) {
        case "completed":
          return wentBack(current)
        case "failed":
          return stayed(current)
        case "returned":
          return bounced(current)
        default:
          return onItsWay(current)
      }
  }
}

type Parts = ReadonlyArray<Refund>

const sum = (parts: Parts, of: (part: Refund) => Money): bigint =>
  parts.reduce((total, part) => total + of(part).minor, 0n)

const standingParts = (parts: Parts): Parts => parts.filter(({ state }) => state !== "failed")

/** Those that cost the payment's own rate, and are rounded together. */
const atOriginalRate = (parts: Parts): Parts => standingParts(parts).filter(({ rate }) => rate?.basis !== "live")

/** The parts of the payment, with those that have changed as they now are. */
export const partsAfter = ({ refunds }: Payment, changed: Parts): Parts =>
  refunds.map((part) => changed.find(({ refund_id }) => refund_id === part.refund_id) ?? part)

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
 * The next part on the target's side at the original rate: what all such parts together cost, less what was posted
 * before. So the parts of a whole payment add up to its target exactly, and never to more.
 */
export const targetOfPart = (payment: Payment, refunds: Parts, part: Money, rate: Rate | null): Money => {
  if (rate === null) return part
  const { currency, minor: whole } = payment.target
  const before = atOriginalRate(refunds)
  const posted = sum(before, ({ target }) => target)
  const together = new Money({ currency: part.currency, minor: part.minor + sum(before, ({ amount }) => amount) })
  const due = dueFor(payment, together, rate) - posted
  const most = whole - posted
  return new Money({ currency, minor: due < 0n ? 0n : due > most ? most : due })
}

/** What the others lack when a part has failed whose rounding they had counted on, and which of them is the dearer for it. */
export interface Shortage {
  readonly refunds: Parts
  readonly dearer: Refund | undefined
  /** In the target's currency; never more than was held for the part that failed. */
  readonly by: Money
}

/** `refunds`: as they are after `failed` has failed. */
export const withShortage = (payment: Payment, refunds: Parts, failed: Refund): Shortage => {
  const standing = failed.rate?.basis === "live" ? [] : atOriginalRate(refunds)
  const { currency } = payment.target
  const last = standing.at(-1)
  const back = new Money({ currency: payment.amount.currency, minor: sum(standing, ({ amount }) => amount) })
  const lacking = ownSide(payment, back, true).minor - sum(standing, ({ target }) => target)
  const minor = lacking > failed.target.minor ? failed.target.minor : lacking
  if (last === undefined || currency === back.currency || minor <= 0n) {
    return { refunds, dearer: undefined, by: Money.zero(currency) }
  }
  const by = new Money({ currency, minor })
  const dearer: Refund = { ...last, target: new Money({ currency, minor: last.target.minor + minor }) }
  return { refunds: refunds.map((one) => (one === last ? dearer : one)), dearer, by }
}

/** Refunded once all of it is back. */
export const statusAfter = ({ amount, status }: Payment, refunds: Parts): PaymentStatus => {
  const back = sum(
    refunds.filter(({ state }) => state === "completed"),
    (part) => part.amount
  )
  return status === "completed" && back === amount.minor ? "refunded" : status
}
