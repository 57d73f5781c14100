/** Movements that a signal reports, sums over them, and allocations from clearing to the organisation. Pure. */
import type { AttemptId } from "../../domain/Ids.ts"
import { Money } from "../../domain/Money.ts"
import {
  effectOf,
  type Movement,
  type MovementKind,
  OPERATOR_ID,
  record,
  type Recording,
  type RecordedMovement,
  netOf,
  position,
  type Position,
  type Sum
} from "../../domain/Movement.ts"
import { hasState, type ProviderSignal } from "../../domain/Settlement.ts"
import {
  type Attempt,
  type Books,
  kindOfAttempt,
  type Payment,
  type Refund,
  type Allocation
} from "../store/Payment.ts"
import {
  moneyAtProvider,
  organizationAccount,
  organizationAccountThrough,
  organizationSide,
  unallocatedOf
} from "../store/PaymentPostings.ts"
import { bearsOrGetsBack, heldInReserve } from "../store/PaymentReserve.ts"
import type { AttemptOfPayment } from "../store/PaymentStore.ts"
import { kindOf as accountKind, LedgerAccount } from "../../domain/Ledger.ts"
import type { DecisionTime, SignalContext } from "./SignalContext.ts"

/** Whether the provider reports that the attempt failed. */
const saysFailed = (signal: ProviderSignal): boolean =>
  signal._tag === "Declined" || (signal._tag === "Report" && signal.state === "failed")

/** Whether the provider reports that money went back, without a transfer that took it. */
const lacksTransferBack = (signal: ProviderSignal): boolean =>
  signal._tag === "Report" &&
  signal.state === "returned" &&
  !(signal.movements ?? []).some(({ kind }) => kind !== "collection" && kind !== "disbursement")

/** Contradiction of a provider that reports a failure, or a return without a transfer, after money moved. */
export const failureContradiction = (
  { attempt: { outcome, provider } }: AttemptOfPayment,
  signal: ProviderSignal,
  { operator, unverified }: SignalContext,
  { moved }: { readonly moved: boolean }
): string | undefined => {
  if (outcome === "declined" || !moved || operator !== undefined) return undefined
  if (saysFailed(signal)) {
    return `${provider} says that it failed, after it had been completed: an operator must find out whether the money is there.`
  }
  // Its transfers were another payment's, which has an item of its own.
  return lacksTransferBack(signal) && unverified === undefined
    ? `${provider} says that the money went back, and not by which transfer: an operator must find out how much is there.`
    : undefined
}

/** The attempt whose money an attempt moves: a refund or a return gives back what another one brought. */
const attemptWhoseMoney = ({ taken_by }: Payment, { attempt_id, leg, of_attempt }: Attempt): AttemptId => {
  if (leg === "return") return of_attempt ?? attempt_id
  return leg === "refund" ? (of_attempt ?? taken_by ?? attempt_id) : attempt_id
}

export const isRefundOrReturn = ({ leg }: Pick<Attempt, "leg">): boolean => leg === "refund" || leg === "return"

/** The refund or return that an attempt makes. Both are written in one statement: one without the other is a defect. */
export const partOf = ({ refunds }: Payment, { attempt_id }: Attempt): Refund => {
  const part = refunds.find(({ refund_id }) => refund_id === attempt_id)
  if (part === undefined) throw new Error(`attempt ${attempt_id} gives back nothing of its payment`)
  return part
}

/** Amount that an attempt was ordered to move. */
const orderedBy = ({ attempt, payment }: Pick<AttemptOfPayment, "attempt" | "payment">): Money => {
  if (isRefundOrReturn(attempt)) return partOf(payment, attempt).amount
  return attempt.leg === "settlement" ? payment.target : moneyAtProvider(payment)
}

/** Kind of the movement that fulfils an attempt's order. */
const kindOf = ({ attempt, payment }: Pick<AttemptOfPayment, "attempt" | "payment">): MovementKind => {
  switch (kindOfAttempt(payment, attempt)) {
    case "payin":
      return "collection"
    case "payout":
      return "disbursement"
    case "refund":
      return "refund"
  }
}

