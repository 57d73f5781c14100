/** Builds, as a pure function, all that one word about an attempt changes. */
import { Duration } from "effect"
import type { ProviderName } from "../domain/Corridor.ts"
import type { PaymentStatus } from "../domain/PaymentStatus.ts"
import { type AttemptOutcome, type Decision, decide, type Word } from "../domain/Settlement.ts"
import type {
  Attempt,
  AttemptPatch,
  Change,
  NewAttempt,
  OperatorItem,
  Payment,
  PaymentPatch,
  StoredCallback
} from "./Payment.ts"
import { holdsAfter, suspenseMoney } from "./PaymentBooks.ts"
import { eventsOf } from "./PaymentEvents.ts"

/** Who says it, and what else its change must carry. */
export interface Source {
  readonly cause: string
  readonly callback?: { readonly provider: ProviderName; readonly key: string }
  /** A person's own words, for the record. */
  readonly note?: string
  /** Counts as one of the attempt's enquiries. */
  readonly enquiry?: boolean
  /** The candidate that takes over if this one declines; only the dispatch has one. */
  readonly next?: NewAttempt | undefined
}

export interface Moment {
  readonly at: Date
  readonly newId: () => string
  readonly enquiryDelays: ReadonlyArray<Duration.Duration>
}

const reasonOf = (word: Word): string | null => {
  switch (word._tag) {
    case "Accepted":
      return null
    case "Absent":
      return "the provider never had it"
    default:
      return word.reason
  }
}

const waitingStatuses: ReadonlyArray<PaymentStatus> = ["initiated", "confirmed", "processing", "pending"]

/** Whether the provider still owes an answer about it. */
interface Answered {
  readonly outcome: AttemptOutcome | null
  readonly waits: boolean
}

export const attemptPatch = (
  attempt: Attempt,
  word: Word,
  { outcome, waits }: Answered,
  source: Source,
  moment: Moment
): AttemptPatch => {
  const enquiries = attempt.enquiries + (source.enquiry === true ? 1 : 0)
  const delay = moment.enquiryDelays[enquiries]
  const said = word._tag === "Accepted" || word._tag === "Report" ? word.providerPaymentId : null
  return {
    attempt_id: attempt.attempt_id,
    outcome,
    reason: outcome === attempt.outcome ? attempt.reason : reasonOf(word),
    provider_payment_id: said ?? attempt.provider_payment_id,
    answered_at: attempt.answered_at ?? moment.at,
    enquiries,
    enquire_in: waits && delay !== undefined ? Duration.toSeconds(delay) : null
  }
}

/** The same note is not written twice, however often its reason comes back. */
export const noted = (comments: string | null, note: string): string => {
  if (comments === null) return note
  return comments.includes(note) ? comments : `${comments} ${note}`
}

/** A payin that its provider takes back: the organisation may have spent it, so a person decides who bears it. */
const isClawedBack = ({ direction, status }: Payment, decision: Decision): boolean =>
  direction === "inbound" && status === "completed" && decision.status === "refunded"

const suspenseNote = (payment: Payment, attempt: Attempt, clawedBack: boolean): string =>
  clawedBack
    ? `${attempt.provider} has taken the money back: an operator must settle who bears it.`
    : `${attempt.provider} reports money for a payment that is ${payment.status}: it is held until an operator settles it.`

/** A word about waiting that came after the payment had gone on. */
const isOutdated = (state: string, { status }: Decision): boolean =>
  (state === "pending" || state === "processing") && state !== status

export const calledBack = ({ callback }: Source, { at }: Moment): PaymentPatch =>
  callback === undefined ? {} : { webhook_metadata: { event_id: callback.key, received_at: at.toISOString() } }

/** What the word says about the payment itself, its status aside. */
const paymentPatch = (
  payment: Payment,
  attempt: Attempt,
  word: Word,
  decision: Decision,
  source: Source,
  moment: Moment
): PaymentPatch => {
  const taken = decision.outcome === "accepted" || decision.outcome === "unknown"
  const over = !waitingStatuses.includes(decision.status)
  return {
    ...(taken ? { provider: attempt.provider } : {}),
    ...(taken && payment.direction === "outbound" ? { payout_id: attempt.attempt_id } : {}),
    ...(taken && (word._tag === "Accepted" || word._tag === "Report")
      ? {
          provider_payment_id: word.providerPaymentId ?? payment.provider_payment_id,
          provider_status: isOutdated(word.state, decision)
            ? payment.provider_status
            : (word.providerStatus ?? payment.provider_status)
        }
      : {}),
    ...(word._tag === "Accepted"
      ? { next_action: word.nextAction, action_data: word.actionData, provider_data: word.providerData }
      : {}),
    ...(word._tag === "Unknown" && attempt.outcome === null ? { next_action: "check_status" } : {}),
    ...(over ? { next_action: null } : {}),
    ...calledBack(source, moment),
    ...(decision.suspense
      ? { comments: noted(payment.comments, suspenseNote(payment, attempt, isClawedBack(payment, decision))) }
      : {})
  }
}

