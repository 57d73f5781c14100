/** Everything that is written with a new payment, or with a change of one, and how it is counted. */
import type { AttemptId } from "../../domain/Ids.ts"
import type { NewFee } from "../../domain/Fee.ts"
import type { PaymentStatus } from "../../domain/PaymentStatus.ts"
import type { MovementToWrite } from "../../domain/Movement.ts"
import type { AttemptOutcome } from "../../domain/PaymentStatusRules.ts"
import type { LockUse } from "../../money/rates/RateLockStore.ts"
import type { NewKey } from "../../platform/idempotency/IdempotencyStore.ts"
import type { StoredEvent } from "../../webhooks/Webhook.ts"
import type { Allocation, Attempt, Books, OperatorItem, Payment, StoredCallback } from "./Payment.ts"
import { counter } from "../../platform/observability/Metrics.ts"

/** Fields that a change may set on a payment besides its status. */
export type PaymentPatch = Partial<
  Pick<
    Payment,
    | "provider"
    | "account"
    | "provider_payment_id"
    | "provider_status"
    | "provider_data"
    | "next_action"
    | "action_data"
    | "comments"
    | "payout_id"
    | "webhook_metadata"
    | "otp_failures"
    | "card_details"
    | "funding"
    | "holds"
    | "ramp"
    | "failure"
    | "refunds"
    | "refunded"
    | "taken_by"
    | "total_fees"
    | "fee_ids"
    | "amount"
    | "target"
    | "org_rate_id"
    | "expires_at"
    | "reserve"
  >
>

export interface AttemptPatch {
  readonly attempt_id: AttemptId
  readonly outcome: AttemptOutcome | null
  readonly reason: string | null
  /** Written once: a later one is dropped, unless its provider gave the first up (`renamed`). */
  readonly provider_payment_id: string | null
  readonly renamed?: true
  readonly answered_at: Date | null
  /** Seconds until the next poll; null: never; as planned: unchanged. */
  readonly enquire_in: number | null | "as planned"
}

/** An attempt that another instance will send has no time of a poll yet. */
export interface NewAttempt extends Pick<
  Attempt,
  "attempt_id" | "leg" | "provider" | "config_id" | "account" | "own_account" | "started_at"
> {
  readonly enquire_in: number | null
  readonly of_attempt?: AttemptId
}

/** A new payment and everything written with it, in one statement. */
export interface NewPayment {
  readonly payment: Payment
  /** The first candidate's attempt, committed before its socket opens; none while the payment is held. */
  readonly attempt: NewAttempt | null
  readonly fees?: ReadonlyArray<NewFee>
  readonly item?: OperatorItem
  readonly key?: NewKey
  /** The locked rate that it spends; none where nothing is converted, or by no lock. */
  readonly lock?: LockUse | undefined
}

/** Everything that a signal or an operator's action changes, in one statement. */
export interface Change {
  readonly payment: Payment
  readonly status: PaymentStatus
  readonly patch: PaymentPatch
  readonly cause: string
  readonly at: Date
  readonly attempt?: AttemptPatch
  /** The next candidate's attempt, committed before its socket opens. */
  readonly nextAttempt?: NewAttempt
  /** Movements and allocations on which it was decided. */
  readonly booksBefore?: Books
  /** Reported transfers at the provider. */
  readonly movements?: ReadonlyArray<MovementToWrite>
  readonly allocations?: ReadonlyArray<Allocation>
  readonly events: ReadonlyArray<StoredEvent>
  /** `adopted`: it was stored before its attempt was known. */
  readonly callback?: StoredCallback & { readonly adopted?: boolean }
  /** An open item of the same kind and attempt takes the new detail. */
  readonly openItems?: ReadonlyArray<OperatorItem & { readonly closed_by?: string }>
  readonly closeItems?: ReadonlyArray<{
    readonly kind: OperatorItem["kind"]
    readonly attempt_id: AttemptId | null
    readonly by: string
  }>
}

const endedUntaken: ReadonlyArray<PaymentStatus> = ["failed", "rejected", "canceled"]

/** Locked rate that is free again, since the payment ends before any provider took it. */
export const freedLock = ({ attempt, payment, status }: Change): string | null =>
  payment.org_rate_id !== null &&
  payment.status !== status &&
  endedUntaken.includes(status) &&
  (attempt === undefined ? payment.provider === null : attempt.outcome === "declined")
    ? payment.org_rate_id
    : null

/** An attempt as it is just after sending. */
export const openAttempt = ({ org_id, payment_id }: Payment, { enquire_in: _, ...attempt }: NewAttempt): Attempt => ({
  of_attempt: null,
  ...attempt,
  payment_id,
  org_id,
  outcome: null,
  reason: null,
  provider_payment_id: null,
  answered_at: null,
  enquiries: 0,
  next_enquiry_at: null,
  sends: 1,
  sent_at: attempt.started_at
})

export const noBooks: Books = { movements: [], allocations: [] }

/** The movements of a payment once those of a change are recorded. */
const recordedAfter = ({ movements = [], booksBefore = noBooks }: Change): Books["movements"] => {
  const isSame = (one: Books["movements"][number]) => (written: NonNullable<Change["movements"]>[number]) =>
    one.provider === written.provider &&
    one.account === written.account &&
    ((one.kind === written.kind && one.movement_id === written.movement_id) || one.movement_id === written.replaces)
  return [...booksBefore.movements.filter((one) => !movements.some(isSame(one))), ...movements]
}

/** Movements and allocations after a change. */
export const booksAfter = (change: Change): Books => ({
  movements: recordedAfter(change),
  allocations: [...(change.booksBefore ?? noBooks).allocations, ...(change.allocations ?? [])]
})

const payments = counter(
  "corridor_payments_total",
  "Payments that came into a status, by status, provider (the one that was asked last, or none), method and direction.",
  ["status", "provider", "method", "direction"]
)

const failures = counter(
  "corridor_payment_failures_total",
  "Payments that failed or were rejected, by provider and reason.",
  ["provider", "reason"]
)

const NONE = "none"

/** Counts a payment once in each status that it comes into, when that is written. */
export const countNewPayment = ({ attempt, payment }: NewPayment): void =>
  payments([payment.status, attempt?.provider ?? NONE, payment.payment_method, payment.direction])

export const countChange = ({ patch, payment, status }: Change): void => {
  if (status === payment.status) return
  const failure = patch.failure ?? null
  const provider = patch.provider ?? payment.provider ?? failure?.provider ?? NONE
  payments([status, provider, payment.payment_method, payment.direction])
  if (failure !== null) failures([provider, failure.code])
}