type OfAttempt = Pick<AttemptOfPayment, "attempt" | "movements" | "payment">

const movementsOf = ({ attempt, movements, payment }: OfAttempt, kind: MovementKind) => {
  const [bucket, refund] = [attemptWhoseMoney(payment, attempt), isRefundOrReturn(attempt) ? attempt.attempt_id : null]
  return movements.filter((one) => one.kind === kind && one.attempt_id === bucket && one.refund_id === refund)
}

/** Pending movement of this amount: an operator's statement settles it under its own id. */
export const pendingMovement = (
  movements: ReadonlyArray<RecordedMovement>,
  { minor, currency }: Money
): RecordedMovement | undefined =>
  movements.find(({ amount, state }) => state === "pending" && amount.currency === currency && amount.minor === minor)

/** Movements that complete an attempt's order by an operator's statement: the part without a report. */
export const operatorStatedOrder = (subject: OfAttempt, movementId: string | undefined): ReadonlyArray<Movement> => {
  const [kind, ordered] = [kindOf(subject), orderedBy(subject)]
  const mine = movementsOf(subject, kind).filter(({ amount }) => amount.currency === ordered.currency)
  const minor = mine.reduce(
    (left, { amount, state }) => (state === "settled" ? left - amount.minor : left),
    ordered.minor
  )
  if (minor <= 0n) return []
  const amount = new Money({ currency: ordered.currency, minor })
  const id = movementId ?? pendingMovement(mine, amount)?.movement_id ?? `${OPERATOR_ID}${subject.attempt.attempt_id}`
  return [{ kind, id, amount, state: "settled" }]
}

/** What an attempt was ordered to move and its provider has not taken or sent back yet. */
export const stillMoved = (subject: OfAttempt): Money => {
  const [ordered, moved] = [orderedBy(subject), movedBy(subject, subject.movements)]
  return moved.minor < ordered.minor ? moved : ordered
}

/** Movement of an attempt whose money came back, as an operator states it, under the provider's id if known. */
export const operatorStatedReversal = (
  subject: OfAttempt,
  id = `${OPERATOR_ID}${subject.attempt.attempt_id} returned`
): ReadonlyArray<Movement> => {
  const amount = stillMoved(subject)
  const kind = kindOfAttempt(subject.payment, subject.attempt) === "payin" ? "reversal" : "reinstatement"
  return amount.isPositive ? [{ kind, id, amount, state: "settled" }] : []
}

const sourceOf = (signal: ProviderSignal, { callback, operator }: SignalContext): RecordedMovement["source"] => {
  if (operator !== undefined) return "operator"
  if (callback !== undefined) return "callback"
  return signal._tag === "Accepted" ? "answer" : "enquiry"
}

const movementsIn = (subject: AttemptOfPayment, signal: ProviderSignal, source: SignalContext, heard_at: Date) => {
  const { movements = [] } = hasState(signal) ? signal : {}
  const { attempt, payment } = subject
  const isOfRefund = isRefundOrReturn(attempt)
  const partIn = ({ refund }: Movement) =>
    payment.refunds.find(({ refund_id }) => refund_id === (isOfRefund ? attempt.attempt_id : refund))
  // A transfer of nothing, or of less than nothing, moved nothing. What is under way its own attempt tells.
  const real = movements.filter(
    (one) => (one.amount === null || one.amount.isPositive) && (isOfRefund || partIn(one)?.state !== "open")
  )
  return real.map((one): RecordedMovement => ({
    provider: attempt.provider,
    account: attempt.account,
    kind: one.kind,
    movement_id: one.id,
    attempt_id: attemptWhoseMoney(payment, attempt),
    refund_id: partIn(one)?.refund_id ?? null,
    amount: one.amount ?? orderedBy(subject),
    state: one.state,
    is_total: one.isTotal === true,
    source: sourceOf(signal, source),
    heard_at
  }))
}

