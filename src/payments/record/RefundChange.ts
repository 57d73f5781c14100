/** Rules, as a pure function, on one word about a refund. */
import { Money } from "../../domain/Money.ts"
import { totalIn } from "../../domain/Received.ts"
import type { ProviderSignal } from "../../domain/Settlement.ts"
import type { Attempt, Refund } from "../store/Payment.ts"
import type { Known } from "../store/PaymentStore.ts"
import { isPursued } from "./PaymentChange.ts"
import { claimsOn, ofTaker } from "./Claims.ts"
import { doubtOf as contradictionIn } from "./Doubt.ts"
import { assemble, type Moment, type Ruled, type Source } from "./Ruling.ts"
import { isEven, noteOfBounced } from "./TakenBack.ts"
import { beyond, isFoundBack, isRiddle, unmatchedAfter, withoutSaid } from "./Unmatched.ts"
import { decideRefund, partsAfter, type RefundDecision, statusAfter, withShortage } from "./RefundDecision.ts"
import { dearerRefund } from "../store/PaymentPostings.ts"
import { type SuspenseMoney, suspenseMoney } from "../store/Change.ts"

/** A refund is written in one statement with its attempt: one without the other is a defect. */
const refundOf = ({ attempt, payment }: Known): Refund => {
  const refund = payment.refunds.find(({ refund_id }) => refund_id === attempt.attempt_id)
  if (refund === undefined) throw new Error(`attempt ${attempt.attempt_id} is a refund without its part of the payment`)
  return refund
}

const noteOf = ({ attempt, payment }: Known, { amount }: Refund, { excessive, strayed }: RefundDecision) => {
  const sum = amount.toString()
  if (strayed === "came") return noteOfBounced(attempt, { amount })
  return excessive || strayed === "went"
    ? `${attempt.provider} reports a refund of ${sum} that the payment, which is ${payment.status}, has no place for: an operator must settle it.`
    : undefined
}

/** Two words of one provider that cannot both be so. */
const doubtOf = ({ attempt }: Known, { amount }: Refund): string =>
  `${attempt.provider} had said that the money went back, and its refund of ${amount.toString()} came to nothing: an operator must find out whether the money is there.`

/** Whatever the payment is by now, its provider still had so much of it by the books. */
const isThere = ({ there = [] }: Source, { currency, minor }: Money): boolean =>
  there.some((money) => money.currency === currency && money.minor >= minor)

const less = (money: Money, by: Money): Money => new Money({ currency: money.currency, minor: money.minor - by.minor })

/** What strayed is noted with the attempt, so that a word that is told twice moves nothing. */
const isGone = ({ received }: Attempt, { currency }: Money): boolean => totalIn(received, currency).isPositive

const isBack = (attempt: Attempt, amount: Money): boolean =>
  Object.keys(attempt.received).length > 0 && !isGone(attempt, amount)

const suspenseOf = (
  { attempt, payment }: Known,
  { amount }: Refund,
  { strayed }: RefundDecision
): ReadonlyArray<SuspenseMoney> => {
  if (strayed === null) return []
  // It may go and come more than once, and each time money moves.
  const occasion = Object.keys(attempt.received).length === 0 ? strayed : `${strayed} ${payment.version}`
  return [suspenseMoney(attempt, strayed === "came" ? amount : amount.negate(), occasion)]
}

/**
 * It comes back after its provider took as much by itself, as it does for whoever refunds it there by hand: the payer has
 * it, and the refund stands.
 */
const replacedBy = ({ payment }: Known, { amount, state }: Refund, { strayed }: RefundDecision, source: Source) => {
  const { taker } = source
  if (strayed !== "came" || state !== "completed" || taker === undefined) return undefined
  const books = ofTaker(taker, source)
  const named = beyond(payment, taker, amount)
  const isBeyond = books.waiting?.length === 0 && named.minor === amount.minor
  const isWaiting = books.waiting?.some(
    ({ money }) => money.currency === amount.currency && money.minor === -amount.minor
  )
  // What is refunded by other ways counts it twice, and what was named beyond the books is what they take of it first.
  if (!isBeyond && !(isWaiting === true && payment.status === "completed" && named.isZero)) return undefined
  const suspense = isBeyond ? [] : [suspenseMoney(taker, amount, `refunded by hand ${payment.version}`)]
  const unmatched = isBeyond ? unmatchedAfter(payment, taker, { taken: [amount.negate()] }) : {}
  const over = isEven(suspense, books) && !isRiddle({ ...payment, ...unmatched }, taker)
  return {
    suspense,
    unmatched,
    disputed: isBeyond ? undefined : { kind: "regained" as const, amount },
    besides: over ? { about: taker.attempt_id, note: undefined } : undefined
  }
}

