/**
 * What a provider has named of money that it took and gave back, beside what the books took and had back. It may take
 * before anybody hears that it gave back what it had taken before, more than the books have there, or without a sum that it
 * names later; and a person may know sooner than it says that it gave or took back.
 */
import { Money } from "../../domain/Money.ts"
import { totalIn, totals } from "../../domain/Received.ts"
import type { ProviderSignal } from "../../domain/Settlement.ts"
import type { Attempt, Payment, Unmatched } from "../store/Payment.ts"
import type { AtProvider } from "../../money/ledger/LedgerStore.ts"
import type { Known } from "../store/PaymentStore.ts"
import {
  collects,
  isOwned,
  isUnheardOf,
  isWhole,
  orderedBy,
  standing,
  takeable,
  takenIn,
  takerAmong,
  undisputed
} from "./Standing.ts"
import { reasonOf, type Source } from "./Ruling.ts"

const least = (one: bigint, other: bigint): bigint => (one < other ? one : other)

const kinds = ["taken", "given", "found", "said", "strayed", "back"] as const
type Which = (typeof kinds)[number]

/** Of each currency there is one sum at most. */
export type Changes = Partial<Readonly<Record<Which, ReadonlyArray<Money>>>>

interface Named {
  readonly attempt_id: string
}

const keyOf = ({ attempt_id }: Named, which: Which): string =>
  which === "taken" ? attempt_id : `${which} ${attempt_id}`

export const unmatchedIn = (
  { unmatched }: Payment,
  attempt: Named,
  of: Pick<Money, "currency">,
  which: Which = "taken"
) => totalIn(unmatched?.[keyOf(attempt, which)] ?? {}, of.currency)

/** What the provider has named beyond what the books took. */
export const beyond = (payment: Payment, attempt: Named, of: Pick<Money, "currency">): Money => {
  const unmatched = unmatchedIn(payment, attempt, of)
  return unmatched.isPositive ? unmatched : Money.zero(of.currency)
}

/** Of what it has named beyond the books: what they take now that so much more is there. */
export const claimedOf = (payment: Payment, attempt: Named, more: Money): Money => {
  const named = beyond(payment, attempt, more)
  if (!more.isPositive) return Money.zero(more.currency)
  return named.minor < more.minor ? named : more
}

/** Of what it has named beyond the books: what refunds of ours had given back already, which has left twice. */
export const goneTwice = (payment: Payment, attempt: Attempt): Money => {
  const { amount, refunds } = payment
  const given = refunds.filter(({ again, state }) => state === "completed" && again !== true)
  const minor = given.reduce((sum, part) => sum + part.amount.minor, 0n)
  return collects({ payment, attempt }) && isOwned({ payment, attempt })
    ? claimedOf(payment, attempt, new Money({ currency: amount.currency, minor }))
    : Money.zero(amount.currency)
}

/** What it has said to have gone back, without a sum, and the books leave to refunds of ours that were on their way. */
export const saidIn = (payment: Payment, attempt: Named): Money => unmatchedIn(payment, attempt, payment.amount, "said")

const saidKey = keyOf({ attempt_id: "" }, "said")

/** One of those refunds has ended. */
export const withoutSaid = (payment: Payment, amount: Money): { readonly unmatched?: Unmatched | null } => {
  const key = Object.keys(payment.unmatched ?? {}).find((one) => one.startsWith(saidKey))
  if (key === undefined) return {}
  const attempt = { attempt_id: key.slice(saidKey.length) }
  const { currency, minor } = saidIn(payment, attempt)
  return unmatchedAfter(payment, attempt, { said: [new Money({ currency, minor: -least(minor, amount.minor) })] })
}

/** It has named what the books know nothing of, and a word that explains it may be on its way. */
export const isRiddle = (payment: Payment, attempt: Named): boolean =>
  (["taken", "given"] as const).some((which) =>
    totals(payment.unmatched?.[keyOf(attempt, which)] ?? {}).some(({ isPositive }) => isPositive)
  )

const withChanges = (
  payment: Payment,
  attempt: Named,
  changes: ReadonlyArray<Money>,
  which: Which
): Unmatched | null => {
  const key = keyOf(attempt, which)
  const { [key]: mine = {}, ...others } = payment.unmatched ?? {}
  const now = changes.reduce<Record<string, string>>(
    (all, { currency, minor }) => {
      const total = new Money({ currency, minor: unmatchedIn(payment, attempt, { currency }, which).minor + minor })
      const { [currency]: _, ...rest } = all
      return total.isZero ? rest : { ...rest, [currency]: total.toNumericText() }
    },
    { ...mine }
  )
  const after = Object.keys(now).length === 0 ? others : { ...others, [key]: now }
  return Object.keys(after).length === 0 ? null : after
}

