/** Rules, as a pure function, on one word about an attempt to collect or pay: what it changes follows from the ruling. */
import type { Money } from "../../domain/Money.ts"
import type { PaymentStatus } from "../../domain/PaymentStatus.ts"
import { difference, moneyIn as orderedOf, totalIn, unowned } from "../../domain/Received.ts"
import { type AttemptState, type Decision, decide, ownsMoney, type ProviderSignal } from "../../domain/Settlement.ts"
import type { Attempt, Payment, PaymentFailure } from "../store/Payment.ts"
import type { Known } from "../store/PaymentStore.ts"
import { providersMoney } from "../store/PaymentPostings.ts"
import { fundingThrough, heldAfter } from "../store/Sides.ts"
import { withClaims } from "./Claims.ts"
import { doubtOf } from "./Doubt.ts"
import { endsNow, expiredFailure, failsPastEnd, planEnd, type SharedMoment } from "./Expiry.ts"
import { partsBesides } from "./OwnRefunds.ts"
import { assemble, isReturned, type Moment, ownId, type Ruled, type Source } from "./Ruling.ts"
import {
  goneFrom,
  heardBefore,
  isEven,
  noteOfGone,
  noteOfRest,
  sentBackBefore,
  sumOf,
  waitingAfter
} from "./TakenBack.ts"
import { isRiddle } from "./Unmatched.ts"
import { type PaymentPatch, type SuspenseMoney, suspenseMoney } from "../store/Change.ts"

const waitingStatuses: ReadonlyArray<PaymentStatus> = ["initiated", "confirmed", "processing", "pending"]

/** Nobody waits for a word about it any more. */
export const isOver = (status: PaymentStatus): boolean => !waitingStatuses.includes(status)

/** A payin that its provider takes back: the organisation may have spent it, so a person decides who bears it. */
const isClawedBack = ({ direction, status }: Payment, decision: Decision): boolean =>
  direction === "inbound" && status === "completed" && decision.status === "refunded"

/** A payout that comes back has a place in the books, its parts that came before with it; what else goes back is for a person. */
const goneOf = (
  known: Known,
  signal: ProviderSignal,
  decision: Decision,
  source: Source
): ReadonlyArray<SuspenseMoney> => {
  const { direction, status, version } = known.payment
  if (!isReturned(signal)) return []
  const isPayoutBack = direction === "outbound" && decision.status === "refunded" && status !== "refunded"
  if (!isPayoutBack) return goneFrom(known, source)
  const parts = sentBackBefore(known, source)
  return parts.isPositive ? [suspenseMoney(known.attempt, parts.negate(), `parts of the whole ${version}`)] : []
}

/** It was refused, and its provider is being asked about it nevertheless. */
export const isPursued = ({ next_enquiry_at, outcome }: Attempt): boolean =>
  outcome === "declined" && next_enquiry_at !== null

/** A word about waiting that came after the payment had gone on. */
const isOutdated = (state: string, { status }: Decision): boolean =>
  (state === "pending" || state === "processing") && state !== status

/** What the word says about the payment itself, its status aside. */
const paymentPatch = (
  { attempt, payment }: Known,
  signal: ProviderSignal,
  decision: Decision,
  source: Source
): PaymentPatch => {
  const taken = decision.outcome === "accepted" || decision.outcome === "unknown"
  return {
    ...(taken ? { provider: attempt.provider, account: attempt.account } : {}),
    // What pays a payout was settled when its attempt was committed.
    ...(taken && payment.direction === "inbound" ? { funding: fundingThrough(payment, attempt) } : {}),
    ...(taken && payment.direction === "outbound" ? { payout_id: attempt.attempt_id } : {}),
    ...(taken && (signal._tag === "Accepted" || signal._tag === "Report")
      ? {
          provider_payment_id: ownId(attempt, signal, source) ?? payment.provider_payment_id,
          provider_status: isOutdated(signal.state, decision)
            ? payment.provider_status
            : (signal.providerStatus ?? payment.provider_status)
        }
      : {}),
    ...nextStep(payment, attempt, signal),
    ...providerDataAfter(payment, attempt, signal),
    ...(isOver(decision.status) ? { next_action: null } : {})
  }
}

/** What the provider keeps for itself. */
const feeIn = ({ fee }: { readonly fee?: Money }) =>
  fee === undefined ? {} : { provider_fee: { amount: fee.toNumericText(), currency: fee.currency } }