export const refundChangeOf = (known: Known, signal: ProviderSignal, source: Source, moment: Moment): Ruled => {
  const { attempt, payment } = known
  const refund = refundOf(known)
  const { outcome: before } = attempt
  const current = {
    payment: payment.status,
    state: refund.state,
    outcome: before,
    pursued: isPursued(attempt),
    gone: isGone(attempt, refund.amount),
    back: isBack(attempt, refund.amount)
  }
  const decided = decideRefund(current, signal)
  const { amount } = refund
  const isKnown = decided.strayed === "came" && isFoundBack(known, amount)
  const { unmatched = payment.unmatched } = isKnown ? unmatchedAfter(payment, attempt, { given: [amount] }) : {}
  const now = { attempt, payment: { ...payment, unmatched } }
  const replaced = isKnown ? undefined : replacedBy(now, refund, decided, source)
  const isClaimed = replaced === undefined && decided.strayed === "came"
  const claimed = isClaimed ? claimsOn(now.payment, amount, source) : undefined
  const decision: RefundDecision = {
    ...decided,
    ...(isKnown || replaced !== undefined ? { strayed: null } : {}),
    ...(replaced === undefined ? {} : { state: refund.state })
  }
  const { outcome, resurfaced, state, strayed } = decision
  const met = claimed ?? replaced
  const settles = state !== refund.state && state !== "open"
  // What its payment counts as back, and is not.
  const isMissing = payment.status === "refunded" && refund.state === "completed" && claimed === undefined
  const settled: Refund = { ...refund, state, settled_at: moment.at, ...(isMissing ? { missing: true } : {}) }
  const isChanged = settles || replaced !== undefined
  const after = isChanged
    ? partsAfter(payment, [replaced === undefined ? settled : { ...refund, again: true }])
    : payment.refunds
  const isReleased = settles && state === "failed" && refund.state === "open"
  const { by, dearer, refunds } = isReleased
    ? withShortage(payment, after, refund)
    : { by: Money.zero(refund.target.currency), dearer: undefined, refunds: after }
  const doubtful = isReleased ? source.saidBack : undefined
  // One that came back, and went again by another way, has failed itself: that is no news.
  const isDone = refund.state === "completed" && !current.back
  const suspense = suspenseOf(known, refund, decision)
  // What went astray and came back before anybody had decided on it.
  const isSettled = suspense.length > 0 && isEven(suspense, source)
  return assemble(
    known,
    signal,
    {
      status: statusAfter(payment, refunds),
      outcome,
      patch: {
        ...(isChanged ? { refunds } : {}),
        ...(isKnown ? { unmatched } : {}),
        ...met?.unmatched,
        ...(settles && refund.state === "open" ? withoutSaid(payment, amount) : {})
      },
      ...(strayed === null && !decision.back
        ? {}
        : {
            received: { [amount.currency]: (strayed === "went" ? amount : Money.zero(amount.currency)).toNumericText() }
          }),
      waits: state === "open" || resurfaced,
      underWay: state === "open" || resurfaced,
      suspense: [...suspense, ...(met?.suspense ?? [])],
      besides: met?.besides === undefined ? [] : [met.besides],
      disputed: met?.disputed,
      note: isSettled
        ? undefined
        : noteOf(known, refund, { ...decision, excessive: decision.excessive && !isThere(source, amount) }),
      cleared: isSettled,
      ...(doubtful === undefined
        ? { doubt: contradictionIn(known, signal, source, { moved: isDone, awaited: false }) }
        : { doubt: doubtOf(known, refund), about: doubtful }),
      changes: settles,
      ...(settles ? { settledRefund: { ...refund, target: less(refund.target, by), from: refund.state, state } } : {}),
      // What is not given back yet keeps what it lacked with what is held for it.
      ...(dearer?.state === "completed" ? { entries: [dearerRefund(payment, attempt, by)] } : {})
    },
    source,
    moment
  )
}
