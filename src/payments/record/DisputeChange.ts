/**
 * Rules, as a pure function, on money that a provider takes back in part, or gives back again: a dispute, and how it ended.
 * The payment itself stays what it is, and a person decides who bears what is gone.
 */
import { Money } from "../../domain/Money.ts"
import { isSettled } from "../../domain/PaymentStatus.ts"
import type { ProviderSignal } from "../../domain/Settlement.ts"
import type { Payment, Refund } from "../store/Payment.ts"
import type { Known } from "../store/PaymentStore.ts"
import { assemble, isReturned, type Moment, type Ruled, type Ruling, type Source } from "./Ruling.ts"
import {
  collects,
  isUnheardOf,
  isWhole,
  left,
  orderedBy,
  regainedIn,
  standing,
  stillHolds,
  takeable,
  takenIn,
  undisputed
} from "./Standing.ts"
import { isEven, noteOfBounced, noteOfGone, sentBackBefore, sumOf, waitingAfter } from "./TakenBack.ts"
import { saidOf, withoutOwnRefunds } from "./OwnRefunds.ts"
import {
  type Changes,
  foundBefore,
  givenBefore,
  isMatched,
  isRiddle,
  isToldBefore,
  regainedOf,
  unmatchedAfter,
  withoutRegained,
  withUnmatched
} from "./Unmatched.ts"
import type { Disputed } from "./PaymentEvents.ts"
import { partsAfter, statusAfter } from "./RefundDecision.ts"
import { type SuspenseMoney, suspenseMoney } from "../store/Change.ts"
import { isOver } from "./PaymentChange.ts"

/**
 * `unaccounted`: more was taken back than the provider has by the books; `unowed`: it gives back what it has not taken;
 * `offset`: it gives back what it took beyond the books; `met`: it took what it has given back before, or what a person had found to be gone; `worthless`: it took or gave nothing, or less; `known`: another
 * word has told of it; `again`: it took what had come back of a refund; `bounced`: it gave that back once more.
 */
export interface Dispute {
  readonly kind:
    | "part"
    | "regained"
    | "unaccounted"
    | "unowed"
    | "offset"
    | "met"
    | "worthless"
    | "known"
    | "again"
    | "bounced"
  readonly amount: Money
  /** What the provider says that it was, of which the amount is all that the books have a place for. */
  readonly said: Money
  /** Where it meets what it gave back before, or gives back: how that changes what stands unmatched. */
  readonly matches?: Changes
  /** Which has gone again, or come back again. */
  readonly refund?: Refund
}

const dispute = (kind: Dispute["kind"], amount: Money, said = amount): Dispute => ({ kind, amount, said })

export const isRegained = (signal: ProviderSignal): boolean => regainedIn(signal) !== undefined

/**
 * What there is to be given back. Why money was taken back stands with the attempt from the first time on; where it does
 * not, that word is still on its way, and meets this one when it comes.
 */
const lacking = (known: Known, source: Source, regained: Money): Money => {
  if (known.attempt.reason === null) return regained
  const minor = undisputed(known, regained) - standing(known, source, regained).minor
  const { currency } = regained
  return minor >= regained.minor ? regained : new Money({ currency, minor: minor > 0n ? minor : 0n })
}

/** So much was taken back before, and nobody has decided on it: another word about it is about the same money. */
const isWaitingFor = (known: Known, { waiting = [] }: Source, taken: Money): boolean =>
  waiting.some(({ money }) => {
    const gone = collects(known) ? money.negate() : money
    return gone.currency === taken.currency && gone.minor >= taken.minor
  })

/** What was given back before it was heard to be taken stays, and with it the payment. */
const goneBeforeRegained = (known: Known, signal: ProviderSignal, source: Source): Dispute | undefined => {
  const then = withoutRegained(known, signal, source)
  const ordered = orderedBy(known)
  if (standing(known, then, ordered).minor === standing(known, source, ordered).minor) return undefined
  const most = left(known, withoutOwnRefunds(known, signal, then), ordered)
  return most.isZero ? undefined : dispute("part", most)
}

const isTaker = ({ attempt }: Known): boolean => attempt.leg === "payment" && attempt.outcome === "accepted"

/** Where nothing is gone but refunds that were made again: one of them has not reached its payer this time either. */
const bouncedAgain = (known: Known, source: Source, regained: Money): Refund | undefined => {
  const again = known.payment.refunds.filter((part) => part.again === true && part.state === "completed")
  const gone = undisputed(known, regained) - standing(known, source, regained).minor
  const isAll = again.reduce((rest, { amount }) => rest - amount.minor, gone) === 0n
  return isTaker(known) && isAll && isEven([], source)
    ? again.findLast(({ amount }) => amount.currency === regained.currency && amount.minor === regained.minor)
    : undefined
}

