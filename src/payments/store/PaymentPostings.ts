/**
 * Ledger postings of a payment: a pure function of the payment, its movements and its allocations. A change posts the
 * difference between the postings before and after it, so no order of reports books anything twice. A chargeback posts its
 * movement to clearing (`postingsOf`); the operator's allocation posts who bears it (`allocationUses`).
 */
import { sha256Hex } from "../../domain/Digest.ts"
import type { AttemptId } from "../../domain/Ids.ts"
import {
  combine,
  type Entry,
  type EntryKind,
  LedgerAccount,
  move,
  type Posting,
  currencyOf,
  kindOf
} from "../../domain/Ledger.ts"
import { Money } from "../../domain/Money.ts"
import {
  signedAmount,
  allocate,
  type ExpectedMovement,
  netByAttempt,
  type NetByAttempt
} from "../../domain/Movement.ts"
import { type Allocation, type Books, mergePayment, type Payment, type Refund, type Attempt } from "./Payment.ts"
import { type Change, type NewPayment, noBooks, booksAfter } from "./Change.ts"
import { reservePostings } from "./PaymentReserve.ts"
import { isFinal, type PaymentStatus } from "../../domain/PaymentStatus.ts"

/**
 * Ledger accounts of a payment: the provider's, and the organisation's that funds it or receives it. Both depend on the
 * account at the provider that the payment or attempt goes through.
 */
const { ownAccount, provider, settlement } = LedgerAccount

type Sided = Pick<Payment, "amount" | "direction" | "funding" | "org_id" | "target">

/** The organisation's amount of the two. */
const organizationsMoney = ({ amount, direction, target }: Sided): Money => (direction === "outbound" ? amount : target)

/** Account that the platform keeps for the organisation, if the payment is paid from it. */
const keptFunding = ({ funding }: Pick<Payment, "funding">): LedgerAccount | null =>
  funding === null || kindOf(funding) === "own" ? null : funding

/** Whether an account that the platform keeps funds the payment. Then only the platform's provider accounts pay it. */
export const isPaidFromKeptAccount = (payment: Pick<Payment, "funding">): boolean => keptFunding(payment) !== null

/** Account at the provider, and whether it is the organisation's own. */
type Through = Pick<Attempt, "account" | "own_account">

/** Organisation's ledger account for money through an account at a provider. */
export const organizationAccountThrough = (
  payment: Sided,
  { account, own_account }: Through,
  currency: Money["currency"]
): LedgerAccount => {
  if (own_account && account !== null) return ownAccount(payment.org_id, account, currency)
  const kept = keptFunding(payment)
  // Money in another currency than the kept account's goes to the settlement account.
  return kept !== null && currencyOf(kept) === currency ? kept : settlement(payment.org_id, currency)
}

/** Funding of a payment through this account. */
export const fundingThrough = (payment: Sided, through: Through): LedgerAccount | null =>
  through.own_account
    ? organizationAccountThrough(payment, through, organizationsMoney(payment).currency)
    : keptFunding(payment)

/** Organisation's ledger account of a payment: pays for a payout, receives a payin. */
export const organizationAccount = (payment: Sided): LedgerAccount =>
  payment.funding ?? settlement(payment.org_id, organizationsMoney(payment).currency)

/** Ledger account of the provider of an attempt or payment. */
const providerAccount =
  ({ account, provider: name }: Pick<Payment, "account" | "provider">) =>
  (currency: Money["currency"]): LedgerAccount => {
    if (name === null) throw new Error("money moves at no provider")
    return provider(name, currency, account)
  }

/** Hold of a payout: from the first attempt until the payment ends, on the account that funds the last attempt. */
export const holdAfter = (
  payment: Sided & Pick<Payment, "holds">,
  status: PaymentStatus,
  asked: Through | undefined
): Pick<Payment, "funding" | "holds"> => {
  const { direction, funding, holds } = payment
  return {
    holds: direction === "outbound" && !isFinal(status) && (holds || asked !== undefined),
    funding: direction === "outbound" && asked !== undefined ? fundingThrough(payment, asked) : funding
  }
}

const { clearing, fees, fx, held, ramp } = LedgerAccount

type AccountOf = (currency: Money["currency"]) => LedgerAccount

/** From one account to another, through `fx` where the currencies differ. */
const pass = (from: AccountOf, paid: Money, to: AccountOf, received: Money): ReadonlyArray<Posting> =>
  paid.currency === received.currency
    ? move(from(paid.currency), to(received.currency), paid)
    : [
        ...move(from(paid.currency), fx(paid.currency), paid),
        ...move(fx(received.currency), to(received.currency), received)
      ]