export const recordMovements = (
  subject: AttemptOfPayment,
  signal: ProviderSignal,
  source: SignalContext,
  at: Date
): Recording => record(subject.movements, movementsIn(subject, signal, source, at))

/** Amount that an attempt collected or paid by its movements, less returns, in the order's currency. */
export const movedBy = (
  subject: Pick<AttemptOfPayment, "attempt" | "payment">,
  movements: Books["movements"]
): Money => {
  const { attempt, payment } = subject
  const { currency } = orderedBy(subject)
  if (isRefundOrReturn(attempt)) return refundedBy(movements, attempt.attempt_id, currency)
  const net = netOf(position(movements), attempt.attempt_id, currency)
  return kindOfAttempt(payment, attempt) === "payin" ? net : net.negate()
}

/** Whether money was reported as returned that was never reported as collected or paid; the provider is polled. */
export const lacksFirstMovement = (
  { attempt }: Pick<AttemptOfPayment, "attempt">,
  movements: Books["movements"]
): boolean => {
  const mine = movements.filter(
    ({ attempt_id, refund_id, state }) => state === "settled" && refund_id === null && attempt_id === attempt.attempt_id
  )
  return mine.length > 0 && !mine.some(({ kind }) => kind === "collection" || kind === "disbursement")
}

/** Amount that a refund or return gave back, less what came back of it. */
const refundedBy = (movements: Books["movements"], refund: AttemptId, currency: Money["currency"]): Money => {
  const mine = movements.filter(
    ({ amount, refund_id, state }) => refund_id === refund && state === "settled" && amount.currency === currency
  )
  return new Money({ currency, minor: -mine.reduce((sum, movement) => sum + effectOf(movement).minor, 0n) })
}

/** Amount that completed refunds gave back, without returns of unallocated money. */
export const refundedByUs = (refunds: ReadonlyArray<Refund>): bigint =>
  refunds.reduce(
    (sum, { amount, of, state }) => (of === undefined && state === "completed" ? sum + amount.minor : sum),
    0n
  )

/**
 * Amount that the payer has back: what the provider lacks of the payment, and at least the completed refunds, however much
 * money came besides. Of a ramp whose payout came back, the payer has nothing until what was collected is returned.
 */
export const refundedOf = (payment: Payment, { movements }: Pick<Books, "movements">): Money => {
  const { amount, direction, refunds, status, taken_by } = payment
  const nothing = Money.zero(amount.currency)
  if (direction === "outbound") return status === "refunded" ? amount : nothing
  if (taken_by === null || (status !== "completed" && status !== "refunded")) return nothing
  const { minor: there } = netOf(position(movements), taken_by, amount.currency)
  const lacking = there <= 0n ? amount.minor : amount.minor - there
  const given = refundedByUs(refunds)
  const minor = lacking > given ? lacking : given
  return new Money({ currency: amount.currency, minor: minor > amount.minor ? amount.minor : minor })
}

/** Describes two reports of one transfer with different amounts; an operator must find out which is right. */
export const amountContradiction = (
  { attempt: { provider } }: AttemptOfPayment,
  { contradicted }: Recording
): string | undefined => {
  const [first] = contradicted
  if (first === undefined) return undefined
  const { amount, kind, movement_id } = first.recorded
  return `${provider} says that ${kind} ${movement_id} was ${first.reported.toString()}, and said ${amount.toString()} before: an operator must find out which is so.`
}

const share = (whole: Money, part: bigint, of: bigint): Money =>
  new Money({ currency: whole.currency, minor: (whole.minor * part) / of })

/**
 * Of a refund that others were rounded without, since it had failed: at most what they leave of the payment's target, unless
 * more was given back than was paid.
 */
