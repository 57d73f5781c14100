/** Runs actions on payments: reads the payment, decides, writes, and repeats after a version conflict. */
import { Cause, Clock, Context, Data, Duration, Effect, FiberRef, Layer, type Option } from "effect"
import { type AttemptId, type PaymentId, Ids } from "../../domain/Ids.ts"
import type { ProviderName } from "../../domain/Corridor.ts"
import type { Rate } from "../../domain/Exchange.ts"
import type { Outcome } from "../../domain/Outcome.ts"
import type { SentAtOnce } from "../route/CallProvider.ts"
import { AuditLog, type Change as Audited } from "../../platform/audit/AuditLog.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"
import { Transactor } from "../../platform/database/Transactor.ts"
import type { Access, Permit } from "../../domain/Access.ts"
import { busy, Conflict, InsufficientFunds, isDatabaseFailure, maybeWritten } from "../../domain/Failure.ts"
import { overtakenRetry, busyRetry, orphanedAfter } from "../../domain/policies/PaymentPolicies.ts"
import { type Attempt, isOpen, type Payment } from "../store/Payment.ts"
import { holdAfter, entriesOfChange } from "../store/PaymentPostings.ts"
import { eventsOf, FundingEvents } from "./PaymentEvents.ts"
import { orNotFound, PaymentStore } from "../store/PaymentStore.ts"
import type { AttemptPatch, Change } from "../store/Change.ts"
import { retryIfFailed } from "../../platform/fibers/Deadlines.ts"

/** Part of a change that an action decides; the rest follows from it. */
export interface PaymentAction
  extends
    Pick<Change, "status" | "cause">,
    Partial<Pick<Change, "patch" | "attempt" | "nextAttempt" | "booksBefore" | "openItems" | "closeItems">> {}

/** The payment changed since it was read. */
export class VersionConflict extends Data.TaggedError("VersionConflict")<{}> {}

/** Records whether an action has written anything, for the cleanup after it fails. */
interface Trace {
  written: boolean
}

const trace = FiberRef.unsafeMake<Trace | undefined>(undefined)

const leaveTrace = Effect.map(FiberRef.get(trace), (mine) => {
  if (mine !== undefined) mine.written = true
})

const EVENTS_PER_CHANGE = 3

export const paymentIds = ({ payment_id, transaction_id }: Payment) => ({
  paymentId: payment_id,
  transactionId: transaction_id
})

/** `rate`: the one to accept. */
export const refuse = (payment: Payment, why: string, rate?: Rate): Conflict =>
  new Conflict({
    message: `This payment is ${payment.status}: ${why}`,
    ...paymentIds(payment),
    ...(rate === undefined ? {} : { rate })
  })

/** Reason why a provider cannot be asked: switched off, or without credentials. */
export const switchedOff = ({ account, provider }: Pick<Attempt, "account" | "provider">): string =>
  account === null
    ? `${provider} is switched off here, so that it cannot be asked.`
    : `${provider} cannot be asked through the account that it went through: its credentials have to be set again.`

/** Attempts that a provider has or may have, without refunds and returns. */
export const openAttemptsOf = (attempts: ReadonlyArray<Attempt>): ReadonlyArray<Attempt> =>
  attempts.filter((attempt) => attempt.leg !== "refund" && attempt.leg !== "return" && isOpen(attempt))

/** Attempt that gives back money which another one took. */
export const refundAttempt = (
  { account, attempt_id: of_attempt, config_id, own_account, provider }: Attempt,
  leg: "refund" | "return",
  attempt_id: AttemptId,
  started_at: Date
): SentAtOnce => ({
  attempt_id,
  leg,
  provider,
  config_id,
  account,
  own_account,
  started_at,
  enquire_in: Duration.toSeconds(orphanedAfter),
  of_attempt
})

/** Words for an outcome in the history of its payment. `subject`: what was asked for, if not the payment. */
export const causeOf = (outcome: Outcome, provider: ProviderName, subject?: "refund"): string => {
  const prefix = subject === undefined ? "" : `${subject} `
  switch (outcome._tag) {
    case "Accepted":
      return `${prefix}accepted by ${provider}`
    case "Declined":
      return `${prefix}${outcome.unsent !== undefined ? "not sent to" : "declined by"} ${provider}: ${outcome.reason}`
    case "Unknown":
      return `no verdict ${subject === undefined ? "" : `on the ${subject} `}from ${provider}: ${outcome.reason}`
  }
}

