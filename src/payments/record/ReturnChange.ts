/**
 * Rules, as a pure function, on one word about money on its way back to whoever sent it, for a payment that had no place
 * for it. It leaves suspense when its provider takes it on, and is in suspense again when that comes to nothing.
 */
import type { AttemptId } from "../../domain/Identifiers.ts"
import { Money } from "../../domain/Money.ts"
import type { AttemptOutcome, ProviderSignal } from "../../domain/Settlement.ts"
import { type Attempt, type Refund, returnedMoney } from "../store/Payment.ts"
import type { Known } from "../store/PaymentStore.ts"
import { claimsOn } from "./Claims.ts"
import { isPursued } from "./PaymentChange.ts"
import { partsAfter, statusAfter } from "./RefundDecision.ts"
import { assemble, isReturned, type Moment, type Ruled, type Source } from "./Ruling.ts"
import { joined, sumOf, waitingAfter } from "./TakenBack.ts"
import { isRiddle, strayedBack, unmatchedIn, withStrayed } from "./Unmatched.ts"
import { suspenseMoney } from "../store/Change.ts"

/** `strayed`: it went although it was given up, and its money may be somewhere else by now. */
interface Fate {
  readonly outcome: AttemptOutcome | null
  readonly moves: "leaves" | "comes back" | "strayed" | null
  readonly resurfaced: boolean
}

const fateOf = (attempt: Attempt, signal: ProviderSignal): Fate => {
  const { outcome } = attempt
  const unmoved: Fate = { outcome, moves: null, resurfaced: false }
  // Once it came back, whatever else is heard of it was said before.
  if (attempt.ordered !== null) return unmoved
  const stays: Fate = { outcome: "declined", moves: outcome === "accepted" ? "comes back" : null, resurfaced: false }
  switch (signal._tag) {
    case "Declined":
    case "Absent":
      return outcome === "accepted" ? unmoved : stays
    case "Unknown":
      return outcome === null ? { ...unmoved, outcome: "unknown" } : { ...unmoved, resurfaced: isPursued(attempt) }
    case "Accepted":
    case "Report":
      if (signal.state === "failed" || signal.state === "returned") return outcome === "declined" ? unmoved : stays
      if (outcome === "declined") {
        return signal.state === "completed"
          ? { ...unmoved, outcome: "accepted", moves: "strayed" }
          : { ...unmoved, resurfaced: true }
      }
      return { outcome: "accepted", moves: outcome === "accepted" ? null : "leaves", resurfaced: false }
  }
}

/** By the books, since what was to go back may have gone by another way before. */
const noteOf = (
  { attempt }: Known,
  { moves }: Fate,
  rest: ReadonlyArray<Money>,
  claimed: Money | undefined
): string | undefined => {
  const sum = returnedMoney(attempt).toString()
  const lacking = rest.filter(({ isNegative }) => isNegative)
  const isLacking = lacking.length > 0
  if (rest.length === 0) return undefined
  switch (moves) {
    case "comes back":
      if (claimed !== undefined && !isLacking) {
        return `${attempt.provider} could not give ${sum} back, and had taken ${claimed.toString()} of it by itself: ${sumOf(rest)} is held until an operator settles it.`
      }
      return isLacking
        ? `${attempt.provider} could not give ${sum} back, and more than that had gone before: an operator must settle who bears it.`
        : `${attempt.provider} could not give ${sum} back: it is held until an operator settles it.`
    case "strayed":
      return `${attempt.provider} gave ${sum} back after that had been given up: an operator must settle who bears it.`
    case "leaves":
      return isLacking
        ? `${attempt.provider} gave ${sum} back, of which ${sumOf(lacking)} had gone by another way before: an operator must settle who bears it.`
        : `${sum} went back; more than that came: the rest is held until an operator settles it.`
    case null:
      return undefined
  }
}

/** What other returns of the same money have taken along, by their providers' words. */
export const goneBesides = (attempts: ReadonlyArray<Attempt>, { attempt_id, of_attempt }: Attempt): bigint =>
  attempts
    .filter((one) => one.leg === "return" && one.of_attempt === of_attempt && one.attempt_id !== attempt_id)
    .filter(({ ordered, outcome }) => outcome === "accepted" && ordered === null)
    .reduce((sum, one) => sum + returnedMoney(one).minor, 0n)

