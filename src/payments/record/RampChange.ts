/** Rules, as a pure function, on one word about a leg of a ramp. */
import type { Money } from "../../domain/Money.ts"
import { decideRamp, type RampDecision, type RampLeg } from "../../domain/RampLeg.ts"
import { difference, type Received, totalIn, totals } from "../../domain/Received.ts"
import type { ProviderSignal } from "../../domain/Settlement.ts"
import type { Attempt, PaymentFailure } from "../store/Payment.ts"
import type { RampPayment } from "../route/LegOrder.ts"
import { isAimless, isOver, isPursued, nextStep, providerDataAfter } from "./PaymentChange.ts"
import { withClaims } from "./Claims.ts"
import { doubtOf } from "./Doubt.ts"
import { assemble, isReturned, ownId, type Ruled, type Source } from "./Ruling.ts"
import { goneFrom, heardBefore, isEven, joined, noteOfRest, waitingAfter } from "./TakenBack.ts"
import { stillHolds } from "./Standing.ts"
import { isRiddle } from "./Unmatched.ts"
import { isExpired, type SharedMoment, untilItsEnd } from "./Expiry.ts"
import { excessIn, rampEntries } from "./RampPostings.ts"
import { type NewAttempt, type PaymentPatch, type SuspenseMoney, suspenseMoney } from "../store/Change.ts"

export interface KnownLeg {
  readonly payment: RampPayment
  readonly attempt: Attempt
}

const legOf = ({ leg }: Attempt): RampLeg => (leg === "settlement" ? "settlement" : "collection")

/** All that has been collected of what was asked for. */
const collectedBy = ({ payment }: KnownLeg, { received }: RampDecision): Money =>
  totalIn(received, payment.amount.currency)

/** What a person must know about money that is not where it was meant to go. */
const noteOf = (known: KnownLeg, decision: RampDecision): string | undefined => {
  const { attempt, payment } = known
  const { amount } = payment
  const received = collectedBy(known, decision)
  switch (decision.effect) {
    case "underpaid":
      return `Only ${received.toString()} of ${amount.toString()} arrived: it is held until an operator gives it back.`
    case "collected":
      return received.minor > amount.minor
        ? `${received.toString()} arrived instead of ${amount.toString()}: the rest is held until an operator gives it back.`
        : undefined
    case "stranded":
      return `${amount.toString()} were collected and could not be settled: they are held until an operator gives them back.`
    case "returned":
      return `${attempt.provider} sent ${payment.target.toString()} back: ${amount.toString()} are held until an operator settles it.`
    case "suspense":
      return `${attempt.provider} reports money for a payment that is ${payment.status}: it is held until an operator settles it.`
    default:
      return undefined
  }
}

/** What waits because of the leg once this word is written, where it has brought anything that waits. */
const waitingBy = (
  known: KnownLeg,
  decision: RampDecision,
  suspense: ReadonlyArray<SuspenseMoney>,
  source: Source
): ReadonlyArray<Money> | undefined => {
  const excess = decision.effect === "collected" ? excessIn(known.payment, collectedBy(known, decision)) : null
  const besides = excess === null ? [] : [suspenseMoney(known.attempt, excess, "besides")]
  return decision.effect === "suspense" || excess !== null ? waitingAfter(joined(suspense, besides), source) : undefined
}

/** What is taken or given back of what nobody had decided on is gone with it, and so is what went before. */
const noteOfSuspense = (
  known: KnownLeg,
  signal: ProviderSignal,
  decision: RampDecision,
  suspense: ReadonlyArray<SuspenseMoney>,
  waiting: ReadonlyArray<Money> | undefined,
  isGone: boolean
): string | undefined => {
  const { effect } = decision
  if (isReturned(signal) && effect !== "returned" && effect !== "stranded") {
    return suspense.length === 0 || isGone
      ? undefined
      : `${known.attempt.provider} has taken or sent money back: it is for an operator to settle who bears it.`
  }
  if (waiting === undefined || effect === "stranded") return noteOf(known, decision)
  if (waiting.length === 0) return undefined
  // By the books: it may have gone before it came.
  const isLacking = legOf(known.attempt) === "collection" && waiting.some(({ isNegative }) => isNegative)
  return isLacking ? noteOfRest(known, waiting) : noteOf(known, decision)
}

/** What came is above zero; what was settled, or taken back, is below. */
const suspenseOf = (
  known: KnownLeg,
  before: Received,
  decision: RampDecision,
  signal: ProviderSignal,
  source: Source
): ReadonlyArray<SuspenseMoney> => {
  const { attempt, payment } = known
  if (isReturned(signal)) return decision.effect === "returned" ? [] : goneFrom(known, source)
  if (decision.effect !== "suspense") return []
  const grown = difference(totals(before), totals(decision.received))
  const again = before === attempt.received ? "" : ` again ${payment.version}`
  return grown.map((more) => {
    const total = totalIn(decision.received, more.currency).toString()
    return suspenseMoney(attempt, legOf(attempt) === "collection" ? more : more.negate(), `${total}${again}`)
  })
}