const besideOthers = ({ amount, refunds, target }: Payment, late: Refund): Refund => {
  const others = refunds.filter(
    ({ of, rate, state }) => of === undefined && state !== "failed" && rate?.basis !== "live"
  )
  const sum = (of: (part: Refund) => Money): bigint => others.reduce((total, part) => total + of(part).minor, 0n)
  const left = target.minor - sum((part) => part.target)
  const isMore = sum((part) => part.amount) + late.amount.minor > amount.minor
  if (isMore || late.rate?.basis === "live" || late.target.minor <= left) return late
  return { ...late, target: new Money({ currency: target.currency, minor: left }) }
}

/** Failed refund that was paid nevertheless, if its amount is what is missing, with what it costs. */
export const refundSettledAfterFailing = (
  payment: Payment,
  { movements }: Pick<Books, "movements">,
  { money }: Pick<Sum, "money">
): Refund | undefined => {
  const late = payment.refunds.find(
    ({ amount, of, refund_id, state }) =>
      of === undefined &&
      state === "failed" &&
      amount.currency === money.currency &&
      amount.minor === -money.minor &&
      refundedBy(movements, refund_id, amount.currency).minor >= amount.minor
  )
  return late && besideOthers(payment, late)
}

/** Organisation's side of a sum: of a refund paid after it had failed, the cost of that part. */
const accountAmountOf = (payment: Payment, { money, movements }: Waiting): Money => {
  const lateRefund = refundSettledAfterFailing(payment, { movements }, { money })
  if (lateRefund !== undefined) return lateRefund.target.negate()
  return money.isNegative
    ? organizationSide(payment, money.negate(), true).negate()
    : organizationSide(payment, money, false)
}

/** Unallocated money, and the movements of its payment. */
interface Waiting extends Pick<Books, "movements">, Pick<Allocation, "from"> {
  readonly money: Money
}

interface Decided {
  readonly allocation_id: string
  readonly note: string
  readonly by: string | null
  readonly at: Date
}

/** Allocates an attempt's money to the organisation, which gets or bears it. `through`: the attempt that moved it. */
export const allocateToOrganization = (
  payment: Payment,
  through: Pick<Attempt, "account" | "attempt_id" | "own_account">,
  waiting: Waiting,
  decided: Decided
): Allocation => {
  const { from, money } = waiting
  const accountAmount = from === "ramp" ? money : accountAmountOf(payment, waiting)
  return {
    ...decided,
    attempt_id: through.attempt_id,
    from,
    amount: money,
    accountAmount,
    account: organizationAccountThrough(payment, through, accountAmount.currency)
  }
}

/**
 * The same allocation as a debt of an organisation without enough balance. Of a payin to a virtual account, the account
 * bears what its reserve and its `balance` can pay. `further`: id of the second allocation.
 */
export const asReceivable = (
  payment: Payment,
  books: Pick<Books, "allocations">,
  allocation: Allocation,
  balance: Money,
  further: string
): ReadonlyArray<Allocation> => {
  const { account, accountAmount: own, amount } = allocation
  const owed = { ...allocation, account: LedgerAccount.receivable(payment.org_id, own.currency) }
  const side = organizationAccount(payment)
  const reserved = heldInReserve(payment, books, side).minor
  const covered = reserved + (balance.isPositive ? balance.minor : 0n)
  const paid = share(amount, covered, -own.minor)
  if (account !== side || accountKind(side) !== "virtual" || covered >= -own.minor || paid.isZero) return [owed]
  const rest = (whole: Money, minor: bigint) => new Money({ currency: whole.currency, minor: whole.minor - minor })
  return [
    { ...allocation, amount: paid, accountAmount: new Money({ currency: own.currency, minor: -covered }) },
    { ...owed, allocation_id: further, amount: rest(amount, paid.minor), accountAmount: rest(own, -covered) }
  ]
}

/**
 * Accounts that bear money of an attempt that is back, less what they got of it; or, of money that is lacking, that a person
 * gave some of it to. Whichever did so last comes first.
 */