/** What a person must see: money in suspense, for the reason in `note`, or an outcome that stays unknown. */
export const operatorItem = (
  payment: Payment,
  attempt: Attempt,
  {
    note,
    outcome,
    suspense,
    underWay = false
  }: Pick<Decision, "outcome" | "suspense"> & { readonly note: string; readonly underWay?: boolean },
  patch: AttemptPatch,
  moment: Moment
): OperatorItem | undefined => {
  const item = (kind: OperatorItem["kind"], detail: string): OperatorItem => ({
    item_id: moment.newId(),
    org_id: payment.org_id,
    kind,
    payment_id: payment.payment_id,
    attempt_id: attempt.attempt_id,
    detail,
    opened_at: moment.at
  })
  if (suspense) return item("suspense", note)
  if (patch.enquire_in !== null || (outcome !== "unknown" && !underWay)) return undefined
  const silence =
    patch.reason ?? (outcome === "unknown" ? "no answer" : "it accepted the payment and has been silent since")
  return item("unknown_outcome", `${attempt.provider} has not said what became of it: ${silence}.`)
}

export const callbackRow = (
  payment: Payment,
  attempt: Attempt,
  word: Word,
  effect: StoredCallback["effect"],
  callback: NonNullable<Source["callback"]>,
  moment: Moment
): StoredCallback => ({
  callback_id: moment.newId(),
  provider: callback.provider,
  event_key: callback.key,
  payment_id: payment.payment_id,
  attempt_id: attempt.attempt_id,
  org_id: payment.org_id,
  report: word._tag === "Report" ? word.state : word._tag.toLowerCase(),
  effect,
  received_at: moment.at
})

export const changeOf = (
  payment: Payment,
  attempt: Attempt,
  word: Word,
  source: Source,
  moment: Moment
): { readonly change: Change; readonly decision: Decision; readonly after: Payment } => {
  const decided = decide({ status: payment.status, outcome: attempt.outcome }, word, source.next !== undefined)
  const clawedBack = isClawedBack(payment, decided)
  const decision = { ...decided, suspense: decided.suspense || clawedBack }
  const waits = decision.outcome !== "declined" && waitingStatuses.includes(decision.status)
  const answered = attemptPatch(attempt, word, { outcome: decision.outcome, waits }, source, moment)
  const nextAttempt = decision.outcome === "declined" && !isOver(decision.status) ? source.next : undefined
  const patch = {
    ...paymentPatch(payment, attempt, word, decision, source, moment),
    holds: holdsAfter(payment, decision.status, nextAttempt)
  }
  const after: Payment = {
    ...payment,
    ...patch,
    status: decision.status,
    version: payment.version + 1,
    updated_at: moment.at
  }
  const openItem = operatorItem(
    payment,
    attempt,
    {
      ...decision,
      note: suspenseNote(payment, attempt, clawedBack),
      // Nobody but the provider can move it on; what waits for a customer is not an operator's to chase.
      underWay: decision.outcome === "accepted" && decision.status === "processing"
    },
    answered,
    moment
  )
  const effect = decision.suspense ? "suspense" : decision.status === payment.status ? "nothing to change" : "applied"
  const dispatched = payment.provider === null && after.provider !== null
  const change: Change = {
    payment,
    status: decision.status,
    patch,
    cause: source.cause,
    at: moment.at,
    attempt: answered,
    events: eventsOf(moment.newId, after, payment.status, dispatched, moment.at),
    ...(nextAttempt === undefined ? {} : { nextAttempt }),
    ...(decision.suspense ? { suspense: suspenseMoney(payment, attempt, clawedBack ? payment : undefined) } : {}),
    ...(source.callback === undefined
      ? {}
      : { callback: callbackRow(payment, attempt, word, effect, source.callback, moment) }),
    ...(openItem === undefined ? {} : { openItem }),
    ...((attempt.outcome === "unknown" && decision.outcome !== "unknown") || isOver(decision.status)
      ? { closeItems: { kind: "unknown_outcome", by: source.cause } }
      : {})
  }
  return { change, decision, after }
}

const isOver = (status: PaymentStatus): boolean => !waitingStatuses.includes(status)
