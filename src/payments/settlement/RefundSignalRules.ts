/** Decides on a signal about a refund or a return, and computes the sums of a payment's refunds. Pure. */
import { given, taken, type Rate } from "../../domain/Exchange.ts"
import { Money } from "../../domain/Money.ts"
import type { PaymentStatus } from "../../domain/PaymentStatus.ts"
import { netOf, netByAttempt } from "../../domain/Movement.ts"
import type { AttemptOutcome, ProviderSignal } from "../../domain/PaymentStatusRules.ts"
import { type Books, type Payment, type Refund, type RefundState, organizationSide } from "../store/Payment.ts"
import type { AttemptOfPayment } from "../store/PaymentStore.ts"
import {
  failureContradiction,
  amountContradiction,
  recordMovements,
  movedBy,
  partOf,
  refundedByUs
} from "./SignalMovements.ts"
import type { DecisionTime, SignalContext } from "./SignalContext.ts"
import { isPolledAfterDecline } from "./PaymentSignalRules.ts"
import { buildChange, type DecidedChange } from "./BuildChange.ts"

interface RefundLegState {
  readonly state: RefundState
  /** null: sent, and not answered yet. */
  readonly outcome: AttemptOutcome | null
  readonly amount: Money
  /** Refunded amount by the movements, less returns of it. */
  readonly moved: Money
  /** The refund failed and was then reported as under way: it is polled. */
  readonly isPolledAfterDecline: boolean
}

interface RefundDecision {
  readonly state: RefundState
  readonly outcome: AttemptOutcome | null
  /** The refund failed, and its provider reports it as under way: it must be polled. */
  readonly resurfaced: boolean
}

/**
 * State by the movements. A completed refund that came back in full has failed. A failed one stays failed: a later
 * payment of it is unallocated money.
 */
const byMoney = ({ amount, moved, state }: RefundLegState): RefundState => {
  if (state === "open") return moved.minor >= amount.minor ? "completed" : "open"
  return state === "completed" && moved.minor <= 0n ? "failed" : state
}

const stayed = (current: RefundLegState): RefundDecision => {
  const state = byMoney(current)
  if (state !== "open") return { state, outcome: current.outcome, resurfaced: false }
  return { state: "failed", outcome: current.outcome === "accepted" ? "accepted" : "declined", resurfaced: false }
}

const unmoved = ({ outcome, state }: RefundLegState): RefundDecision => ({ state, outcome, resurfaced: false })

const decideRefund = (current: RefundLegState, signal: ProviderSignal): RefundDecision => {
  switch (signal._tag) {
    case "Declined":
      return stayed(current)
    case "Absent":
      return current.outcome === "accepted" ? unmoved(current) : stayed(current)
    case "Unknown":
      return current.outcome === null
        ? { ...unmoved(current), outcome: "unknown" }
        : { ...unmoved(current), resurfaced: current.state === "failed" && current.isPolledAfterDecline }
    case "Accepted":
    case "Report": {
      if (signal.state === "failed" || signal.state === "returned") return stayed(current)
      const state = byMoney(current)
      const isUnderWay = current.state === "failed" && signal.state !== "completed"
      return { state, outcome: current.state === "open" ? "accepted" : current.outcome, resurfaced: isUnderWay }
    }
  }
}

type Parts = ReadonlyArray<Refund>

const sum = (parts: Parts, of: (part: Refund) => Money): bigint =>
  parts.reduce((total, part) => total + of(part).minor, 0n)

/** Refunds of the payment that did not fail, without returns of unallocated money. */
const standingParts = (parts: Parts): Parts => parts.filter(({ of, state }) => of === undefined && state !== "failed")

/** Refunds at the payment's own rate, which are rounded together. */
const atOriginalRate = (parts: Parts): Parts => standingParts(parts).filter(({ rate }) => rate?.basis !== "live")

/** Refunds of the payment, with the changed ones replaced. */
export const partsAfter = ({ refunds }: Payment, changed: Parts): Parts =>
  refunds.map((part) => changed.find(({ refund_id }) => refund_id === part.refund_id) ?? part)