/** Patch that stops the polling of an attempt. */
export const withoutEnquiries = ({
  answered_at,
  attempt_id,
  outcome,
  provider_payment_id,
  reason
}: Attempt): AttemptPatch => ({
  attempt_id,
  outcome,
  reason,
  provider_payment_id,
  answered_at,
  enquire_in: null
})

const make = Effect.gen(function* () {
  const store = yield* PaymentStore
  const audit = yield* AuditLog
  const funding = yield* FundingEvents
  const ids = yield* Ids
  const { atomically } = yield* Transactor

  const find = (permit: Permit<Access>, paymentId: PaymentId) => orNotFound(store.find(permit.scope, paymentId))

  const write = Effect.fnUntraced(function* (payment: Payment, act: PaymentAction) {
    const at = new Date(yield* Clock.currentTimeMillis)
    const newId = yield* ids.atMost(EVENTS_PER_CHANGE)
    const { status } = act
    const patch = { ...act.patch, ...holdAfter(payment, status, act.nextAttempt) }
    if (payment.funding !== null && act.nextAttempt !== undefined) yield* funding.admit(payment)
    const after: Payment = { ...payment, ...patch, status, version: payment.version + 1, updated_at: at }
    const events = eventsOf({ at, newId }, after, payment.status)
    // An attempt begins with the change that it is committed with, not when its provider was picked.
    const begun = act.nextAttempt === undefined ? {} : { nextAttempt: { ...act.nextAttempt, started_at: at } }
    const change: Change = { ...act, ...begun, payment, patch, at, events }
    const written = yield* Effect.catchTags(store.apply(change), {
      InsufficientFunds: ({ account }) => new InsufficientFunds({ account, ...paymentIds(payment) }),
      // The change has no movements.
      TransferTaken: Effect.die
    })
    if (!written) return yield* new VersionConflict()
    if (payment.funding !== null) yield* funding.posted(after, entriesOfChange(change), null)
    yield* leaveTrace
    return after
  })

  return {
    find,
    write,
    /** Writes actions in order, with one audit entry, in one transaction. */
    writeAudited: (
      permit: Permit<Access>,
      payment: Payment,
      acts: ReadonlyArray<PaymentAction>,
      noted: Pick<Audited, "action" | "detail">
    ) =>
      atomically(
        Effect.zipLeft(
          Effect.reduce(acts, payment, write),
          audit.record(permit, { ...noted, org: payment.org_id, subject: ["payment", payment.payment_id] })
        )
      ),
    /** Runs `otherwise` after a failure, with whether the action itself had written anything. */
    traced: <A, E, R>(
      action: Effect.Effect<A, E>,
      otherwise: (failure: Option.Option<E>, written: boolean) => Effect.Effect<void, never, R>
    ): Effect.Effect<A, E, R> =>
      Effect.suspend(() => {
        const mine: Trace = { written: false }
        return Effect.onError(Effect.locally(action, trace, mine), (cause) =>
          otherwise(Cause.failureOption(cause), mine.written)
        )
      }),
    /** Repeats reading and deciding while concurrent changes win. */
    decided: <A, E>(decide: Effect.Effect<A, E | VersionConflict>): Stored<A, Exclude<E, VersionConflict>> =>
      Effect.mapError(
        Effect.retry(decide, { schedule: overtakenRetry, while: (error) => error instanceof VersionConflict }),
        (error) => (error instanceof VersionConflict ? busy() : (error as Exclude<E, VersionConflict>))
      )
  }
})

export class PaymentCommand extends Context.Tag("corridor/PaymentCommand")<
  PaymentCommand,
  Effect.Effect.Success<typeof make>
>() {
  static readonly layer = Layer.effect(PaymentCommand, make)
}

/** Retries an idempotent write while the database is busy. */
export const retryWhileDatabaseBusy = <A, E>(write: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  retryIfFailed(write, { schedule: busyRetry, while: isDatabaseFailure })

/** Reports a failed write after a provider call as maybe written: the provider may have acted. */
export const orMaybeWritten = <A, E>(write: Effect.Effect<A, E>): Stored<A, E> =>
  Effect.mapError(write, (error) => (isDatabaseFailure(error) ? maybeWritten(error) : error))
