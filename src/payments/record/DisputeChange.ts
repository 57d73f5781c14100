/**
 * Rules, as a pure function, on money that a provider takes back in part, or gives back again: a dispute, and how it ended.
 * The payment itself stays what it is, and a person decides who bears what is gone.
 */
import type { ProviderSignal } from "../../domain/Settlement.ts"
import { type SuspenseMoney, suspenseMoney } from "../store/Change.ts"
import type { Payment, Refund } from "../store/Payment.ts"
import type { Known } from "../store/PaymentStore.ts"
import { type Dispute, isEarlyPart } from "./Dispute.ts"
import { noteOfDispute, noteOfLacking } from "./DisputeNotes.ts"
import { saidOf } from "./OwnRefunds.ts"
import { isOver } from "./PaymentChange.ts"
import type { Disputed } from "./PaymentEvents.ts"
import { isExpired, type SharedMoment, untilItsEnd } from "./Expiry.ts"
import { partsAfter, statusAfter } from "./RefundDecision.ts"
import { assemble, type Moment, type Ruled, type Ruling, type Source } from "./Ruling.ts"
import { collects, isWhole, standing, stillHolds, takenIn } from "./Standing.ts"
import { isEven, noteOfBounced } from "./TakenBack.ts"
import { isRiddle, unmatchedAfter, withUnmatched } from "./Unmatched.ts"

const suspenseOf = (known: Known, { amount, kind, refund }: Dispute): ReadonlyArray<SuspenseMoney> => {
  if (refund !== undefined) {
    const bounced = { ...known.attempt, attempt_id: refund.refund_id }
    return [suspenseMoney(bounced, kind === "again" ? amount.negate() : amount, `${kind} ${known.payment.version}`)]
  }
  if (kind !== "part" && kind !== "regained") return []
  const comes = (kind === "regained") === collects(known)
  const occasion = `${kind} ${amount.currency} ${known.payment.version}`
  return [suspenseMoney(known.attempt, comes ? amount : amount.negate(), occasion)]
}

/** What no money moved by is for operators alone. */
const disputedIn = ({ amount, kind }: Dispute): Disputed | undefined => {
  switch (kind) {
    case "part":
      return { kind: "returned", amount }
    case "regained":
      return { kind, amount }
    default:
      return undefined
  }
}

const unmatchedBy = (known: Known, signal: ProviderSignal, { amount, kind, matches }: Dispute, source: Source) => {
  const { attempt, payment } = known
  if (matches !== undefined) return unmatchedAfter(payment, attempt, matches)
  if (kind === "worthless" || kind === "known" || kind === "again" || (isWhole(signal) && kind !== "part")) return {}
  if (isWhole(signal)) {
    return unmatchedAfter(payment, attempt, { taken: [amount.negate()], said: saidOf(known, signal, source) })
  }
  const taken = takenIn(signal)
  if (taken === undefined || isEarlyPart(known, source, taken)) return {}
  const { unmatched } = withUnmatched(known, signal, source)
  return unmatched === undefined ? {} : { unmatched }
}

/** Refunds that went although nothing was there for them by the books, which they have now. */
const excessiveBefore = (known: Known, { amount, kind }: Dispute, source: Source): ReadonlyArray<Refund> => {
  const { minor } = standing(known, source, amount)
  if (kind !== "regained" || minor >= 0n || minor + amount.minor < 0n) return []
  const { others = [] } = source
  return known.payment.refunds.filter(
    ({ refund_id, state }) => state === "completed" && !others.some(({ about }) => about === refund_id)
  )
}

/** As a refund is once its money has gone again, or has come back again. */
const settledBy = (
  { status }: Payment,
  { kind, refund }: Dispute,
  { at }: Moment
): (Refund & { readonly state: "completed" | "failed" }) | undefined => {
  if (refund === undefined) return undefined
  if (kind === "again") return { ...refund, state: "completed", again: true, settled_at: at }
  const { again: _, ...part } = refund
  return { ...part, state: "failed", settled_at: at, ...(status === "refunded" ? { missing: true } : {}) }
}

/** What it means for the items of refunds. */
const besidesOf = (known: Known, dispute: Dispute, source: Source): NonNullable<Ruling["besides"]> => {
  const { kind, refund } = dispute
  if (refund === undefined) {
    return excessiveBefore(known, dispute, source).map(({ refund_id }) => ({ about: refund_id, note: undefined }))
  }
  const note = kind === "again" ? noteOfLacking(known, dispute, source) : noteOfBounced(known.attempt, refund)
  return [{ about: refund.refund_id, note }]
}

/** What was collected for a ramp has come, while the ramp waits for whoever settles it. */
const isAwaited = ({ attempt, payment }: Known): boolean =>
  !isOver(payment.status) && (attempt.leg !== "collection" || payment.ramp?.collected === null)

export const disputeChangeOf = (
  known: Known,
  signal: ProviderSignal,
  dispute: Dispute,
  source: Source,
  moment: Moment | SharedMoment
): Ruled => {
  const { attempt, payment } = known
  const suspense = suspenseOf(known, dispute)
  const { refund } = dispute
  const settled = settledBy(payment, dispute, moment)
  const refunds = settled && partsAfter(payment, [settled])
  const patch = { ...unmatchedBy(known, signal, dispute, source), ...(refunds && { refunds }) }
  const isMet = dispute.kind === "met" || refund !== undefined
  const even = (isMet || dispute.kind === "offset" || suspense.length > 0) && isEven(refund ? [] : suspense, source)
  // Whoever was told that it is refunded reads on the record, and hears by the event, that its money is there again.
  const over = even && !stillHolds(known, source) && !isRiddle({ ...payment, ...patch }, attempt)
  // What waits already waits as it did.
  const isQuiet = over || isMet
  const note = noteOfDispute(known, dispute, signal, suspense, source, over)
  // A dispute does not change when the provider is asked about the payment itself, except at its end.
  const told: Source = {
    ...source,
    ...(isQuiet && note !== undefined ? { note } : {}),
    ...(source.callback === undefined ? {} : { hinted: true })
  }
  const collecting = "shared" in moment && collects(known)
  const planned = collecting ? untilItsEnd(known, attempt.outcome, told, moment) : { source: told, moment }
  const expired = collecting && isExpired(payment, moment)
  return assemble(
    known,
    signal,
    {
      status: refunds === undefined ? payment.status : statusAfter(payment, refunds),
      outcome: attempt.outcome,
      patch,
      waits: attempt.outcome !== "declined" && isAwaited(known),
      underWay: attempt.outcome === "accepted" && isAwaited(known) && (expired || payment.status === "processing"),
      suspense,
      ...(dispute.received === undefined ? {} : { received: dispute.received }),
      note: isQuiet ? undefined : note,
      cleared: over,
      disputed: disputedIn(dispute),
      ...(refund && settled ? { settledRefund: { ...settled, from: refund.state } } : {}),
      besides: besidesOf(known, dispute, source),
      changes: suspense.length > 0
    },
    planned.source,
    planned.moment
  )
}
