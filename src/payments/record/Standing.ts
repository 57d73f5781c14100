/** Where an attempt's money stands by the books, whichever way it was to go: what is there, and what would be without disputes. */
import { Money } from "../../domain/Money.ts"
import { isSettled } from "../../domain/PaymentStatus.ts"
import { totalIn } from "../../domain/Received.ts"
import { ownsMoney, type ProviderSignal } from "../../domain/Settlement.ts"
import { providersMoney } from "../store/PaymentPostings.ts"
import { type Attempt, kindOfAttempt } from "../store/Payment.ts"
import type { Known } from "../store/PaymentStore.ts"
import { isReturned, type Source } from "./Ruling.ts"

/** Whether the attempt brings money to its provider, or pays it out. */
export const collects = ({ attempt, payment }: Known): boolean => kindOfAttempt(payment, attempt) === "payin"

/**
 * What a ramp collected and did not settle is held for a person, whatever becomes of a dispute about it: for whoever was to
 * settle it, and for who collected it where nobody was asked to.
 */
export const stillHolds = ({ attempt, payment }: Known, { held }: Source): boolean =>
  held?.isPositive === true &&
  isSettled(payment.status) &&
  (payment.payout_id ?? attempt.attempt_id) === attempt.attempt_id

/** What the attempt was to collect or to pay. */
export const orderedBy = ({ attempt, payment }: Known): Money =>
  attempt.leg === "settlement" ? payment.target : providersMoney(payment)

/** Whose money a refund is of: the attempt that brought it, at the same provider and through the same account. */
export const takerAmong = (
  attempts: ReadonlyArray<Attempt>,
  { account, provider }: Pick<Attempt, "account" | "provider">
): Attempt | undefined =>
  attempts.find(
    (one) => one.leg === "payment" && one.outcome === "accepted" && one.provider === provider && one.account === account
  )

/** Nobody has heard yet that it brought or paid anything. */
export const isUnheardOf = ({ attempt, payment }: Known): boolean =>
  !isSettled(payment.status) && Object.keys(attempt.received).length === 0

export const takenIn = (signal: ProviderSignal): Money | undefined =>
  signal._tag === "Report" && signal.state === "returned" ? signal.taken : undefined

export const regainedIn = (signal: ProviderSignal): Money | undefined =>
  signal._tag === "Report" ? signal.regained : undefined

/** All that it has went back, however much that is. */
export const isWhole = (signal: ProviderSignal): boolean => isReturned(signal) && takenIn(signal) === undefined

/** What the provider has by the books of what it collected, or lacks of what it paid. */
export const standing = (
  known: Known,
  { there = [] }: Pick<Source, "there">,
  { currency }: Pick<Money, "currency">
): Money => {
  const found = there.find((money) => money.currency === currency) ?? Money.zero(currency)
  return collects(known) ? found : found.negate()
}

/** What there is to be taken back, in this currency. */
export const left = (known: Known, source: Source, of: Pick<Money, "currency">): Money => {
  const moved = standing(known, source, of)
  return moved.isPositive ? moved : Money.zero(of.currency)
}

/** The same, and of what nobody has heard of yet what is on its way. */
export const takeable = (known: Known, source: Source, of: Pick<Money, "currency">): Money => {
  const ordered = orderedBy(known)
  const isOnItsWay = isUnheardOf(known) && known.attempt.outcome !== "declined" && of.currency === ordered.currency
  if (!isOnItsWay) return left(known, source, of)
  const minor = ordered.minor + standing(known, source, of).minor
  return new Money({ currency: of.currency, minor: minor > 0n ? minor : 0n })
}

/** What the attempt has brought or paid in all, by what is known of it. */
export const broughtBy = ({ attempt, payment }: Known, { currency }: Pick<Money, "currency">): bigint => {
  const { minor: heard } = totalIn(attempt.received, currency)
  const asked = providersMoney(payment)
  return isOwned({ attempt, payment }) && asked.currency === currency && asked.minor > heard ? asked.minor : heard
}

/** Whether the payment's own money is what it brought or paid: that, and no other, is what refunds give back. */
export const isOwned = ({ attempt: { leg, outcome }, payment: { status } }: Known): boolean =>
  leg === "payment" && ownsMoney({ status, outcome })

/** What would be there if nothing but refunds had ever gone back. */
export const undisputed = (known: Known, of: Pick<Money, "currency">): bigint => {
  const { payment } = known
  const brought = broughtBy(known, of)
  if (!isOwned(known) || providersMoney(payment).currency !== of.currency) return brought
  const refunded = payment.refunds.filter(({ again, state }) => state === "completed" && again !== true)
  return refunded.reduce((rest, { amount }) => rest - amount.minor, brought)
}