/** The provider's ids, receipts and fee, beside those that it told before. One that refused the payment adds nothing. */
export const providerDataAfter = (payment: Payment, attempt: Attempt, signal: ProviderSignal): PaymentPatch => {
  if (attempt.outcome === "declined" || (signal._tag !== "Accepted" && signal._tag !== "Report")) return {}
  // The fee of a ramp is that of what it collected.
  const told = { ...signal.providerData, ...(attempt.leg === "settlement" ? {} : feeIn(signal)) }
  if (Object.keys(told).length === 0) return {}
  const isSame = payment.provider === attempt.provider || payment.direction === "external"
  return { provider_data: { ...(isSame ? payment.provider_data : {}), ...told } }
}

/** What the customer must do. A provider that can say it again does so for whoever lost its first answer. */
export const nextStep = (payment: Payment, attempt: Attempt, signal: ProviderSignal): PaymentPatch => {
  // Whoever refused it no longer speaks for the payment: its customer would pay twice.
  if (attempt.outcome === "declined") return {}
  switch (signal._tag) {
    case "Accepted":
      return { next_action: signal.nextAction, action_data: signal.actionData }
    case "Unknown":
      return attempt.outcome === null ? { next_action: "check_status" } : {}
    case "Report":
      return signal.waitsFor !== undefined && isUntold(payment) && !isOver(payment.status)
        ? { next_action: signal.waitsFor.nextAction, action_data: signal.waitsFor.actionData }
        : {}
    default:
      return {}
  }
}

/** Nobody can tell the customer what to do. */
export const isUntold = ({ next_action }: Pick<Payment, "next_action">): boolean =>
  next_action === null || next_action === "check_status"

/** The provider waits for a customer whom nobody can tell what to do, since its answer was lost. */
export const isAimless = (
  signal: ProviderSignal,
  { direction, next_action, status }: Payment,
  { outcome }: Pick<Decision, "outcome">
): boolean =>
  signal._tag === "Report" &&
  signal.state === "pending" &&
  status === "pending" &&
  outcome === "accepted" &&
  direction !== "outbound" &&
  isUntold({ next_action })

/** What its provider has that the payment has no place for. What goes out is what is lacking. */
const suspenseOf = (
  payment: Payment,
  attempt: Attempt,
  current: AttemptState,
  decision: Decision
): ReadonlyArray<SuspenseMoney> => {
  const { asked } = current
  const owned = ownsMoney(decision)
  const before = unowned(current.received, asked, ownsMoney(current))
  return difference(before, unowned(decision.received, asked, owned)).map((amount) => {
    const again = current.received === attempt.received ? "" : ` again ${payment.version}`
    const occasion = `${totalIn(decision.received, amount.currency).toString()}${owned ? " owned" : ""}${again}`
    return suspenseMoney(attempt, payment.direction === "outbound" ? amount.negate() : amount, occasion)
  })
}

/** All that has come by a word, or gone out: what the payment has a place for, and what it has none for. */
const cameBy = (
  { payment }: Known,
  decision: Decision,
  arrived: ReadonlyArray<SuspenseMoney>
): ReadonlyArray<Money> => {
  const completes = decision.status === "completed" && payment.status !== "completed" ? [providersMoney(payment)] : []
  const besides = arrived.map(({ amount }) => (payment.direction === "outbound" ? amount : amount.negate()))
  return difference(besides, completes)
}

/** Too little has come, and it all went back before anybody heard that it came. */
const isBackAlready = (
  { attempt, payment }: Known,
  { status }: Decision,
  moved: ReadonlyArray<SuspenseMoney>,
  source: Source
): boolean =>
  payment.direction === "inbound" &&
  attempt.reason !== null &&
  moved.length > 0 &&
  !isOver(status) &&
  (source.waiting ?? []).length > 0 &&
  isEven(moved, source)

/** `waiting`: all that is held by then, since one item of the queue stands for it. */
const noteOf = (
  { attempt, payment }: Known,
  decision: Decision,
  moved: ReadonlyArray<SuspenseMoney>,
  waiting: ReadonlyArray<Money>
) => {
  const surplus = ownsMoney(decision) && unowned(decision.received, providersMoney(payment), true).length > 0
  const added = surplus
    ? moved[0]
    : moved.find(({ amount }) => (payment.direction === "outbound" ? amount.isNegative : amount.isPositive))
  if (added === undefined) return undefined
  const total = totalIn(decision.received, added.amount.currency).toString()
  const asked = providersMoney(payment).toString()
  const several = waiting.length > 1 && waiting.every(({ isPositive }) => isPositive)
  if (several && (ownsMoney(decision) || !(attempt.outcome === "declined" || isOver(decision.status)))) {
    return ownsMoney(decision)
      ? `${sumOf(waiting)} arrived at ${attempt.provider} besides ${asked}: it is held until an operator settles it.`
      : `${sumOf(waiting)} arrived at ${attempt.provider} instead of ${asked}: it is held until the rest comes or an operator settles it.`
  }
  if (ownsMoney(decision)) {
    return `${total} arrived at ${attempt.provider} instead of ${asked}: the surplus is held until an operator settles it.`
  }
  return attempt.outcome === "declined" || isOver(decision.status)
    ? `${attempt.provider} reports money for a payment that is ${payment.status}: it is held until an operator settles it.`
    : `Only ${total} of ${asked} arrived at ${attempt.provider}: it is held until the rest comes or an operator settles it.`
}