/** Moves a positive amount from `from` to `to`, a negative one the other way. */
const shift = (from: AccountOf, paid: Money, to: AccountOf, received: Money): ReadonlyArray<Posting> =>
  paid.isNegative ? pass(to, received.negate(), from, paid.negate()) : pass(from, paid, to, received)

/** Amount that leaves or enters clearing, and its postings to other accounts. */
interface ClearingUse {
  readonly expected: ExpectedMovement
  readonly postings: (taken: Money) => ReadonlyArray<Posting>
}

const clearingOf =
  ({ payment_id }: Payment, attempt_id: AttemptId): AccountOf =>
  (currency) =>
    clearing(payment_id, attempt_id, currency)

const rampOf =
  ({ payment_id }: Payment): AccountOf =>
  (currency) =>
    ramp(payment_id, currency)

const heldOf =
  ({ org_id }: Payment): AccountOf =>
  (currency) =>
    held(org_id, currency)

const charge = ({ total_fees }: Payment, from: LedgerAccount): ReadonlyArray<Posting> =>
  total_fees === null ? [] : move(from, fees(total_fees.currency), total_fees)

/** Whether the money of a payment was collected; a refunded payment had it too. */
const isPaid = ({ status }: Payment): boolean => status === "completed" || status === "refunded"

const payinUses = (payment: Payment): ReadonlyArray<ClearingUse> => {
  const { amount, taken_by, target } = payment
  if (payment.direction !== "inbound" || !isPaid(payment) || taken_by === null) return []
  const side = organizationAccount(payment)
  return [
    {
      expected: { attempt_id: taken_by, money: amount },
      postings: () => [...pass(clearingOf(payment, taken_by), amount, () => side, target), ...charge(payment, side)]
    }
  ]
}

/** A returned payout costs nothing: its fee is returned too. */
const payoutUses = (payment: Payment): ReadonlyArray<ClearingUse> => {
  const { amount, direction, payout_id, status, target } = payment
  if (direction !== "outbound" || status !== "completed" || payout_id === null) return []
  const [side, attempt_id] = [organizationAccount(payment), payout_id as AttemptId]
  return [
    {
      expected: { attempt_id, money: target.negate() },
      postings: () => [...pass(() => side, amount, clearingOf(payment, attempt_id), target), ...charge(payment, side)]
    }
  ]
}

/** Held amount of a payout while it is under way. */
const holdPostings = (payment: Payment): ReadonlyArray<Posting> => {
  if (!payment.holds) return []
  const { amount, total_fees } = payment
  const [from, to] = [organizationAccount(payment), heldOf(payment)(amount.currency)]
  return [...move(from, to, amount), ...(total_fees === null ? [] : move(from, to, total_fees))]
}

/** Amount that a refund or return moves, and the account that pays for it. */
const refundSource = (payment: Payment, { amount, of, target }: Refund): { from: AccountOf; cost: Money } => {
  if (of === undefined) return { from: () => organizationAccount(payment), cost: target }
  return { from: of.from === "ramp" ? rampOf(payment) : clearingOf(payment, of.attempt_id), cost: amount }
}

const collectedBy = (payment: Payment, { of }: Refund): AttemptId | null => of?.attempt_id ?? payment.taken_by

/** An open refund holds its amount. A completed one takes it out of clearing with its movement. */
const refundUses = (payment: Payment): ReadonlyArray<ClearingUse> =>
  payment.refunds.flatMap((part): ReadonlyArray<ClearingUse> => {
    const attempt_id = collectedBy(payment, part)
    if (part.state === "failed" || attempt_id === null) return []
    const { cost, from } = refundSource(payment, part)
    const isOfClearing = part.of?.from === "clearing"
    if (part.state === "open") {
      const expected = { attempt_id, money: isOfClearing ? cost : Money.zero(cost.currency) }
      return [{ expected, postings: () => move(from(cost.currency), heldOf(payment)(cost.currency), cost) }]
    }
    if (isOfClearing) return []
    const expected = { attempt_id, money: part.amount.negate() }
    return [{ expected, postings: () => pass(from, cost, clearingOf(payment, attempt_id), part.amount) }]
  })

/** In minor units, of amounts in one currency. */
export const minorSum = (amounts: ReadonlyArray<Money>): bigint =>
  amounts.reduce((total, { minor }) => total + minor, 0n)