/** Nothing where nothing changes. */
export const unmatchedAfter = (
  payment: Payment,
  attempt: Named,
  changes: Changes
): { readonly unmatched?: Unmatched | null } => {
  const after = kinds.reduce<Payment>((before, which) => {
    const news = (changes[which] ?? []).filter(({ isZero }) => !isZero)
    return news.length === 0 ? before : { ...before, unmatched: withChanges(before, attempt, news, which) }
  }, payment)
  return after === payment ? {} : { unmatched: after.unmatched }
}

/**
 * Another kind of word has told of it, as its first word that money went back shows: a dispute, and the refund that it led
 * to, come to the same sum.
 */
export const isToldBefore = (known: Known, signal: ProviderSignal, source: Source): boolean => {
  const { attempt, payment } = known
  const all = signal._tag === "Report" ? signal.takenInAll : undefined
  if (all === undefined || attempt.reason === null || attempt.reason === reasonOf(signal)) return false
  const gone = undisputed(known, all) - standing(known, source, all).minor
  return gone + beyond(payment, attempt, all).minor === all.minor
}

/**
 * What it gives back settles first what it named beyond the books, and what a person has found to be back already; what
 * the books took without a sum is undone with it. What is left when the books lack nothing any more was taken by a word
 * that is still on its way. What it took beyond the books of money that nobody had heard of is no riddle any more.
 */
export const regainedOf = (known: Known, regained: Money, unheard: Money, lacking: (money: Money) => Money) => {
  const { attempt, payment } = known
  const money = (minor: bigint) => new Money({ currency: regained.currency, minor })
  const { minor: named } = unmatchedIn(payment, attempt, regained)
  const explained = named > 0n ? unheard.minor : 0n
  const before = named - explained
  const { minor: given } = unmatchedIn(payment, attempt, regained, "given")
  const offset = before > 0n ? least(before, regained.minor) : 0n
  const found = given < 0n ? least(-given, regained.minor - offset) : 0n
  const amount = lacking(money(regained.minor - offset - found))
  const early = regained.minor - offset - found - amount.minor
  return {
    amount,
    found: money(found),
    offset: money(offset + found),
    matches: {
      taken: [money((before < 0n ? least(amount.minor, -before) : -offset) - explained)],
      given: [money(found + early)]
    }
  }
}

/** Of what it takes: what it has given back before. */
export const givenBefore = ({ attempt, payment }: Known, taken: Money): Money => {
  const given = unmatchedIn(payment, attempt, taken, "given")
  if (!given.isPositive) return Money.zero(taken.currency)
  return given.minor < taken.minor ? given : taken
}

/** What it names is what the books take, or what they took before without a sum; the rest is beyond them. */
const namedOf = (known: Known, source: Source, taken: Money): Money => {
  const { minor: most } = takeable(known, source, taken)
  const { currency, minor } = taken
  return new Money({ currency, minor: minor > most ? minor - most : 0n })
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
  if (taken !== undefined)
    return { ...source, ...unmatchedAfter(payment, attempt, { taken: [namedOf(known, source, taken)] }) }
  return isWhole(signal)
    ? { ...source, ...unmatchedAfter(payment, attempt, { taken: unnamedOf(known, source) }) }
    : source
}

/**
 * Of what it takes: what a person has found to be gone, as one who gives it back there by hand does. More than that is
 * other money, as far as there is any.
 */
export const foundBefore = (known: Known, source: Source, taken: Money): Money => {
  const { minor: found } = unmatchedIn(known.payment, known.attempt, taken, "found")
  const { minor: most } = takeable(known, source, taken)
  const lacking = taken.minor > most ? taken.minor - most : 0n
  return new Money({ currency: taken.currency, minor: found >= taken.minor ? taken.minor : least(found, lacking) })
}

interface Found {
  readonly attempt: Attempt
  readonly money: Money
}

/** Whose attempt its provider speaks of: what comes back of a refund, and goes again by hand, goes from the payment itself. */
const spokenOf = ({ attempt, money }: Found, attempts: ReadonlyArray<Attempt>): Attempt | undefined =>
  attempt.leg !== "refund" || money.isNegative ? attempt : takerAmong(attempts, attempt)

