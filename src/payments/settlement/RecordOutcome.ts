/**
 * Records a signal about an attempt: decides the payment's new state and writes everything in one statement on the version
 * that was read. After a version conflict it reads and decides again.
 */
import { Cause, Clock, Context, Effect, Either, Layer, Option } from "effect"
import { Settings } from "../../platform/config/Settings.ts"
import { orDefect, type Stored } from "../../platform/database/DatabaseFailure.ts"
import { busy, type DatabaseFailure, type InsufficientFunds } from "../../domain/Failure.ts"
import { type OrgId, Ids } from "../../domain/Ids.ts"
import type { LedgerAccount } from "../../domain/Ledger.ts"
import { Accepted, Report, Unknown } from "../../domain/Outcome.ts"
import { overtakenRetry, statusEnquiry } from "../../domain/policies/PaymentPolicies.ts"
import { nthDelay } from "../../domain/policies/Schedules.ts"
import { type AttemptOutcome, hasState, type ProviderSignal } from "../../domain/PaymentStatusRules.ts"
import { Providers } from "../../providers/port/Provider.ts"
import { alertOperator } from "../../platform/observability/OperatorAlert.ts"
import { isRamp, RampPayout } from "../route/RampPayout.ts"
import { VersionConflict, retryWhileDatabaseBusy } from "./PaymentCommand.ts"
import { type Change, type NewAttempt, booksAfter } from "../store/Change.ts"
import { entriesOfChange, unallocatedOf } from "../store/PaymentPostings.ts"
import { Transactor } from "../../platform/database/Transactor.ts"
import { WorkQueues } from "../../platform/database/WorkQueues.ts"
import type { Attempt, Books, Payment } from "../store/Payment.ts"
import { type AttemptOfPayment, PaymentStore, type TakenTransfer, type TransferTaken } from "../store/PaymentStore.ts"
import { needsSharedTime } from "./Expiry.ts"
import { isRefundOrReturn } from "./SignalMovements.ts"
import { type DecisionTime, namedId, type SignalContext } from "./SignalContext.ts"
import { describeSum } from "../store/UnallocatedMoney.ts"
import { FundingEvents } from "./PaymentEvents.ts"
import { decidePaymentChange, decideRampChange } from "./PaymentSignalRules.ts"
import { decideRefundChange } from "./RefundSignalRules.ts"
import type { DecidedChange } from "./BuildChange.ts"

/** State of a payment after a signal was recorded. */
export interface Recorded {
  readonly payment: Payment
  /** Movements and allocations of the payment. */
  readonly books: Books
  readonly outcome: AttemptOutcome | null
  /** The next candidate is to be sent: its attempt was committed now, or before by the same signal. */
  readonly sendsNext: boolean
  /** The report named another payment of the provider's: it was not applied, and the provider is asked. */
  readonly namesOtherPayment?: true
  /** Nothing was written: the account that would pay through the next candidate has too little. */
  readonly short?: LedgerAccount
}

interface Decided extends DecidedChange {
  /** Attempt to pay out a ramp, in case the signal says that its money is there. */
  readonly payoutAttempt?: NewAttempt | undefined
}

/** A change takes at most this many ids: five events, a callback, two operator items, two allocations with their events. */
const IDS_PER_CHANGE = 16

/** Each further transfer may need an event, two allocations, and the event of each. */
const idsFor = (signal: ProviderSignal): number =>
  IDS_PER_CHANGE + 5 * Math.max(0, ("movements" in signal ? (signal.movements ?? []) : []).length - 1)

/**
 * Alerts operators about new unallocated money and unknown outcomes. A hint does not alert again about an outcome that is
 * unknown already.
 */
const alertOperators = (
  change: Change,
  after: Payment,
  { hinted, unverified, hintUnanswered }: SignalContext
): Effect.Effect<void> => {
  const { movements = [], openItems = [], payment } = change
  const about = { payment_id: payment.payment_id, org_id: payment.org_id }
  const rest = movements.length === 0 ? [] : unallocatedOf(after, booksAfter(change))
  const unknown = openItems.filter(
    ({ detail, kind }) =>
      kind === "unknown_outcome" && (hinted !== true || hintUnanswered === true || unverified === detail)
  )
  if (rest.length === 0 && unknown.length === 0) return Effect.void
  return Effect.all(
    [
      ...rest.map((sum) =>
        alertOperator("money_in_suspense", describeSum(after, sum), { ...about, attempt_id: sum.attempt_id })
      ),
      ...unknown.map(({ attempt_id, detail }) => alertOperator("outcome_abandoned", detail, { ...about, attempt_id }))
    ],
    { discard: true }
  )
}

