/**
 * What a provider has named of money that it took back, beside what the books took. It may take before anybody hears that
 * it gave back what it had taken before, more than the books have there, or without a sum that it names later.
 */
import { Money } from "../../domain/Money.ts"
import { isSettled } from "../../domain/PaymentStatus.ts"
import { totalIn } from "../../domain/Received.ts"
import type { ProviderSignal } from "../../domain/Settlement.ts"
import type { Attempt, Payment, Unmatched } from "../store/Payment.ts"
import type { Known } from "../store/PaymentStore.ts"
import { isUnheardOf, isWhole, left, orderedBy, standing, takenIn, undisputed } from "./Standing.ts"
import type { Source } from "./Ruling.ts"

const unmatchedIn = (
  { unmatched }: Payment,
  { attempt_id }: Pick<Attempt, "attempt_id">,
  of: Pick<Money, "currency">
) => totalIn(unmatched?.[attempt_id] ?? {}, of.currency)

/** What the provider has named beyond what the books took. */
export const beyond = (payment: Payment, attempt: Pick<Attempt, "attempt_id">, of: Pick<Money, "currency">): Money => {
  const unmatched = unmatchedIn(payment, attempt, of)
  return unmatched.isPositive ? unmatched : Money.zero(of.currency)
}

/** Nothing where nothing changes. */
export const unmatchedAfter = (
  payment: Payment,
  attempt: Pick<Attempt, "attempt_id">,
  changes: ReadonlyArray<Money>
): { readonly unmatched?: Unmatched | null } => {
  const news = changes.filter(({ isZero }) => !isZero)
  if (news.length === 0) return {}
  const { attempt_id } = attempt
  const { [attempt_id]: mine = {}, ...others } = payment.unmatched ?? {}
  const now = news.reduce<Record<string, string>>(
    (all, { currency, minor }) => {
      const total = new Money({ currency, minor: unmatchedIn(payment, attempt, { currency }).minor + minor })
      const { [currency]: _, ...rest } = all
      return total.isZero ? rest : { ...rest, [currency]: total.toNumericText() }
    },
    { ...mine }
  )
  const after = Object.keys(now).length === 0 ? others : { ...others, [attempt_id]: now }
  return { unmatched: Object.keys(after).length === 0 ? null : after }
}

const least = (one: bigint, other: bigint): bigint => (one < other ? one : other)

/** What it gives back settles first what it named beyond the books; what the books took without a sum is undone with it. */
export const regainedOf = (known: Known, regained: Money, lacking: (money: Money) => Money) => {
  const { currency } = regained
  const { minor: before } = unmatchedIn(known.payment, known.attempt, regained)
  const offset = before > 0n ? least(before, regained.minor) : 0n
  const amount = lacking(new Money({ currency, minor: regained.minor - offset }))
  const minor = before < 0n ? least(amount.minor, -before) : -offset
  return { amount, offset: new Money({ currency, minor: offset }), change: new Money({ currency, minor }) }
}

/** What it names is what the books take, or what they took before without a sum; the rest is beyond them. */
const namedOf = (known: Known, source: Source, taken: Money): Money => {
  const most = left(known, source, taken)
  const { currency, minor } = taken
  if (most.isZero) return isSettled(known.payment.status) ? taken : most
  return new Money({ currency, minor: minor > most.minor ? minor - most.minor : 0n })
}

/** Whether all that it has named by then is no more than what the books took. */
export const isMatched = ({ attempt, payment }: Known, taken: Money): boolean =>
  unmatchedIn(payment, attempt, taken).minor + taken.minor <= 0n

/** What the books take by a word that names no sum. */
const unnamedOf = (known: Known, source: Source): ReadonlyArray<Money> => {
  const ordered = orderedBy(known)
  const isNews = isUnheardOf(known)
  const currencies = new Set([
    ...(isNews ? [ordered.currency] : []),
    ...(source.there ?? []).map((one) => one.currency)
  ])
  return Array.from(currencies, (currency) => {
    const { minor } = standing(known, source, { currency })
    const came = isNews && currency === ordered.currency ? ordered.minor : 0n
    const gone = minor + came
    return new Money({ currency, minor: gone > 0n ? -gone : 0n })
  })
}

/**
 * What was given back before anybody had heard that it was taken: the word of that comes later, and is about other money,
 * which it leaves there.
 */
const regainedEarly = (known: Known, source: Source, of: Pick<Money, "currency">): bigint => {
  if (known.attempt.reason !== null) return 0n
  const more = standing(known, source, of).minor - undisputed(known, of)
  return more > 0n ? more : 0n
}

/** What a word that names no sum takes is what was there before. */
export const withoutRegained = (known: Known, signal: ProviderSignal, source: Source): Source => {
  if (!isWhole(signal) || source.there === undefined) return source
  const there = source.there.flatMap((money) => {
    const early = regainedEarly(known, source, money)
    const sign = money.isNegative ? -1n : 1n
    const rest = new Money({ currency: money.currency, minor: money.minor - sign * early })
    return rest.isZero ? [] : [rest]
  })
  return { ...source, there }
}

/** Of a word that moves what is there: what it leaves unmatched, to be written with it. */
export const withUnmatched = (known: Known, signal: ProviderSignal, source: Source): Source => {
  const { attempt, payment } = known
  const taken = takenIn(signal)
  if (taken !== undefined) return { ...source, ...unmatchedAfter(payment, attempt, [namedOf(known, source, taken)]) }
  return isWhole(signal) ? { ...source, ...unmatchedAfter(payment, attempt, unnamedOf(known, source)) } : source
}
