/** What a word about money that a provider takes back in part, or gives back again, is about by the books. Pure. */
import { Money } from "../../domain/Money.ts"
import { isSettled } from "../../domain/PaymentStatus.ts"
import { type Received, withTotal } from "../../domain/Received.ts"
import { ownsMoney, type ProviderSignal } from "../../domain/Settlement.ts"
import type { Refund } from "../store/Payment.ts"
import type { Known } from "../store/PaymentStore.ts"
import { withoutOwnRefunds } from "./OwnRefunds.ts"
import { isReturned, type Source } from "./Ruling.ts"
import {
  broughtBy,
  collects,
  isUnheardOf,
  left,
  orderedBy,
  regainedIn,
  standing,
  takeable,
  takenIn,
  undisputed
} from "./Standing.ts"
import { isEven, sentBackBefore } from "./TakenBack.ts"
import {
  type Changes,
  foundBefore,
  givenBefore,
  isMatched,
  isToldBefore,
  regainedOf,
  unmatchedIn,
  withoutRegained
} from "./Unmatched.ts"

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
  /** What the attempt has brought, where what is given back shows that it was more than anybody had heard of. */
  readonly received?: Received
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

/**
 * Where all of it went before anybody had heard how much that was: what comes back shows how much more it was, and that the
 * books took without a sum, or as far as it was named beyond them.
 */
const unheardIn = (known: Known, source: Source, regained: Money): Money => {
  const { attempt, payment } = known
  const { currency } = regained
  const wentBack = attempt.outcome === "accepted" && attempt.reason !== null && isSettled(payment.status)
  const isHeard =
    ownsMoney({ status: payment.status, outcome: attempt.outcome }) || typeof payment.ramp?.collected === "string"
  const isAll = collects(known) && wentBack && !isHeard && standing(known, source, regained).isZero
  const more = regained.minor - broughtBy(known, regained)
  if (!isAll || more <= 0n) return Money.zero(currency)
  const named = unmatchedIn(payment, attempt, regained)
  return named.isNegative || named.minor > more ? new Money({ currency, minor: more }) : named
}

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
const regainedBy = (before: Known, source: Source, regained: Money): Dispute => {
  const unheard = unheardIn(before, source, regained)
  const came = new Money({ ...unheard, minor: broughtBy(before, unheard) + unheard.minor })
  const received = unheard.isZero ? undefined : withTotal(before.attempt.received, came)
  const known = received === undefined ? before : { ...before, attempt: { ...before.attempt, received } }
  const { amount, found, matches, offset } = regainedOf(known, regained, unheard, (money) =>
    lacking(known, source, money)
  )
  const about = { said: regained, matches, ...(received === undefined ? {} : { received }) }
  const refund = amount.minor === regained.minor ? bouncedAgain(known, source, regained) : undefined
  if (refund !== undefined) return { kind: "bounced", amount, refund, ...about }
  if (!amount.isZero) return { kind: "regained", amount, ...about }
  if (found.minor === regained.minor && (source.waiting ?? []).length === 0) {
    return { kind: "known", amount: regained, ...about }
  }
  return { kind: offset.minor < regained.minor ? "unowed" : "offset", amount: regained, ...about }
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
export const isEarlyPart = (known: Known, source: Source, taken: Money): boolean => {
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