const patchOf = (known: KnownLeg, signal: ProviderSignal, decision: RampDecision, source: Source): PaymentPatch => {
  const { attempt, payment } = known
  const taken = decision.outcome === "accepted" || decision.outcome === "unknown"
  const collects = legOf(attempt) === "collection"
  const spoken = signal._tag === "Accepted" || signal._tag === "Report" ? signal : undefined
  const arrived = decision.effect === "collected" || decision.effect === "underpaid"
  return {
    ...(taken && collects ? { provider: attempt.provider, account: attempt.account } : {}),
    // Already so since it was committed, but for attempts of older versions.
    ...(taken && !collects ? { payout_id: attempt.attempt_id } : {}),
    ...(taken && collects && spoken !== undefined
      ? {
          provider_payment_id: ownId(attempt, spoken, source) ?? payment.provider_payment_id,
          provider_status: spoken.providerStatus ?? payment.provider_status
        }
      : {}),
    ...(collects && payment.ramp.collected === null ? nextStep(payment, attempt, signal) : {}),
    ...providerDataAfter(payment, attempt, signal),
    ...(arrived || isOver(decision.status) ? { next_action: null } : {}),
    ...(arrived ? { ramp: { ...payment.ramp, collected: collectedBy(known, decision).toNumericText() } } : {})
  }
}

const failureOf = ({ attempt }: KnownLeg, { effect }: RampDecision, note: string | undefined) => {
  const { provider } = attempt
  const failure = (code: PaymentFailure["code"]): PaymentFailure => ({ code, message: note ?? "", provider })
  if (effect === "underpaid") return { failure: failure("UNDERPAID") }
  return effect === "stranded" ? { failure: failure("NOT_SETTLED") } : {}
}

/** `second`: whom to ask to settle, where this word may be that the money has arrived. */
export const rampChangeOf = (
  known: KnownLeg,
  signal: ProviderSignal,
  source: Source,
  moment: SharedMoment,
  second: NewAttempt | undefined
): Ruled => {
  const { attempt, payment } = known
  const leg = legOf(attempt)
  const expired = isExpired(payment, moment)
  const before = heardBefore(known, signal, source)
  const decided = decideRamp(
    {
      status: payment.status,
      leg,
      outcome: attempt.outcome,
      collected: payment.ramp.collected !== null,
      expired,
      expected: leg === "collection" ? payment.amount : payment.target,
      received: before,
      pursued: isPursued(attempt)
    },
    signal,
    source.next !== undefined
  )
  const stuck = decided.effect === "collected" && second === undefined
  const decision: RampDecision = stuck ? { ...decided, status: "failed" } : decided
  const { outcome, received, resurfaced, status } = decision
  const told: RampDecision = stuck ? { ...decision, effect: "stranded" } : decision
  const came = isReturned(signal) ? [] : difference(totals(before), totals(received))
  const arrived = suspenseOf(known, before, decision, signal, source)
  const { disputed, moved: suspense, unmatched } = withClaims(known, came, arrived)
  const waiting = isReturned(signal) ? undefined : waitingBy(known, decision, suspense, source)
  const isGone = isReturned(signal)
    ? suspense.length > 0 && isEven(suspense, source) && !stillHolds(known, source)
    : waiting?.length === 0 && !stillHolds(known, source) && !isRiddle({ ...payment, ...unmatched }, attempt)
  const note = noteOfSuspense(known, signal, told, suspense, waiting, isGone)
  const nextAttempt =
    decision.effect === "collected" && !stuck
      ? second
      : outcome === "declined" && attempt.outcome !== "declined" && !isOver(status)
        ? source.next
        : undefined
  const patch = {
    ...patchOf(known, signal, decision, source),
    ...unmatched,
    ...(nextAttempt?.leg === "settlement" ? { payout_id: nextAttempt.attempt_id } : {})
  }
  const collecting = leg === "collection"
  const paid = patch.ramp !== undefined || payment.ramp.collected !== null
  const planned = collecting ? untilItsEnd(known, outcome, source, moment) : { source, moment }
  return assemble(
    known,
    signal,
    {
      status,
      outcome,
      patch,
      received,
      waits:
        resurfaced || (outcome !== "declined" && (collecting ? !paid && !isOver(status) : status === "processing")),
      // Whatever still waits for its customer then is called off: what is left is under way at its provider.
      underWay: resurfaced || (outcome === "accepted" && (collecting ? expired : status === "processing")),
      aimless: collecting && isAimless(signal, { ...payment, ...patch, status }, decision),
      suspense,
      note,
      doubt: doubtOf(known, signal, source, {
        moved: collecting ? payment.ramp.collected !== null : payment.status === "completed",
        awaited: collecting && payment.ramp.collected === null && !isOver(payment.status)
      }),
      cleared: isGone && note === undefined,
      entries: rampEntries(payment, attempt, decision.effect, collectedBy(known, decision)),
      nextAttempt,
      disputed,
      changes: status !== payment.status,
      ...failureOf(known, told, note)
    },
    planned.source,
    planned.moment
  )
}
