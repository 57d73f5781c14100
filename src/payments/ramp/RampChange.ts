/** Builds, as a pure function, all that one word about a leg of a ramp changes. */
import { Duration } from "effect"
import type { Money } from "../../domain/Money.ts"
import { decideRamp, type RampDecision, type RampLeg } from "../../domain/RampLeg.ts"
import type { Word } from "../../domain/Settlement.ts"
import type { Attempt, AttemptPatch, Change, NewAttempt, Payment, PaymentPatch, SuspenseMoney } from "../Payment.ts"
import {
  attemptPatch,
  calledBack,
  callbackRow,
  type Moment,
  noted,
  operatorItem,
  type Source
} from "../PaymentChange.ts"
import { eventsOf } from "../PaymentEvents.ts"
import { rampEntries } from "./RampBooks.ts"
import type { RampFacts } from "./RampFacts.ts"

export interface KnownLeg {
  readonly payment: Payment & { readonly ramp: RampFacts }
  readonly attempt: Attempt
}

const receivedBy = (word: Word): Money | undefined => (word._tag === "Report" ? word.received : undefined)

const legOf = ({ leg }: Attempt): RampLeg => (leg === "settlement" ? "settlement" : "collection")

const isOver = ({ status }: RampDecision): boolean => !["initiated", "pending", "processing"].includes(status)

/** What a person must know about money that is not where it was meant to go. */
const noteOf = ({ attempt, payment }: KnownLeg, { effect }: RampDecision, word: Word): string | undefined => {
  const { amount } = payment
  const received = receivedBy(word)
  switch (effect) {
    case "underpaid":
      return `Only ${received?.toString()} of ${amount.toString()} arrived: it is held until an operator gives it back.`
    case "collected":
      return received !== undefined && received.minor > amount.minor
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

const suspenseOf = ({ attempt, payment }: KnownLeg, word: Word): SuspenseMoney => {
  const came = legOf(attempt) === "collection" && !(word._tag === "Report" && word.state === "returned")
  const amount = legOf(attempt) === "collection" ? (receivedBy(word) ?? payment.amount) : payment.target
  return { attempt_id: attempt.attempt_id, provider: attempt.provider, amount, came }
}

const patchOf = (known: KnownLeg, word: Word, decision: RampDecision, source: Source, moment: Moment): PaymentPatch => {
  const { attempt, payment } = known
  const taken = decision.outcome === "accepted" || decision.outcome === "unknown"
  const collects = legOf(attempt) === "collection"
  const spoken = word._tag === "Accepted" || word._tag === "Report" ? word : undefined
  const arrived = decision.effect === "collected" || decision.effect === "underpaid"
  const note = noteOf(known, decision, word)
  return {
    ...(taken && collects ? { provider: attempt.provider } : {}),
    // Already so since it was committed, but for attempts of older versions.
    ...(taken && !collects ? { payout_id: attempt.attempt_id } : {}),
    ...(taken && collects && spoken !== undefined
      ? {
          provider_payment_id: spoken.providerPaymentId ?? payment.provider_payment_id,
          provider_status: spoken.providerStatus ?? payment.provider_status
        }
      : {}),
    ...(word._tag === "Accepted" && collects && !payment.ramp.collected
      ? { next_action: word.nextAction, action_data: word.actionData, provider_data: word.providerData }
      : {}),
    ...(word._tag === "Unknown" && attempt.outcome === null && collects ? { next_action: "check_status" } : {}),
    ...(arrived || isOver(decision) ? { next_action: null } : {}),
    ...(arrived ? { ramp: { ...payment.ramp, collected: (receivedBy(word) ?? payment.amount).toNumericText() } } : {}),
    ...calledBack(source, moment),
    ...(note === undefined ? {} : { comments: noted(payment.comments, note) })
  }
}

/** While nobody has paid, the provider is asked at the moment when nobody may pay any more. */
const atExpiry = ({ expires_at }: Payment, patch: AttemptPatch, { at }: Moment): AttemptPatch => {
  const left = expires_at === null ? -1 : Duration.toSeconds(Duration.millis(expires_at.getTime() - at.getTime())) + 1
  return patch.enquire_in === null || left < 1 || patch.enquire_in <= left ? patch : { ...patch, enquire_in: left }
}

/** `second`: whom to ask to settle, where this word may be that the money has arrived. */
export const rampChangeOf = (
  known: KnownLeg,
  word: Word,
  source: Source,
  moment: Moment,
  second: NewAttempt | undefined
): { readonly change: Change; readonly decision: RampDecision; readonly after: Payment } => {
  const { attempt, payment } = known
  const standing = {
    status: payment.status,
    leg: legOf(attempt),
    outcome: attempt.outcome,
    collected: payment.ramp.collected !== null,
    expired: payment.expires_at !== null && payment.expires_at <= moment.at,
    expected: payment.amount
  }
  const decided = decideRamp(standing, word, source.next !== undefined)
  const stuck = decided.effect === "collected" && second === undefined
  const decision: RampDecision = stuck ? { ...decided, status: "failed" } : decided
  const stranding: RampDecision = stuck ? { ...decision, effect: "stranded" } : decision
  const nextAttempt =
    decision.effect === "collected" && !stuck
      ? second
      : decision.outcome === "declined" && decision.status === payment.status
        ? source.next
        : undefined
  const patch = {
    ...patchOf(known, word, decision, source, moment),
    ...(nextAttempt?.leg === "settlement" ? { payout_id: nextAttempt.attempt_id } : {}),
    ...(stuck ? { comments: noted(payment.comments, noteOf(known, stranding, word)!) } : {})
  }
  const waits =
    decision.outcome !== "declined" &&
    (standing.leg === "collection"
      ? patch.ramp === undefined && payment.ramp.collected === null && !isOver(decision)
      : decision.status === "processing")
  const answered = attemptPatch(attempt, word, { outcome: decision.outcome, waits }, source, moment)
  const after: Payment = {
    ...payment,
    ...patch,
    status: decision.status,
    version: payment.version + 1,
    updated_at: moment.at
  }
  const note = noteOf(known, stranding, word)
  const openItem = operatorItem(
    payment,
    attempt,
    {
      outcome: decision.outcome,
      suspense: note !== undefined,
      note: note ?? "",
      underWay: standing.leg === "settlement" && decision.outcome === "accepted" && decision.status === "processing"
    },
    answered,
    moment
  )
  const heard =
    decision.effect === "suspense" ? "suspense" : decision.status === payment.status ? "nothing to change" : "applied"
  const dispatched = payment.provider === null && after.provider !== null
  const change: Change = {
    payment,
    status: decision.status,
    patch,
    cause: source.cause,
    at: moment.at,
    attempt: standing.leg === "collection" ? atExpiry(payment, answered, moment) : answered,
    events: eventsOf(moment.newId, after, payment.status, dispatched, moment.at),
    entries: rampEntries(payment, attempt, decision.effect, receivedBy(word)),
    ...(nextAttempt === undefined ? {} : { nextAttempt }),
    ...(decision.effect === "suspense" ? { suspense: suspenseOf(known, word) } : {}),
    ...(source.callback === undefined
      ? {}
      : { callback: callbackRow(payment, attempt, word, heard, source.callback, moment) }),
    ...(openItem === undefined ? {} : { openItem }),
    ...(attempt.outcome === "unknown" && decision.outcome !== "unknown"
      ? { closeItems: { kind: "unknown_outcome" as const, by: source.cause, attempt_id: attempt.attempt_id } }
      : {})
  }
  return { change, decision, after }
}
