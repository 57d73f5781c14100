/** What a provider takes back of what it collected, or has back of what it paid: by the books, and not by what was assumed. */
import { Money } from "../../domain/Money.ts"
import { difference, type Received } from "../../domain/Received.ts"
import type { ProviderSignal } from "../../domain/Settlement.ts"
import { type SuspenseMoney, suspenseMoney } from "../store/Change.ts"
import type { Attempt, Refund } from "../store/Payment.ts"
import type { Known } from "../store/PaymentStore.ts"
import type { Source } from "./Ruling.ts"
import { collects, isUnheardOf, orderedBy } from "./Standing.ts"

/**
 * What leaves suspense, or is lacking there, when a provider takes back what it collected, and what comes to it when it
 * has back what it paid: all that the books say it has, and no more, however much of it went before. Where parts went back
 * before the whole was heard of, those are made good: they are part of what is back.
 */
export const goneFrom = (known: Known, { there = [] }: Source): ReadonlyArray<SuspenseMoney> =>
  there
    .filter(
      (money) =>
        (collects(known) ? money.isPositive : money.isNegative) ||
        (isUnheardOf(known) && money.currency === orderedBy(known).currency)
    )
    .map((money) =>
      suspenseMoney(known.attempt, money.negate(), `taken back ${money.currency} ${known.payment.version}`)
    )

/** What has come back of what an attempt paid out, in parts and by the books: the whole would bring it a second time. */
export const sentBackBefore = (known: Known, { there }: Source): Money => {
  const paid = orderedBy(known)
  const out = there?.find(({ currency }) => currency === paid.currency)?.minor ?? 0n
  return there === undefined
    ? Money.zero(paid.currency)
    : new Money({ currency: paid.currency, minor: paid.minor + out })
}

/**
 * Its provider had said that it went back, before anybody had heard that it came, and speaks under another id of its own
 * now: that is other money.
 */
const isOtherMoney = ({ attempt }: Known, signal: ProviderSignal, { there = [], waiting = [] }: Source): boolean =>
  (signal._tag === "Accepted" || signal._tag === "Report") &&
  signal.state === "completed" &&
  signal.providerPaymentId !== null &&
  attempt.provider_payment_id !== null &&
  signal.providerPaymentId !== attempt.provider_payment_id &&
  attempt.reason !== null &&
  Object.keys(attempt.received).length > 0 &&
  there.length + waiting.length === 0

/** What its provider has said so far that it has, of the money that it speaks of now. */
export const heardBefore = (known: Known, signal: ProviderSignal, source: Source): Received =>
  isOtherMoney(known, signal, source) ? {} : known.attempt.received

/** Both, as one sum for each currency. */
export const joined = (
  moved: ReadonlyArray<SuspenseMoney>,
  more: ReadonlyArray<SuspenseMoney>
): ReadonlyArray<SuspenseMoney> => {
  const isOf = (one: SuspenseMoney) => (other: SuspenseMoney) => one.amount.currency === other.amount.currency
  const added = moved.map((one) => {
    const { currency, minor } = one.amount
    return { ...one, amount: new Money({ currency, minor: minor + (more.find(isOf(one))?.amount.minor ?? 0n) }) }
  })
  return [...added, ...more.filter((one) => !moved.some(isOf(one)))].filter(({ amount }) => !amount.isZero)
}

/** What waits because of the attempt once this has moved too. Of both there is one sum for each currency. */
export const waitingAfter = (moved: ReadonlyArray<SuspenseMoney>, { waiting = [] }: Source): ReadonlyArray<Money> =>
  difference(
    moved.map(({ amount }) => amount.negate()),
    waiting.map(({ money }) => money)
  )

/** Whether nothing waits any more once it has gone. */
export const isEven = (gone: ReadonlyArray<SuspenseMoney>, source: Source): boolean =>
  waitingAfter(gone, source).length === 0

export const sumOf = (all: ReadonlyArray<Money>): string =>
  all.map((money) => (money.isNegative ? money.negate() : money).toString()).join(" and ")

/** What is gone now, and what that makes with all that went before and that nobody has decided on yet. */
const sumWithOthers = (gone: ReadonlyArray<SuspenseMoney>, source: Source): string => {
  const now = sumOf(gone.map(({ amount }) => amount))
  const isAlike = (money: Money) =>
    gone.some(({ amount }) => amount.currency === money.currency && amount.isNegative === money.isNegative)
  const all = sumOf(waitingAfter(gone, source).filter(isAlike))
  return (source.waiting ?? []).some(({ money }) => isAlike(money)) ? `${now} back, ${all} in all` : `${now} back`
}

/** Somebody must decide who bears it, or has it. */
export const noteOfGone = ({ attempt, payment }: Known, gone: ReadonlyArray<SuspenseMoney>, source: Source): string => {
  const sum = sumWithOthers(gone, source)
  return payment.direction === "outbound"
    ? `${attempt.provider} sent ${sum}: it is held until an operator settles it.`
    : `${attempt.provider} has taken ${sum}: an operator must settle who bears it.`
}

/** Of a refund that its provider could not hand over. */
export const noteOfBounced = ({ provider }: Pick<Attempt, "provider">, { amount }: Pick<Refund, "amount">): string =>
  `${provider} sent back a refund of ${amount.toString()}: it is held until an operator settles it.`

/** Of a payin that has all of its money: what does not belong to it, or was taken back before it had. */
export const noteOfRest = ({ attempt }: Known, rest: ReadonlyArray<Money>): string | undefined => {
  const lacking = rest.filter(({ isNegative }) => isNegative)
  if (lacking.length > 0) {
    return `${attempt.provider} has taken ${sumOf(lacking)} back: an operator must settle who bears it.`
  }
  return rest.length === 0
    ? undefined
    : `${sumOf(rest)} arrived at ${attempt.provider} besides: it is held until an operator settles it.`
}