/** It settles what was taken beyond the books before it brings anything to them. */
const regainedBy = (known: Known, source: Source, regained: Money): Dispute => {
  const { amount, found, matches, offset } = regainedOf(known, regained, (money) => lacking(known, source, money))
  const refund = amount.minor === regained.minor ? bouncedAgain(known, source, regained) : undefined
  if (refund !== undefined) return { kind: "bounced", amount, said: regained, matches, refund }
  if (!amount.isZero) return { kind: "regained", amount, said: regained, matches }
  if (found.minor === regained.minor && (source.waiting ?? []).length === 0) {
    return { kind: "known", amount: regained, said: regained, matches }
  }
  const kind = offset.minor < regained.minor ? "unowed" : "offset"
  return { kind, amount: regained, said: regained, matches }
}

/** What it gave back before anybody had heard that it was taken is no news when that word comes, and the rest is, unless a person found it. */
const takenAfterGiven = (known: Known, source: Source, taken: Money): Dispute | undefined => {
  const { currency } = taken
  const met = givenBefore(known, taken)
  const found = foundBefore(known, source, new Money({ currency, minor: taken.minor - met.minor }))
  if (met.isZero && found.isZero) return undefined
  const [rest, most] = [taken.minor - met.minor - found.minor, takeable(known, source, taken).minor]
  const amount = new Money({ currency, minor: rest < most ? rest : most })
  const beyond = new Money({ currency, minor: rest - amount.minor })
  const matches = { taken: [beyond], given: [met.negate()], found: [found.negate()] }
  if (!amount.isZero) return { kind: "part", amount, said: taken, matches }
  return rest === 0n
    ? { kind: "met", amount: taken, said: taken, matches }
    : { kind: "unaccounted", amount: new Money({ currency, minor: rest }), said: taken, matches }
}

/** A refund that came back, and that nobody has decided on: somebody makes it by hand at the provider. */
const refundedAgain = (known: Known, { others = [] }: Source, taken: Money): Dispute | undefined => {
  if (!isTaker(known)) return undefined
  const refund = known.payment.refunds.find(
    ({ amount, refund_id, state }) =>
      state === "failed" &&
      amount.currency === taken.currency &&
      amount.minor === taken.minor &&
      others.some(({ about, money }) => about === refund_id && money.minor === taken.minor)
  )
  return refund === undefined ? undefined : { ...dispute("again", taken), refund }
}

/**
 * What comes back after parts of it came: the rest is for a person too, since the whole would bring the parts a second
 * time. A payout takes them along where nobody has decided on them yet.
 */
const restIn = (known: Known, signal: ProviderSignal, source: Source): Dispute | undefined => {
  const { attempt, payment } = known
  const isBack = isReturned(signal) && payment.status === "completed" && attempt.outcome !== "declined"
  if (!isBack) return undefined
  if (collects(known)) return goneBeforeRegained(known, signal, source)
  const before = sentBackBefore(known, source)
  const goesAlong = attempt.leg === "payment" && isWaitingFor(known, source, before)
  if (!before.isPositive || goesAlong) return undefined
  const most = left(known, source, before)
  return most.isZero ? dispute("unaccounted", before) : dispute("part", most)
}

/** A part of what nobody has heard of yet: the word that the whole came, or was paid, is still on its way. */
const isEarlyPart = (known: Known, source: Source, taken: Money): boolean => {
  const ordered = orderedBy(known)
  return (
    isUnheardOf(known) &&
    known.attempt.outcome !== "declined" &&
    taken.currency === ordered.currency &&
    taken.minor - standing(known, source, taken).minor < ordered.minor
  )
}

/** Nothing where it is about all that the provider has, or where nothing had been completed yet. */
export const disputeIn = (known: Known, signal: ProviderSignal, source: Source): Dispute | undefined => {
  const [taken, regained] = [takenIn(signal), regainedIn(signal)]
  const named = regained ?? taken
  if (named !== undefined && !named.isPositive) return dispute("worthless", named)
  if (taken !== undefined && isToldBefore(known, signal, source)) return dispute("known", taken)
  if (regained !== undefined) return regainedBy(known, source, regained)
  const met = taken === undefined ? undefined : takenAfterGiven(known, source, taken)
  if (met !== undefined) return met
  const again = taken === undefined ? undefined : refundedAgain(known, source, taken)
  if (again !== undefined) return again
  const rest = restIn(known, signal, source)
  if (taken === undefined) return rest
  if (isEarlyPart(known, source, taken)) return dispute("part", taken)
  const most = left(known, source, taken)
  if (most.isZero) {
    // What is not its currency cannot be all that it has, of which more may come.
    const isForeign = taken.currency !== orderedBy(known).currency
    const isNews = (isForeign || isSettled(known.payment.status)) && !isMatched(known, taken)
    return isNews ? dispute("unaccounted", taken) : rest
  }
  return taken.minor < most.minor ? dispute("part", taken) : rest
}