/**
 * Amount that can still be refunded: the provider's balance of the payment, at most its amount, less open refunds. A
 * chargeback reduces it; a won dispute restores it.
 */
export const leftOf = (payment: Payment, movements: Books["movements"]): Money => {
  const { amount, refunds, taken_by } = payment
  const { minor: there } = netOf(netByAttempt(movements), taken_by, amount.currency)
  const open = standingParts(refunds).filter(({ state }) => state === "open")
  const most = there < amount.minor ? there : amount.minor
  const unrefunded = amount.minor - sum(standingParts(refunds), (part) => part.amount)
  const left = most - sum(open, (part) => part.amount)
  return new Money({ currency: amount.currency, minor: left < unrefunded ? left : unrefunded })
}

/** Cost of refunding a part: rounded up, and at least the target less the worth of the rest. */
const dueFor = ({ amount, target }: Payment, back: Money, rate: Rate): bigint => {
  const exchange = { from: amount.currency, to: target.currency, rate }
  const rest = new Money({ currency: amount.currency, minor: amount.minor - back.minor })
  const [cost, surplus] = [taken(back, exchange).minor, target.minor - given(rest, exchange).minor]
  return cost > surplus ? cost : surplus
}

/**
 * Cost of the next refund at the original rate: the cost of all refunds together less the costs before. So the refunds
 * of a whole payment cost exactly its target.
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

/** Adds the rounding difference of a failed refund to the last remaining one. `refunds`: after the failure. */
const withRoundingOf = (payment: Payment, refunds: Parts, failed: Refund): Parts => {
  const standing = failed.rate?.basis === "live" || failed.of !== undefined ? [] : atOriginalRate(refunds)
  const { currency } = payment.target
  const last = standing.at(-1)
  const back = new Money({ currency: payment.amount.currency, minor: sum(standing, ({ amount }) => amount) })
  const lacking = organizationSide(payment, back, true).minor - sum(standing, ({ target }) => target)
  const minor = lacking > failed.target.minor ? failed.target.minor : lacking
  if (last === undefined || currency === back.currency || minor <= 0n) return refunds
  const dearer: Refund = { ...last, target: new Money({ currency, minor: last.target.minor + minor }) }
  return refunds.map((one) => (one === last ? dearer : one))
}

/** Status after refunds: refunded once our refunds, or the provider, have returned all of the payment. */
export const statusAfter = (payment: Payment, refunds: Parts, movements: Books["movements"]): PaymentStatus => {
  const { amount, status, taken_by } = payment
  if (status !== "completed" || payment.direction !== "inbound") return status
  const isBack = refundedByUs(refunds) === amount.minor
  return isBack || netOf(netByAttempt(movements), taken_by, amount.currency).minor <= 0n ? "refunded" : status
}

export const decideRefundChange = (
  subject: AttemptOfPayment,
  signal: ProviderSignal,
  source: SignalContext,
  moment: DecisionTime
): DecidedChange => {
  const { attempt, payment } = subject
  const part = partOf(payment, attempt)
  const recording = recordMovements(subject, signal, source, moment.at)
  const { outcome, resurfaced, state } = decideRefund(
    {
      state: part.state,
      outcome: attempt.outcome,
      amount: part.amount,
      moved: movedBy(subject, recording.movements),
      isPolledAfterDecline: isPolledAfterDecline(attempt)
    },
    signal
  )
  const settles = state !== part.state && state !== "open"
  const settled: Refund = { ...part, state, settled_at: moment.at }
  const after = settles ? partsAfter(payment, [settled]) : payment.refunds
  const refunds = settles && state === "failed" ? withRoundingOf(payment, after, part) : after
  const status = statusAfter(payment, refunds, recording.movements)
  return buildChange(
    subject,
    signal,
    {
      status,
      outcome,
      patch: settles ? { refunds } : {},
      recording,
      isAwaited: state === "open" || resurfaced,
      isUnderWay: state === "open" || resurfaced,
      contradiction:
        amountContradiction(subject, recording) ??
        failureContradiction(subject, signal, source, { moved: part.state === "completed" && state === "completed" }),
      changes: settles,
      finishedRefund: settles ? settled : undefined
    },
    source,
    moment
  )
}