const less = (money: Money, by: bigint): Money => new Money({ currency: money.currency, minor: money.minor - by })

/** The same, once so much of it has gone from where the attempt brought it. */
const without = (there: ReadonlyArray<AtProvider>, { account, provider }: Attempt, gone: Money) =>
  there.map((one) =>
    one.provider === provider && one.account === account && one.money.currency === gone.currency
      ? { ...one, money: less(one.money, gone.minor) }
      : one
  )

/**
 * What is gone of it is what its provider gave back by words that came before those that it was taken by: whatever they
 * name, they are about that. The rest it may name by a word of its own.
 */
const foundGone = (payment: Payment, attempt: Attempt, gone: Money, all: ReadonlyArray<AtProvider>): Changes => {
  const known = { payment, attempt }
  const mine = all.filter(({ account, provider }) => provider === attempt.provider && account === attempt.account)
  const { minor } = standing(known, { there: mine.map(({ money }) => money) }, gone)
  const more = minor - undisputed(known, gone)
  const early = least(more > 0n ? more : 0n, gone.minor)
  return { given: [new Money({ currency: gone.currency, minor: early })], found: [less(gone, early)] }
}

/** What a person has found to be back at its provider, or to be gone from it again, which it may say later. */
export const withFound = (
  payment: Payment,
  found: ReadonlyArray<Found>,
  attempts: ReadonlyArray<Attempt>,
  there: ReadonlyArray<AtProvider>
): { readonly unmatched?: Unmatched | null } => {
  const before = { payment, there }
  const after = found.reduce((now, one) => {
    const attempt = spokenOf(one, attempts)
    if (attempt === undefined) return now
    const sum = one.money.isNegative ? one.money.negate() : one.money
    const isBack = attempt.leg === "refund" || one.money.isNegative === collects({ attempt, payment })
    const isToBeSaid = attempt.leg === "refund" || attempt.reason !== null
    if (isBack && !isToBeSaid) return now
    const changes = isBack ? { given: [sum.negate()] } : foundGone(now.payment, attempt, sum, now.there)
    return {
      payment: { ...now.payment, ...unmatchedAfter(now.payment, attempt, changes) },
      there: isBack ? now.there : without(now.there, attempt, sum)
    }
  }, before)
  return after === before ? {} : { unmatched: after.payment.unmatched }
}

/** A return went although it was given up, and its money was somewhere else by then: a person will say who bears it. */
export const withStrayed = (payment: Payment, attempt: Attempt, lacking: ReadonlyArray<Money>) =>
  unmatchedAfter(payment, attempt, { strayed: lacking.map((money) => money.negate()) })

const lesser = (one: Money, other: Money): Money => (one.minor < other.minor ? one : other)

/** A person has said of so much that is lacking who bears it, or that its provider has it back, which it may still say. */
export const withStrayedSettled = (
  payment: Payment,
  returns: ReadonlyArray<Attempt>,
  lacking: ReadonlyArray<Money>,
  isBack: boolean
): Payment =>
  returns.reduce(
    ({ left, now }, attempt) => {
      const settled = left.map((money) => lesser(money.negate(), unmatchedIn(now, attempt, money, "strayed")))
      const changes = { strayed: settled.map((money) => money.negate()), ...(isBack ? { back: settled } : {}) }
      return {
        now: { ...now, ...unmatchedAfter(now, attempt, changes) },
        left: left.map((money, nth) => less(money, -settled[nth]!.minor))
      }
    },
    { now: payment, left: lacking }
  ).now

/** Of a return that comes back: what a person has not found to be back already. */
export const strayedBack = (payment: Payment, attempt: Attempt, money: Money) => {
  const known = lesser(money, unmatchedIn(payment, attempt, money, "back"))
  const rest = less(money, known.minor)
  const strayed = lesser(rest, unmatchedIn(payment, attempt, money, "strayed"))
  return { rest, ...unmatchedAfter(payment, attempt, { back: [known.negate()], strayed: [strayed.negate()] }) }
}

/** Of a refund that comes back: what a person has found to be back already. */
export const isFoundBack = ({ attempt, payment }: Known, amount: Money): boolean =>
  unmatchedIn(payment, attempt, amount, "given").minor <= -amount.minor