/** One that was given up went as well: less what a person has found to be back, the refund has gone with the other. */
const isReplaced = ({ payment }: Known, about: AttemptId, money: Money, { besides = 0n }: Source): boolean =>
  besides + unmatchedIn(payment, { attempt_id: about }, money, "given").minor >= money.minor

/** What came back of a refund and goes again is that refund, and has failed with it where it comes back as well. */
const refundBy = (
  known: Known,
  about: AttemptId,
  money: Money,
  { moves }: Fate,
  { isClaimed, rest }: { readonly rest: ReadonlyArray<Money>; readonly isClaimed: boolean },
  source: Source,
  { at }: Moment
): { readonly before: Refund; readonly after: Refund & { readonly state: "completed" | "failed" } } | undefined => {
  const { payment } = known
  const before = payment.refunds.find(({ refund_id }) => refund_id === about)
  if (before === undefined || before.amount.minor !== money.minor) return undefined
  // What strayed has gone all the same, where it was still there to go.
  const goes = moves === "leaves" || (moves === "strayed" && rest.length === 0)
  if (goes && before.state === "failed") {
    return { before, after: { ...before, state: "completed", settled_at: at } }
  }
  // One that was made again by hand is not what comes back.
  if (moves !== "comes back" || before.state !== "completed" || before.again === true) return undefined
  if (isReplaced(known, about, money, source)) return undefined
  const missing = payment.status === "refunded" && !isClaimed ? { missing: true as const } : {}
  return { before, after: { ...before, ...missing, state: "failed", settled_at: at } }
}

export const returnChangeOf = (known: Known, signal: ProviderSignal, source: Source, moment: Moment): Ruled => {
  const { attempt, payment } = known
  const fate = fateOf(attempt, signal)
  const { moves, outcome, resurfaced } = fate
  const money = returnedMoney(attempt)
  const about = attempt.of_attempt ?? attempt.attempt_id
  // A provider may change its mind, and each time money moves: the version tells the times apart.
  const posted = (amount: Money) =>
    suspenseMoney({ ...attempt, attempt_id: about }, amount, `${moves} ${payment.version}`)
  // A person may have found it to be back before its provider says so.
  const { rest: back, ...matched } = moves === "comes back" ? strayedBack(payment, attempt, money) : { rest: money }
  const heard = { ...payment, ...matched }
  const claims = moves === "comes back" && back.isPositive ? claimsOn(heard, back, source) : undefined
  const [own, besides] = claims?.besides.about === about ? [claims.suspense, undefined] : [[], claims]
  const isMoved = moves !== null && !back.isZero
  const moved = isMoved ? [posted(moves === "comes back" ? back : money.negate())] : []
  const suspense = joined(moved, own)
  // What waits because of the attempt that had brought it.
  const rest = waitingAfter(suspense, source)
  const lacking = rest.filter(({ isNegative }) => isNegative)
  const strayed = moves === "strayed" ? withStrayed(payment, attempt, lacking) : {}
  const unmatched = { ...matched, ...strayed, ...claims?.unmatched }
  const refund = refundBy(known, about, money, fate, { rest, isClaimed: claims !== undefined }, source, moment)
  const refunds = refund === undefined ? payment.refunds : partsAfter(payment, [refund.after])
  const final = (signal._tag === "Report" || signal._tag === "Accepted") && signal.state === "completed"
  return assemble(
    known,
    signal,
    {
      status: statusAfter(payment, refunds),
      outcome,
      patch: { ...(refund === undefined ? {} : { refunds }), ...unmatched },
      ...(refund === undefined ? {} : { settledRefund: { ...refund.after, from: refund.before.state } }),
      waits: resurfaced || outcome === "unknown" || (outcome === "accepted" && !final),
      underWay: resurfaced || outcome === "accepted",
      suspense: [...suspense, ...(besides?.suspense ?? [])],
      besides: besides === undefined ? [] : [besides.besides],
      disputed: claims?.disputed,
      note: isMoved ? noteOf(known, fate, rest, own[0]?.amount.negate()) : undefined,
      // What its provider named and nobody can explain yet waits for a person all the same.
      cleared: isMoved && rest.length === 0 && !isRiddle({ ...payment, ...unmatched }, { attempt_id: about }),
      about,
      ...(isReturned(signal) && attempt.ordered === null
        ? { ordered: attempt.received, received: { [money.currency]: Money.zero(money.currency).toNumericText() } }
        : {}),
      changes: moves !== null
    },
    source,
    moment
  )
}