const holdersOf = ({ org_id }: Payment, { allocations }: Books, { attempt_id, money }: Sum) => {
  const sign = money.isNegative ? 1n : -1n
  const holders = new Map<LedgerAccount, { readonly amount: bigint; readonly own: Money }>()
  for (const one of allocations) {
    const isMine = one.from === "clearing" && one.attempt_id === attempt_id && one.amount.currency === money.currency
    if (!isMine || bearsOrGetsBack(one) === money.isNegative) continue
    const { account, accountAmount, amount } = one
    const { currency } = accountAmount
    const holder =
      account === LedgerAccount.receivable(org_id, currency) ? LedgerAccount.settlement(org_id, currency) : account
    const before = holders.get(holder)
    holders.set(holder, {
      amount: (before?.amount ?? 0n) + sign * amount.minor,
      own: new Money({ currency, minor: (before?.own.minor ?? 0n) + sign * accountAmount.minor })
    })
  }
  return Array.from(holders, ([account, held]) => ({ account, ...held }))
    .filter(({ amount }) => amount > 0n)
    .toReversed()
}

/** Allocates a sum to those who hold its counterpart, each at most so much. */
const allocateAmong = (
  payment: Payment,
  books: Books,
  { attempt_id, money: { currency, isNegative, minor } }: Sum,
  decided: Pick<Allocation, "at" | "note"> & { readonly newId: () => string }
): ReadonlyArray<Allocation> => {
  const { at, newId, note } = decided
  const sign = isNegative ? -1n : 1n
  let left = sign * minor
  const sum = { attempt_id, money: new Money({ currency, minor }) }
  return holdersOf(payment, books, sum).flatMap(({ account, amount, own }): ReadonlyArray<Allocation> => {
    const back = left < amount ? left : amount
    if (back <= 0n) return []
    left -= back
    const mine = share(own, back, amount)
    return [
      {
        allocation_id: newId(),
        attempt_id,
        from: "clearing",
        amount: new Money({ currency, minor: sign * back }),
        accountAmount: isNegative ? mine.negate() : mine,
        account,
        note,
        by: null,
        at
      }
    ]
  })
}

/** Returns borne money when the provider reinstates it, for example after a won dispute: to each account what it bore. */
export const allocateReinstatements = (
  payment: Payment,
  books: Books,
  { provider }: Attempt,
  moment: Pick<DecisionTime, "at" | "newId">
): ReadonlyArray<Allocation> => {
  if (books.allocations.length === 0) return []
  const decided = { ...moment, note: `${provider} gave it back.` }
  return unallocatedOf(payment, books)
    .filter(({ money }) => money.isPositive)
    .flatMap((rest) => allocateAmong(payment, books, rest, decided))
}

const lackingOf = (of: Position, { attempt_id, money }: Sum): bigint => {
  const { minor } = netOf(of, attempt_id, money.currency)
  return minor < 0n ? -minor : 0n
}

/**
 * Takes back what a person gave the organisation of a payout or a refund while a part of it was back: now that all of it is
 * back, the organisation has the whole again. It owes what its account does not get at the same moment. `before`: what
 * waited until then.
 */
export const withdrawParts = (
  payment: Payment,
  books: Books,
  before: Position,
  { provider }: Attempt,
  moment: Pick<DecisionTime, "at" | "newId"> & { readonly released: Money }
): ReadonlyArray<Allocation> => {
  if (books.allocations.length === 0) return []
  const { org_id } = payment
  const side = organizationAccount(payment)
  const decided = { ...moment, note: `A part of what ${provider} sent back in all.` }
  const withdrawn = unallocatedOf(payment, books).flatMap((rest) => {
    const minor = lackingOf(before, rest) - lackingOf([rest], rest)
    const money = new Money({ currency: rest.money.currency, minor })
    return minor < 0n ? allocateAmong(payment, books, { ...rest, money }, decided) : []
  })
  return withdrawn.map((one) => {
    const isCovered = one.account === side && -one.accountAmount.minor <= moment.released.minor
    return isCovered || accountKind(one.account) === "own"
      ? one
      : { ...one, account: LedgerAccount.receivable(org_id, one.accountAmount.currency) }
  })
}