/** Amount of a ramp that was allocated to the organisation or returned to its customer. */
const spentOfRamp = ({ refunds }: Payment, allocations: ReadonlyArray<Allocation>): bigint =>
  minorSum(refunds.filter(({ of, state }) => of?.from === "ramp" && state !== "failed").map(({ amount }) => amount)) +
  minorSum(allocations.filter(({ from }) => from === "ramp").map(({ amount }) => amount))

/**
 * A ramp holds the collected amount until its payout. A reversal before that makes clearing negative and blocks the payout.
 * A reversal after the ramp's end is taken from the amount that it holds.
 */
const rampUses = (payment: Payment, allocations: ReadonlyArray<Allocation>): ReadonlyArray<ClearingUse> => {
  const { amount, payout_id, status, taken_by, target } = payment
  if (payment.ramp === null || payment.ramp.collected === null || taken_by === null) return []
  const holds = rampOf(payment)
  const isPaidOut = status === "completed" && payout_id !== null
  const goesOn = isPaidOut || status === "processing"
  const collected: ClearingUse = {
    expected: {
      attempt_id: taken_by,
      money: amount,
      ...(goesOn ? {} : { atLeast: spentOfRamp(payment, allocations) })
    },
    postings: (taken) => move(clearingOf(payment, taken_by)(amount.currency), holds(amount.currency), taken)
  }
  if (!isPaidOut) return [collected]
  const payoutAttempt = payout_id as AttemptId
  return [
    collected,
    {
      expected: { attempt_id: payoutAttempt, money: target.negate() },
      postings: () => pass(holds, amount, clearingOf(payment, payoutAttempt), target)
    }
  ]
}

/** Collected amount that an ended ramp still holds. */
export const heldByRamp = (payment: Payment, books: Books): Money => {
  const { amount, taken_by } = payment
  const account = rampOf(payment)(amount.currency)
  const isEnded = payment.ramp !== null && taken_by !== null && payment.status !== "processing"
  const found = isEnded ? postingsOf(payment, books).find((one) => one.account === account) : undefined
  return found?.amount ?? Money.zero(amount.currency)
}

const allocationUses = (payment: Payment, allocations: ReadonlyArray<Allocation>): ReadonlyArray<ClearingUse> =>
  allocations.map(({ account, amount, attempt_id, from, accountAmount }) => ({
    expected: { attempt_id, money: from === "ramp" ? Money.zero(amount.currency) : amount },
    postings: () =>
      shift(from === "ramp" ? rampOf(payment) : clearingOf(payment, attempt_id), amount, () => account, accountAmount)
  }))

const clearingUses = (payment: Payment, { allocations }: Books): ReadonlyArray<ClearingUse> => [
  ...payinUses(payment),
  ...payoutUses(payment),
  ...refundUses(payment),
  ...rampUses(payment, allocations),
  ...allocationUses(payment, allocations)
]

/** Unallocated money of a payment by attempt and currency. Positive: received. Negative: missing. */
export const unallocatedOf = (payment: Payment, books: Books): NetByAttempt =>
  allocate(
    netByAttempt(books.movements),
    clearingUses(payment, books).map(({ expected }) => expected)
  ).rest

/** Whether the provider reversed collected money that the ramp payout would send. */
export const isReversed = (payment: Payment, books: Books): boolean =>
  unallocatedOf(payment, books).some(
    ({ attempt_id, money }) =>
      attempt_id === payment.taken_by && money.currency === payment.amount.currency && money.isNegative
  )

/** All postings of a payment. */
const postingsOf = (payment: Payment, books: Books): ReadonlyArray<Posting> => {
  const moved = books.movements
    .filter(({ state }) => state === "settled")
    .flatMap((movement) => {
      const effect = signedAmount(movement)
      return shift(providerAccount(movement), effect, clearingOf(payment, movement.attempt_id), effect)
    })
  const uses = clearingUses(payment, books)
  const { taken } = allocate(
    netByAttempt(books.movements),
    uses.map(({ expected }) => expected)
  )
  return combine([...holdPostings(payment), ...moved, ...uses.flatMap(({ postings }, nth) => postings(taken[nth]!))])
}

const reversed = (postings: ReadonlyArray<Posting>): ReadonlyArray<Posting> =>
  postings.map(({ account, amount }) => ({ account, amount: amount.negate() }))