const wentBack = ({ provider, reason }: Attempt): PaymentFailure => ({
  code: "PROVIDER_FAILED",
  message: reason ?? `${provider} has taken it back.`,
  provider
})

export const changeOf = (
  known: Known,
  signal: ProviderSignal,
  source: Source,
  moment: Moment | SharedMoment
): Ruled => {
  const { attempt, payment } = known
  const current = {
    status: payment.status,
    outcome: attempt.outcome,
    flow: payment.direction,
    asked: providersMoney(payment),
    received: heardBefore(known, signal, source),
    pursued: isPursued(attempt),
    ...(attempt.ordered === null ? {} : { ordered: orderedOf(attempt.ordered) })
  }
  const heard = decide(current, signal, source.next !== undefined)
  // What is back moves nothing but what the books have there.
  const arrived = isReturned(signal) ? [] : suspenseOf(payment, attempt, current, heard)
  const { disputed, moved, unmatched } = withClaims(
    known,
    isReturned(signal) ? [] : cameBy(known, heard, arrived),
    arrived
  )
  const isBack = isBackAlready(known, heard, moved, source)
  const isEnding = endsNow(known, heard, source, moment) || failsPastEnd(known, heard, source, moment)
  const decision: Decision = isBack || isEnding ? { ...heard, status: "failed" } : heard
  const { outcome, received, resurfaced, status } = decision
  const refuses = outcome === "declined" && attempt.outcome !== "declined"
  const nextAttempt = refuses && !isOver(status) ? source.next : undefined
  const spoken = paymentPatch(known, signal, decision, source)
  const end = planEnd(known, signal, heard, spoken, source, moment)
  const patch = {
    ...spoken,
    ...end.patch,
    ...(payment.direction === "outbound" ? heldAfter(payment, status, nextAttempt) : {}),
    ...(isClawedBack(payment, decision) ? { refunds: partsBesides(known, signal, source) } : {}),
    ...unmatched
  }
  const gone = goneOf(known, signal, decision, source)
  const isGone = gone.length > 0 && isEven(gone, source)
  const wasInSuspense = unowned(attempt.received, current.asked, ownsMoney(current)).length > 0
  // By the books: some of what lay in suspense may have gone before the rest came, or before any of it did.
  const waiting = waitingAfter(moved, source)
  const isMet = arrived.length > 0 && waiting.length === 0
  const isLacking = payment.direction === "inbound" && waiting.some(({ isNegative }) => isNegative)
  const told =
    arrived.length === 0 || isMet
      ? undefined
      : ((isLacking ? undefined : noteOf(known, decision, moved, waiting)) ?? noteOfRest(known, waiting))
  return assemble(
    known,
    signal,
    {
      status,
      outcome,
      patch,
      // What arrives as it was asked for is told by the status alone.
      ...(arrived.length === 0 && !wasInSuspense && !isReturned(signal) ? {} : { received }),
      waits: resurfaced || end.isLate || (outcome !== "declined" && !isOver(status)),
      // What waits for a customer is not an operator's to chase before its end.
      underWay: resurfaced || end.isOverdue || (outcome === "accepted" && status === "processing"),
      aimless: isAimless(signal, { ...payment, ...patch, status }, decision),
      suspense: gone.length > 0 ? gone : moved,
      note: gone.length === 0 ? told : isGone ? undefined : noteOfGone(known, gone, source),
      doubt: doubtOf(known, signal, source, {
        moved: payment.status === "completed",
        awaited: payment.direction === "inbound" && !isOver(payment.status)
      }),
      cleared: isGone || (isMet && !isRiddle({ ...payment, ...patch }, attempt)),
      disputed,
      ...(isBack ? { failure: wentBack(attempt) } : {}),
      ...(isEnding ? { failure: expiredFailure(payment) } : {}),
      nextAttempt,
      changes: status !== payment.status
    },
    end.source,
    end.moment
  )
}