/** Note of an allocation by a rule on a payout, for the account's statement. */
const noteOf = ({ allocations = [], payment }: Change): string | null =>
  payment.direction === "outbound" ? (allocations[0]?.note ?? null) : null

/** Attempt that a signal is about, and its organisation if known. */
interface AttemptRef extends Pick<Attempt, "attempt_id"> {
  readonly org_id: OrgId | null
}

type Write = (
  subject: AttemptOfPayment,
  signal: ProviderSignal,
  source: SignalContext
) => Stored<Option.Option<Recorded>>

/**
 * Describes transfers that are recorded for other payments; without the payment's id if it is another organisation's.
 */
const describeTaken = ({ provider }: Attempt, { org_id }: Payment, taken: ReadonlyArray<TakenTransfer>): string => {
  const each = taken.map((one) => {
    const owner = one.org_id === org_id ? `payment ${one.payment_id}` : "a payment of another organisation"
    return `${one.kind} ${one.movement_id} belongs to ${owner}`
  })
  return `${provider} names a transfer that is recorded for another payment: ${each.join(", ")}. An operator must find out whose it is.`
}

const namesMoney = (signal: ProviderSignal): boolean =>
  hasState(signal) && (signal.movements ?? []).some(({ state }) => state === "settled")

export class RecordOutcome extends Context.Tag("corridor/RecordOutcome")<
  RecordOutcome,
  {
    /** Uses a state that was read before and may be outdated. */
    readonly record: (subject: AttemptOfPayment, signal: ProviderSignal, source: SignalContext) => Stored<Recorded>
    readonly recordByAttempt: (attempt: AttemptRef, signal: ProviderSignal, source: SignalContext) => Stored<Recorded>
    /** Records only if the payment is unchanged since the operator saw it; none otherwise. */
    readonly recordIfUnchanged: (
      subject: AttemptOfPayment,
      signal: ProviderSignal,
      source: SignalContext
    ) => Stored<Option.Option<Recorded>>
  }