/** Entry id, derived from the change, so that the ledger refuses the same change a second time. */
const entryId = (subject: string): string => {
  const hex = sha256Hex(subject)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

const entriesBetween = (
  payment: Payment,
  kind: EntryKind,
  reference: string,
  before: ReadonlyArray<Posting>,
  after: ReadonlyArray<Posting>
): ReadonlyArray<Entry> => {
  const postings = combine([...after, ...reversed(before)])
  return postings.length === 0
    ? []
    : [
        {
          entry_id: entryId(`${kind} ${payment.payment_id} ${payment.version}`),
          org_id: payment.org_id,
          kind,
          payment_id: payment.payment_id,
          reference,
          postings
        }
      ]
}

export const entriesOfNewPayment = ({ payment }: NewPayment): ReadonlyArray<Entry> =>
  entriesBetween(payment, "payout_hold", payment.payment_id, [], holdPostings(payment))

const kindOfPayout = (before: Payment, after: Payment): EntryKind | undefined => {
  if (after.status === "completed" && before.status !== "completed") return "payout"
  if (after.status === "refunded" && before.status !== "refunded") return "payout_return"
  if (after.holds)
    return before.holds && organizationAccount(before) === organizationAccount(after) ? undefined : "payout_hold"
  return before.holds ? "payout_release" : undefined
}

const kindOfRamp = (before: Payment, after: Payment): EntryKind | undefined => {
  if (after.ramp?.collected !== before.ramp?.collected) return "ramp_collect"
  if (after.status === "completed" && before.status !== "completed") return "ramp_settle"
  return after.status === "refunded" && before.status !== "refunded" ? "ramp_return" : undefined
}

const kindOfPayment = (before: Payment, after: Payment): EntryKind | undefined => {
  switch (before.direction) {
    case "inbound":
      return after.status === "completed" && before.status !== "completed" ? "payin" : undefined
    case "outbound":
      return kindOfPayout(before, after)
    case "external":
      return kindOfRamp(before, after)
  }
}

const refundKinds = { open: "refund_hold", completed: "refund", failed: "refund_release" } as const

/** Kind and reference of a change's entry: a refund, an attempt with an allocation, or else the payment. */
const aboutChange = (change: Change, after: Payment): { readonly kind: EntryKind; readonly reference: string } => {
  const { allocations = [], movements = [], payment } = change
  const kind = kindOfPayment(payment, after)
  if (kind !== undefined) return { kind, reference: payment.payment_id }
  const part = after.refunds.find((one) => {
    const before = payment.refunds.find(({ refund_id }) => refund_id === one.refund_id)
    return before === undefined || before.state !== one.state
  })
  if (part !== undefined) return { kind: refundKinds[part.state], reference: part.refund_id }
  // An operator's decision: an allocation, or a movement.
  const [decided = movements.find(({ source }) => source === "operator")] = allocations
  return decided === undefined
    ? { kind: "clearing", reference: payment.payment_id }
    : { kind: "adjustment", reference: decided.attempt_id }
}

/** Entries between the reserve and the account that the payin credits. */
const reserveEntries = (before: Payment, booksBefore: Books, after: Payment, books: Books): ReadonlyArray<Entry> => {
  if (after.reserve === null) return []
  const [was, is] = [
    reservePostings(before, booksBefore, organizationAccount(before)),
    reservePostings(after, books, organizationAccount(after))
  ]
  const grows = (is[1]?.amount.minor ?? 0n) > (was[1]?.amount.minor ?? 0n)
  return entriesBetween(after, grows ? "reserve_hold" : "reserve_release", after.payment_id, was, is)
}

export const entriesOfChange = (change: Change): ReadonlyArray<Entry> => {
  const { patch, payment, status, booksBefore = noBooks } = change
  const after = mergePayment(payment, patch, { status, version: payment.version + 1 })
  const { kind, reference } = aboutChange(change, after)
  const books = booksAfter(change)
  const [decided] = change.allocations ?? []
  // Allocations by a rule are an entry of their own beside that of the payment or refund.
  const isApart = decided !== undefined && kind !== "adjustment"
  const undecided = postingsOf(after, isApart ? { ...books, allocations: booksBefore.allocations } : books)
  return [
    ...entriesBetween(after, kind, reference, postingsOf(payment, booksBefore), undecided),
    ...(isApart ? entriesBetween(after, "adjustment", decided.attempt_id, undecided, postingsOf(after, books)) : []),
    ...reserveEntries(payment, booksBefore, after, books)
  ]
}