/** All that is there is booked as taken back, and no more: what the provider says besides stands on the record. */
export const withExcess = (known: Known, signal: ProviderSignal, source: Source): Source => {
  const taken = takenIn(signal)
  const most = taken === undefined ? undefined : left(known, source, taken)
  if (taken === undefined || most === undefined || most.isZero || taken.minor === most.minor) return source
  const { provider } = known.attempt
  return {
    ...source,
    note: `${provider} says that it took ${taken.toString()} back, of which the books have ${most.toString()} there.`
  }
}

const suspenseOf = (known: Known, { amount, kind, refund }: Dispute): ReadonlyArray<SuspenseMoney> => {
  if (refund !== undefined) {
    const bounced = { ...known.attempt, attempt_id: refund.refund_id }
    return [suspenseMoney(bounced, kind === "again" ? amount.negate() : amount, `${kind} ${known.payment.version}`)]
  }
  if (kind !== "part" && kind !== "regained") return []
  const comes = (kind === "regained") === collects(known)
  const occasion = `${kind} ${amount.currency} ${known.payment.version}`
  return [suspenseMoney(known.attempt, comes ? amount : amount.negate(), occasion)]
}

/** Not all that was taken may have come back, and more may have, or other money may wait besides. */
const waitingWords = (known: Known, waiting: ReadonlyArray<Money>, { currency }: Money): string => {
  const [still] = waiting.filter(({ isNegative }) => isNegative === collects(known))
  const sum = still?.isNegative === true ? still.negate() : still
  if (sum === undefined) {
    return waiting.some((money) => money.currency === currency)
      ? "it is held until an operator settles it."
      : `${sumOf(waiting)} that came besides are held until an operator settles it.`
  }
  return collects(known)
    ? `${sum.toString()} are still gone, and an operator must settle who bears them.`
    : `${sum.toString()} that had come back are still held until an operator settles it.`
}

/** Where nothing of it waits: whether anybody must look nevertheless. */
const wordsOfEven = (known: Known, source: Source, over: boolean): string => {
  if (over) return "nothing is left to settle."
  return stillHolds(known, source)
    ? "what was collected is held until an operator gives it back."
    : "an operator must settle what else it has named."
}

/** One item of the queue stands for all of it. */
const besides = ({ waiting = [] }: Source): string =>
  waiting.length === 0 ? "" : `, besides ${sumOf(waiting.map(({ money }) => money))} that wait already`

const noteOf = (
  known: Known,
  { amount, kind, said }: Dispute,
  signal: ProviderSignal,
  suspense: ReadonlyArray<SuspenseMoney>,
  source: Source,
  over: boolean
): string | undefined => {
  const { payment } = known
  const even = isEven(suspense, source)
  const rest = even ? wordsOfEven(known, source, over) : waitingWords(known, waitingAfter(suspense, source), amount)
  const { provider } = known.attempt
  const sum = amount.toString()
  const given =
    said.minor === amount.minor
      ? `${provider} gave ${sum} back, which it had taken`
      : `${provider} gave ${said.toString()} back, of which the books lacked ${sum}`
  switch (kind) {
    case "part":
      return even
        ? `${provider} has given or taken ${sum} back, which nobody had decided on yet.`
        : noteOfGone(known, suspense, source)
    case "unaccounted":
      return `${provider} says that it took ${sum} back, which the books do not have there${besides(source)}: an operator must settle it.`
    case "offset":
      return `${provider} gave ${sum} back, as much as it had taken beyond the books, or as a person had found to be back: ${rest}`
    case "unowed":
      return `${provider} says that it gave ${sum} back, which the books do not lack there: an operator must settle it.`
    case "met":
      return `${provider} took ${sum} back, which it had given back before that was heard of, or a person had found to be gone.`
    case "worthless":
      return `${provider} says that it ${isRegained(signal) ? "gave" : "took"} ${sum} back, which is no money: an operator must find out what it did.`
    case "known":
    case "bounced":
      return undefined
    case "again":
      return `${provider} took ${sum} back, as much as had come back of a refund, which has gone with it.`
    case "regained":
      return over && payment.status === "refunded"
        ? `${given}: the payment has its money, though it stays refunded.`
        : `${given}: ${rest}`
  }
}

/** What no money moved by is for operators alone. */
const disputedIn = ({ amount, kind }: Dispute): Disputed | undefined => {
  switch (kind) {
    case "part":
      return { kind: "returned", amount }
    case "regained":
      return { kind, amount }
    default:
      return undefined
  }
}

