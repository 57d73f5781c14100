/**
 * What payments write into the books, as pure functions of what changes: the stores ask them for every opening and every
 * change, so that no path through the code can move a payment on without its money.
 */
import { type Entry, type EntryKind, LedgerAccount, move, type Posting } from "../../domain/Ledger.ts"
import { Money } from "../../domain/Money.ts"
import { isSettled, type PaymentStatus } from "../../domain/PaymentStatus.ts"
import type { Attempt, Payment } from "./Payment.ts"
import { sha256Hex } from "../../domain/Digest.ts"
import type { Change, NewAttempt, Opening, Part, SuspenseMoney } from "./Change.ts"

const { fees, fx, held, provider, settlement, suspense } = LedgerAccount

/** The same event in the life of the same thing has the same id, so that the books take it once. */
const entryId = (subject: string, kind: EntryKind): string => {
  const hex = sha256Hex(`${kind} ${subject}`)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

export const entry = (
  payment: Payment,
  kind: EntryKind,
  postings: ReadonlyArray<Posting>,
  subject?: string
): Entry => ({
  entry_id: entryId(subject ?? payment.payment_id, kind),
  org_id: payment.org_id,
  kind,
  payment_id: payment.payment_id,
  reference: subject ?? payment.payment_id,
  postings
})

/** From one account to another, through `fx` where the currencies differ. */
export const pass = (
  from: (currency: Money["currency"]) => LedgerAccount,
  paid: Money,
  to: (currency: Money["currency"]) => LedgerAccount,
  received: Money
): ReadonlyArray<Posting> =>
  paid.currency === received.currency
    ? move(from(paid.currency), to(received.currency), paid)
    : [
        ...move(from(paid.currency), fx(paid.currency), paid),
        ...move(fx(received.currency), to(received.currency), received)
      ]

export const reversed = (postings: ReadonlyArray<Posting>): ReadonlyArray<Posting> =>
  postings.map(({ account, amount }) => ({ account, amount: amount.negate() }))

const charge = ({ total_fees }: Payment, from: LedgerAccount): ReadonlyArray<Posting> =>
  total_fees === null ? [] : move(from, fees(total_fees.currency), total_fees)

/** Who pays for a payout, and gets back what was not paid. */
const sourceOf = ({ amount, funding, org_id }: Payment): LedgerAccount => funding ?? settlement(org_id, amount.currency)

const heldOf = ({ org_id }: Payment, { currency }: Money): LedgerAccount => held(org_id, currency)

const at = ({ provider: name }: Payment) => {
  if (name === null) throw new Error("money moves at no provider")
  return (currency: Money["currency"]) => provider(name, currency)
}

const payin = (payment: Payment): ReadonlyArray<Posting> => {
  const { amount, org_id, target } = payment
  const receiver = (currency: Money["currency"]) => settlement(org_id, currency)
  return [...pass(at(payment), amount, receiver, target), ...charge(payment, receiver(target.currency))]
}

const hold = (payment: Payment): ReadonlyArray<Posting> => {
  const { amount, total_fees } = payment
  const to = heldOf(payment, amount)
  const fee = total_fees === null ? [] : move(sourceOf(payment), to, total_fees)
  return [...move(sourceOf(payment), to, amount), ...fee]
}

/** `from` pays the payout and its fees. */
const payout = (payment: Payment, from: LedgerAccount): ReadonlyArray<Posting> => [
  ...pass(() => from, payment.amount, at(payment), payment.target),
  ...charge(payment, from)
]

/** While a provider gives a part back, the organisation's side of it is held. */
const holdPart = (payment: Payment, { target }: Part): ReadonlyArray<Posting> =>
  move(settlement(payment.org_id, target.currency), heldOf(payment, target), target)

const givePart = (payment: Payment, { amount, target }: Part): ReadonlyArray<Posting> =>
  pass(() => heldOf(payment, target), target, at(payment), amount)

/** A payout's money is held as soon as someone is asked to pay it, and until that has ended. */
export const holdsAfter = (
  { direction, holds }: Pick<Payment, "direction" | "holds">,
  status: PaymentStatus,
  attempt: NewAttempt | null | undefined
): boolean => direction === "outbound" && !isSettled(status) && (holds || (attempt !== null && attempt !== undefined))

export const entriesOfOpening = ({ payment }: Opening): ReadonlyArray<Entry> =>
  payment.holds ? [entry(payment, "payout_hold", hold(payment))] : []

const payoutEntries = (before: Payment, after: Payment): ReadonlyArray<Entry> => {
  if (!before.holds && after.holds) return [entry(after, "payout_hold", hold(after))]
  const completes = after.status === "completed" && before.status !== "completed"
  if (completes) {
    const from = before.holds ? heldOf(after, after.amount) : suspense(after.amount.currency)
    return [entry(after, "payout", payout(after, from))]
  }
  if (before.holds && !after.holds) return [entry(after, "payout_release", reversed(hold(after)))]
  if (after.status === "refunded" && before.status !== "refunded") {
    return [entry(after, "payout_return", reversed(payout(after, sourceOf(after))))]
  }
  return []
}

const payinEntries = (before: Payment, after: Payment): ReadonlyArray<Entry> =>
  after.status === "completed" && before.status !== "completed" ? [entry(after, "payin", payin(after))] : []

const settledPart = (payment: Payment, part: NonNullable<Change["settledRefund"]>): ReadonlyArray<Entry> => {
  // What comes back after it was given is money in suspense, and no longer held.
  if (part.from !== "open") return []
  return part.state === "completed"
    ? [entry(payment, "refund", givePart(payment, part), part.refund_id)]
    : [entry(payment, "refund_release", reversed(holdPart(payment, part)), part.refund_id)]
}

const refundEntries = (payment: Payment, { newRefund, settledRefund }: Change): ReadonlyArray<Entry> => [
  ...(newRefund === undefined
    ? []
    : [entry(payment, "refund_hold", holdPart(payment, newRefund), newRefund.refund_id)]),
  ...(settledRefund === undefined ? [] : settledPart(payment, settledRefund))
]

/** Rounded so that nobody gains by it: what the organisation gets down, what it pays up. */
const share = (whole: Money, part: Money, of: Money, up: boolean): Money => {
  const exact = whole.minor * part.minor
  const down = exact / of.minor
  return new Money({ currency: whole.currency, minor: up && down * of.minor !== exact ? down + 1n : down })
}

/** What the organisation has on its side for what a provider moved on the other, at the payment's own rate. */
export const ownSide = ({ amount, direction, target }: Payment, moved: Money, pays: boolean): Money => {
  if (direction === "external") return moved
  const [own, theirs] = direction === "outbound" ? [amount, target] : [target, amount]
  return theirs.currency === moved.currency ? share(own, moved, theirs, pays) : moved
}

const absolute = (money: Money): Money => (money.isNegative ? money.negate() : money)

/**
 * A person has found where money in suspense because of an attempt belongs. `kept`: what came is the organisation's, what
 * went was its to pay. Otherwise the provider that moved it has given it back, or got it back.
 */
export const suspenseSettled = (
  payment: Payment,
  { attempt_id }: Pick<Attempt, "attempt_id">,
  waiting: ReadonlyArray<Money>,
  kept: boolean,
  moverOf: (money: Money) => Attempt["provider"]
): Entry => {
  /** What a payout cost is its own account's to pay, and to have back. */
  const owner = (currency: Money["currency"]) =>
    payment.direction === "outbound" ? sourceOf(payment) : settlement(payment.org_id, currency)
  const postings = waiting.flatMap((money) => {
    const moved = absolute(money)
    const there = (currency: Money["currency"]) => (kept ? owner(currency) : provider(moverOf(money), currency))
    const passed = pass(suspense, moved, there, kept ? ownSide(payment, moved, money.isNegative) : moved)
    return money.isNegative ? reversed(passed) : passed
  })
  return entry(payment, "adjustment", postings, `${attempt_id} ${payment.version}`)
}

/** Money that came, or went, for a payment whose state has no place for it. */
const suspenseEntry = (payment: Payment, money: SuspenseMoney): Entry => {
  const { amount, attempt_id, occasion, provider: name } = money
  const there = provider(name, amount.currency)
  const here = suspense(amount.currency)
  const postings = amount.isNegative ? move(here, there, amount.negate()) : move(there, here, amount)
  return entry(payment, "suspense", postings, `${attempt_id} ${occasion}`)
}

export const entriesOfChange = (change: Change): ReadonlyArray<Entry> => {
  const { patch, payment, status } = change
  const after: Payment = { ...payment, ...patch, status }
  const moved = payment.direction === "inbound" ? payinEntries(payment, after) : payoutEntries(payment, after)
  return [
    ...(payment.direction === "external" ? [] : moved),
    ...refundEntries(after, change),
    ...(change.suspense ?? []).map((money) => suspenseEntry(after, money)),
    ...(change.entries ?? [])
  ]
}

/** What the provider itself collects or pays. */
export const providersMoney = ({
  amount,
  direction,
  target
}: Pick<Payment, "amount" | "direction" | "target">): Money => (direction === "outbound" ? target : amount)