>() {
  static readonly layer = Layer.effect(
    RecordOutcome,
    Effect.gen(function* () {
      const store = yield* PaymentStore
      const ids = yield* Ids
      const funding = yield* FundingEvents
      const { atomically } = yield* Transactor
      const { announce } = yield* WorkQueues
      const rampPayout = yield* RampPayout
      const providers = yield* Providers
      const { payinExpiry, statusEnquiryDelays } = yield* Settings
      const enquiries = statusEnquiry(statusEnquiryDelays)

      /** Chooses the provider of the ramp payout, if the signal may report the collected money. */
      const choosePayoutAttempt = ({ attempt, payment }: AttemptOfPayment, signal: ProviderSignal) =>
        attempt.leg === "collection" && payment.ramp?.collected === null && namesMoney(signal)
          ? rampPayout.choose(payment)
          : Effect.succeed(undefined)

      /** Whether the next candidate is committed. A repeated write finds what the lost one had committed. */
      const isNextCommitted = (change: Change, outcome: AttemptOutcome | null, { next }: SignalContext) =>
        change.nextAttempt !== undefined || next === undefined || outcome !== "declined"
          ? Effect.succeed(change.nextAttempt !== undefined && change.nextAttempt.enquire_in !== null)
          : Effect.map(
              store.findAttempt(next.attempt_id, change.payment.org_id),
              Option.exists(({ attempt }) => attempt.sends > 0)
            )

      const decide = Effect.fnUntraced(function* (
        subject: AttemptOfPayment,
        signal: ProviderSignal,
        source: SignalContext,
        moment: DecisionTime
      ): Effect.fn.Return<Decided, DatabaseFailure> {
        const { attempt, payment } = subject
        if (isRefundOrReturn(attempt)) return decideRefundChange(subject, signal, source, moment)
        // All instances compare the expiry with the database's clock.
        const isTimed = isRamp(payment) || needsSharedTime(subject, signal)
        const shared = isTimed ? { ...moment, shared: yield* store.now, payinExpiry } : undefined
        if (!isRamp(payment) || shared === undefined)
          return decidePaymentChange(subject, signal, source, shared ?? moment)
        const payoutAttempt = yield* choosePayoutAttempt(subject, signal)
        return { ...decideRampChange({ ...subject, payment }, signal, source, shared, payoutAttempt), payoutAttempt }
      })

      /** Releases the circuit breaker's probe of a chosen provider that this change does not send to. */
      const releaseProbe = (payment: Payment, { payoutAttempt }: Decided) =>
        payoutAttempt === undefined ? Effect.void : rampPayout.unsent(payment, payoutAttempt)

      /**
       * Drops a report about another object of the provider's. A provider's id is replaced only if the provider gives
       * it up. The answer to an order counts under the known id. So does a report of money that the account proves to
       * have moved, since a payer can pay one attempt twice.
       */
      const checkProviderId = Effect.fnUntraced(function* (
        subject: AttemptOfPayment,
        signal: ProviderSignal,
        source: SignalContext
      ) {
        const { account, attempt_id, org_id, payment_id, provider, provider_payment_id: knownId } = subject.attempt
        const named = namedId(signal)
        const asGiven = { signal, source, namesOtherPayment: false, warned: Effect.void }
        if (knownId === null || named === null || named === knownId || source.operator !== undefined) return asGiven
        const { givesUpId } = (yield* providers.find(provider, account)) ?? {}
        if (givesUpId?.(knownId) === true) return { ...asGiven, source: { ...source, renamed: true as const } }
        const message = `${provider} names another payment of its own, ${named}, where ${knownId} was written first`
        const warned = alertOperator("other_payment_named", message, { payment_id, attempt_id, org_id })
        if (signal._tag !== "Report" || namesMoney(signal)) return { ...asGiven, warned }
        return {
          warned,
          signal: new Unknown({ reason: `it names another payment of its own, ${named}` }),
          source: source.callback === undefined ? source : { ...source, hinted: true },
          namesOtherPayment: true
        }
      })

      /** Drops transfers that are recorded for another payment, and opens an item about them. */
      const writeWithoutTaken = Effect.fnUntraced(function* (
        subject: AttemptOfPayment,
        signal: ProviderSignal,
        source: SignalContext,
        { movements = [], payment }: Change
      ): Effect.fn.Return<Option.Option<Recorded>, DatabaseFailure> {
        const taken = yield* store.takenTransfers(payment.payment_id, movements)
        if (taken.length === 0 || !hasState(signal)) return Option.none<Recorded>()
        const rest = (signal.movements ?? []).filter(
          ({ id, kind }) => !taken.some((one) => one.kind === kind && one.movement_id === id)
        )
        const unverified = describeTaken(subject.attempt, payment, taken)
        const without =
          signal._tag === "Accepted"
            ? new Accepted({ ...signal, movements: rest })
            : new Report({ ...signal, movements: rest })
        return yield* write(subject, without, { ...source, unverified })
      })

      const write: Write = Effect.fnUntraced(function* (
        subject: AttemptOfPayment,
        reported: ProviderSignal,
        given: SignalContext
      ) {
        const { attempt, payment } = subject
        const { namesOtherPayment, signal, source, warned } = yield* checkProviderId(subject, reported, given)
        // A callback cannot change an attempt of another provider.
        if (source.callback !== undefined && source.callback.provider !== attempt.provider) {
          return yield* Effect.die(new Error(`${source.callback.provider} has no say in what ${attempt.provider} does`))
        }
        const newId = yield* ids.atMost(idsFor(signal))
        const at = new Date(yield* Clock.currentTimeMillis)
        const enquireIn = yield* nthDelay(enquiries, subject.attempt.enquiries + 1)
        const moment = { at, newId, enquireIn }
        const decided: Decided = yield* decide(subject, signal, source, moment)
        const { after, change, outcome } = decided
        const fundingEvents =
          after.funding === null || after.status === payment.status
            ? []
            : yield* funding.of(after, payment.status, entriesOfChange(change))
        const applied = store.apply(
          fundingEvents.length === 0 ? change : { ...change, events: [...change.events, ...fundingEvents] }
        )
        const withLines =
          payment.funding !== null
            ? atomically(
                Effect.tap(applied, (isWritten) =>
                  isWritten ? funding.posted(after, entriesOfChange(change), noteOf(change)) : Effect.void
                )
              )
            : applied
        const written = yield* withLines.pipe(
          Effect.map((isWritten): Either.Either<boolean, InsufficientFunds | TransferTaken> => Either.right(isWritten)),
          Effect.catchTags({
            InsufficientFunds: (short) => Effect.succeed(Either.left(short)),
            TransferTaken: (taken) => Effect.succeed(Either.left(taken))
          }),
          Effect.tapErrorCause(() => releaseProbe(payment, decided))
        )
        const isTaken = Either.isRight(written) && written.right && change.nextAttempt === decided.payoutAttempt
        if (!isTaken) yield* releaseProbe(payment, decided)
        if (Either.isLeft(written)) {
          if (written.left._tag === "TransferTaken") return yield* writeWithoutTaken(subject, reported, given, change)
          // Everything else was held beforehand.
          if (change.nextAttempt === undefined) return yield* Effect.die(written.left)
          const recorded: Recorded = {
            payment,
            books: subject,
            outcome: null,
            sendsNext: false,
            short: written.left.account
          }
          return Option.some(recorded)
        }
        if (!written.right) return Option.none<Recorded>()
        yield* Effect.zipRight(alertOperators(change, after, source), warned)
        if (namesOtherPayment && source.callback !== undefined) yield* store.hint(attempt.attempt_id)
        if (change.nextAttempt?.enquire_in === null) yield* announce("ramp_payouts")
        const sendsNext = yield* isNextCommitted(change, outcome, source)
        const books = booksAfter(change)
        const recorded: Recorded = {
          payment: after,
          books,
          outcome,
          sendsNext,
          ...(namesOtherPayment ? { namesOtherPayment: true } : {})
        }
        return Option.some(recorded)
      })

      /** Reads after the payment was read: a later application changes the payment's version. */
      const isAppliedByOthers = ({ callback }: SignalContext) =>
        callback?.unmatchedId === undefined
          ? Effect.succeed(false)
          : Effect.map(store.isCallbackUnmatched(callback.provider, callback.key), (waits) => !waits)

      const writeUnlessApplied = Effect.fnUntraced(function* (
        subject: AttemptOfPayment,
        signal: ProviderSignal,
        source: SignalContext
      ) {
        if (!(yield* isAppliedByOthers(source))) return yield* write(subject, signal, source)
        const { attempt, payment } = subject
        const recorded: Recorded = { payment, books: subject, outcome: attempt.outcome, sendsNext: false }
        return Option.some(recorded)
      })

      const rereadAndWrite = (
        { attempt_id, org_id }: AttemptRef,
        signal: ProviderSignal,
        source: SignalContext
      ): Stored<Recorded> =>
        orDefect(Effect.flatten(store.findAttempt(attempt_id, org_id))).pipe(
          Effect.flatMap((subject) => writeUnlessApplied(subject, signal, source)),
          Effect.flatMap(Effect.mapError(() => new VersionConflict())),
          Effect.retry({ schedule: overtakenRetry, while: ({ _tag }) => _tag === "VersionConflict" }),
          Effect.catchTag("VersionConflict", () => busy())
        )

      /** Answers without an outcome: the attempt is committed and will be polled. */
      const leaveToPoller = (subject: AttemptOfPayment, failure: DatabaseFailure) => {
        const { attempt, payment } = subject
        return Effect.as(
          alertOperator(
            "answer_not_written",
            "The database was too busy for a provider's answer; it will be asked again",
            { payment_id: payment.payment_id, attempt_id: attempt.attempt_id },
            Cause.fail(failure)
          ),
          { payment, books: subject, outcome: null, sendsNext: false }
        )
      }

      return {
        record: (subject, signal, source) => {
          const recorded = Effect.flatMap(
            write(subject, signal, source),
            Option.match({ onSome: Effect.succeed, onNone: () => rereadAndWrite(subject.attempt, signal, source) })
          )
          // The provider is told to repeat its callback. Recording a signal twice changes nothing.
          if (source.callback !== undefined) return recorded
          return Effect.catchAll(retryWhileDatabaseBusy(recorded), (failure) => leaveToPoller(subject, failure))
        },
        recordByAttempt: (attempt, signal, source) => retryWhileDatabaseBusy(rereadAndWrite(attempt, signal, source)),
        recordIfUnchanged: write
      }
    })
  ).pipe(Layer.provideMerge(RampPayout.layer))
}