const unmatchedBy = (known: Known, signal: ProviderSignal, { amount, kind, matches }: Dispute, source: Source) => {
  const { attempt, payment } = known
  if (matches !== undefined) return unmatchedAfter(payment, attempt, matches)
  if (kind === "worthless" || kind === "known" || kind === "again" || (isWhole(signal) && kind !== "part")) return {}
  if (isWhole(signal)) {
    return unmatchedAfter(payment, attempt, { taken: [amount.negate()], said: saidOf(known, signal, source) })
  }
  const taken = takenIn(signal)
  if (taken === undefined || isEarlyPart(known, source, taken)) return {}
  const { unmatched } = withUnmatched(known, signal, source)
  return unmatched === undefined ? {} : { unmatched }
}

/** Refunds that went although nothing was there for them by the books, which they have now. */
const excessiveBefore = (known: Known, { amount, kind }: Dispute, source: Source): ReadonlyArray<Refund> => {
  const { minor } = standing(known, source, amount)
  if (kind !== "regained" || minor >= 0n || minor + amount.minor < 0n) return []
  const { others = [] } = source
  return known.payment.refunds.filter(
    ({ refund_id, state }) => state === "completed" && !others.some(({ about }) => about === refund_id)
  )
}

/** As a refund is once its money has gone again, or has come back again. */
const settledBy = (
  { status }: Payment,
  { kind, refund }: Dispute,
  { at }: Moment
): (Refund & { readonly state: "completed" | "failed" }) | undefined => {
  if (refund === undefined) return undefined
  if (kind === "again") return { ...refund, state: "completed", again: true, settled_at: at }
  const { again: _, ...part } = refund
  return { ...part, state: "failed", settled_at: at, ...(status === "refunded" ? { missing: true } : {}) }
}

/** A refund may have been made again although something else had taken its money: whatever explains that is to be found. */
const noteOfLacking = (known: Known, { amount }: Dispute, source: Source): string | undefined => {
  const { currency, minor } = standing(known, source, amount)
  if (minor >= amount.minor) return undefined
  const lacking = new Money({ currency, minor: amount.minor - minor })
  return `${known.attempt.provider} took ${amount.toString()} back for a refund that had come back, and the books lack ${lacking.toString()} there now: an operator must settle it.`
}

/** What it means for the items of refunds. */
const besidesOf = (known: Known, dispute: Dispute, source: Source): NonNullable<Ruling["besides"]> => {
  const { kind, refund } = dispute
  if (refund === undefined) {
    return excessiveBefore(known, dispute, source).map(({ refund_id }) => ({ about: refund_id, note: undefined }))
  }
  const note = kind === "again" ? noteOfLacking(known, dispute, source) : noteOfBounced(known.attempt, refund)
  return [{ about: refund.refund_id, note }]
}

/** What was collected for a ramp has come, while the ramp waits for whoever settles it. */
const isAwaited = ({ attempt, payment }: Known): boolean =>
  !isOver(payment.status) && (attempt.leg !== "collection" || payment.ramp?.collected === null)

export const disputeChangeOf = (
  known: Known,
  signal: ProviderSignal,
  dispute: Dispute,
  source: Source,
  moment: Moment
): Ruled => {
  const { attempt, payment } = known
  const suspense = suspenseOf(known, dispute)
  const { refund } = dispute
  const settled = settledBy(payment, dispute, moment)
  const refunds = settled && partsAfter(payment, [settled])
  const patch = { ...unmatchedBy(known, signal, dispute, source), ...(refunds && { refunds }) }
  const isMet = dispute.kind === "met" || refund !== undefined
  const even = (isMet || dispute.kind === "offset" || suspense.length > 0) && isEven(refund ? [] : suspense, source)
  // Whoever was told that it is refunded reads on the record, and hears by the event, that its money is there again.
  const over = even && !stillHolds(known, source) && !isRiddle({ ...payment, ...patch }, attempt)
  // What waits already waits as it did.
  const isQuiet = over || isMet
  const note = noteOf(known, dispute, signal, suspense, source, over)
  // Nobody asks sooner or later for it what became of the payment itself.
  return assemble(
    known,
    signal,
    {
      status: refunds === undefined ? payment.status : statusAfter(payment, refunds),
      outcome: attempt.outcome,
      patch,
      waits: attempt.outcome !== "declined" && isAwaited(known),
      underWay: attempt.outcome === "accepted" && isAwaited(known) && payment.status === "processing",
      suspense,
      note: isQuiet ? undefined : note,
      cleared: over,
      disputed: disputedIn(dispute),
      ...(refund && settled ? { settledRefund: { ...settled, from: refund.state } } : {}),
      besides: besidesOf(known, dispute, source),
      changes: suspense.length > 0
    },
    {
      ...source,
      ...(isQuiet && note !== undefined ? { note } : {}),
      ...(source.callback === undefined ? {} : { hinted: true })
    },
    moment
  )
}
