/**
 * What payments write into the books, as pure functions of what changes: the stores ask them for every opening and every
 * change, so that no path through the code can move a payment on without its money.
 */
import { type Entry, type EntryKind, LedgerAccount, move, type Posting } from "../../domain/Ledger.ts"
import { Money } from "../../domain/Money.ts"
import type { Attempt, Payment } from "./Payment.ts"
import { sha256Hex } from "../../domain/Digest.ts"
import type { Change, NewAttempt, Opening, Part, SuspenseMoney } from "./Change.ts"
import { accountAt, sideOf, sideThrough } from "./Sides.ts"

const { fees, fx, held, suspense } = LedgerAccount

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

const heldOf = ({ org_id }: Payment, { currency }: Money): LedgerAccount => held(org_id, currency)

const payin = (payment: Payment): ReadonlyArray<Posting> => {
  const receiver = sideOf(payment)
  return [...pass(accountAt(payment), payment.amount, () => receiver, payment.target), ...charge(payment, receiver)]
}

const hold = (payment: Payment): ReadonlyArray<Posting> => {
  const { amount, total_fees } = payment
  const [from, to] = [sideOf(payment), heldOf(payment, amount)]
  return [...move(from, to, amount), ...(total_fees === null ? [] : move(from, to, total_fees))]
}

/** `from` pays the payout and its fees. */
const payout = (payment: Payment, from: LedgerAccount): ReadonlyArray<Posting> => [
  ...pass(() => from, payment.amount, accountAt(payment), payment.target),
  ...charge(payment, from)
]

/** While a provider gives a part back, the organisation's side of it is held. */
const holdPart = (payment: Payment, { target }: Part): ReadonlyArray<Posting> =>
  move(sideOf(payment), heldOf(payment, target), target)

const givePart = (payment: Payment, { amount, target }: Part): ReadonlyArray<Posting> =>
  pass(() => heldOf(payment, target), target, accountAt(payment), amount)

/** A part that has gone turns out to have cost so much more, which was held for another that has failed. */
export const dearerRefund = (payment: Payment, { attempt_id }: Pick<Attempt, "attempt_id">, by: Money): Entry =>
  entry(payment, "refund", move(heldOf(payment, by), fx(by.currency), by), attempt_id)

export const entriesOfOpening = ({ payment }: Opening): ReadonlyArray<Entry> =>
  payment.holds ? [entry(payment, "payout_hold", hold(payment))] : []

/** Another account is to pay: what was held for the one before it is held for this one. */
const holdMoved = (before: Payment, after: Payment, asked: NewAttempt | undefined): ReadonlyArray<Entry> =>
  sideOf(before) === sideOf(after)
    ? []
    : [entry(after, "payout_hold", [...reversed(hold(before)), ...hold(after)], asked?.attempt_id)]

const payoutEntries = (before: Payment, after: Payment, asked: NewAttempt | undefined): ReadonlyArray<Entry> => {
  if (!before.holds && after.holds) return [entry(after, "payout_hold", hold(after))]
  if (before.holds && after.holds) return holdMoved(before, after, asked)
  const completes = after.status === "completed" && before.status !== "completed"
  if (completes) {
    const from = before.holds ? heldOf(after, after.amount) : suspense(after.amount.currency)
    return [entry(after, "payout", payout(after, from))]
  }
  if (before.holds && !after.holds) return [entry(after, "payout_release", reversed(hold(before)))]
  if (after.status === "refunded" && before.status !== "refunded") {
    return [entry(after, "payout_return", reversed(payout(after, sideOf(after))))]
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

/** The same for money of an attempt: of a refund at the live rate, by what that part cost. */
const ownSideOf = (payment: Payment, { attempt_id }: Attempt, moved: Money, pays: boolean): Money => {
  const part = payment.refunds.find(({ refund_id }) => refund_id === attempt_id)
  return part?.rate?.basis === "live" && part.amount.currency === moved.currency
    ? share(part.target, moved, part.amount, pays)
    : ownSide(payment, moved, pays)
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
  moverOf: (money: Money) => Attempt
): Entry => {
  const postings = waiting.flatMap((money) => {
    const moved = absolute(money)
    const mover = moverOf(money)
    // What a payout cost is its own account's to pay, and to have back.
    const there = (currency: Money["currency"]) =>
      kept ? sideThrough(payment, mover, currency) : accountAt(mover)(currency)
    const passed = pass(suspense, moved, there, kept ? ownSideOf(payment, mover, moved, money.isNegative) : moved)
    return money.isNegative ? reversed(passed) : passed
  })
  return entry(payment, "adjustment", postings, `${attempt_id} ${payment.version}`)
}

/** Money that came, or went, for a payment whose state has no place for it. */
const suspenseEntry = (payment: Payment, money: SuspenseMoney): Entry => {
  const { amount, attempt_id, occasion } = money
  const there = accountAt(money)(amount.currency)
  const here = suspense(amount.currency)
  const postings = amount.isNegative ? move(here, there, amount.negate()) : move(there, here, amount)
  return entry(payment, "suspense", postings, `${attempt_id} ${occasion}`)
}

/** Of the payment itself; a ramp's legs bring theirs. */
const ownEntries = (before: Payment, after: Payment, asked: NewAttempt | undefined): ReadonlyArray<Entry> => {
  switch (before.direction) {
    case "inbound":
      return payinEntries(before, after)
    case "outbound":
      return payoutEntries(before, after, asked)
    case "external":
      return []
  }
}

export const entriesOfChange = (change: Change): ReadonlyArray<Entry> => {
  const { nextAttempt, patch, payment, status } = change
  const after: Payment = { ...payment, ...patch, status }
  return [
    ...ownEntries(payment, after, nextAttempt),
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
