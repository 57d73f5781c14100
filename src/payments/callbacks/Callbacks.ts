/** Receives provider callbacks: verifies, stores once, and records them like every other signal. */
import { Array as Arr, Clock, Context, Effect, type Exit, Layer, Option } from "effect"
import { AttemptId, type ConfigId, idOrNil, Ids } from "../../domain/Ids.ts"
import type { ProviderName } from "../../domain/Corridor.ts"
import { cleanKey, cleanName, cleanReport, cleanWords } from "../../domain/ProviderText.ts"
import { Unknown } from "../../domain/Outcome.ts"
import { unmatchedCallbackBatch } from "../../domain/policies/PaymentPolicies.ts"
import {
  type Callback,
  type CallbackEvent,
  type CallbackRequest,
  Hint,
  type Named,
  type NoProof,
  type NotNow,
  VerifiedReport,
  type UnverifiedReversal
} from "../../providers/port/Callback.ts"
import type { IncomingTransfer } from "../../providers/port/AccountIssuer.ts"
import type { Provider } from "../../providers/port/Provider.ts"
import { kindOfAttempt, type StoredCallback } from "../store/Payment.ts"
import { type MatchedCallback, type AttemptOfPayment, PaymentStore } from "../store/PaymentStore.ts"
import { RecordOutcome } from "../settlement/RecordOutcome.ts"
import type { DatabaseFailure } from "../../domain/Failure.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"

export type Received = "applied" | "provider asked" | "seen before" | "unknown payment"

/** Result of each event, and the reply that the provider expects if it is not the usual one. */
export interface CallbackResult extends Pick<Callback, "reply"> {
  readonly received: ReadonlyArray<Received>
  /** The callback was unsigned and caused no poll. */
  readonly isUnsignedAndIdle: boolean
}

/** Which of a provider's accounts it came through. */
interface CallbackOrigin {
  readonly provider: ProviderName
  readonly account: ConfigId | null
}

/** Accounts do not know of each other's events. */
const keyOf = ({ account }: CallbackOrigin, { key }: Pick<VerifiedReport, "key">): string =>
  account === null ? key : `${account} ${key}`

const cleanNames = ({ providerPaymentId, ...others }: Named): Named => ({
  ...others,
  providerPaymentId: cleanName(providerPaymentId)
})

/** Whether the callback names the kind of this attempt; an id that fits another kind is no match. */
const isOfNamedKind = ({ attempt, payment }: AttemptOfPayment, { about }: Named): boolean =>
  about === undefined || about === kindOfAttempt(payment, attempt)

const cleanUnverified = (unverified: UnverifiedReversal): UnverifiedReversal => ({
  ...unverified,
  key: cleanKey(unverified.key),
  detail: cleanWords(unverified.detail)
})

/** Cleans text from outside before it is stored. */
const cleanEvent = (event: CallbackEvent): CallbackEvent => {
  const attempt = cleanNames(event.attempt)
  return event._tag === "Hint"
    ? new Hint({
        attempt,
        ...(event.unverified === undefined ? {} : { unverified: cleanUnverified(event.unverified) })
      })
    : new VerifiedReport({ ...event, key: cleanKey(event.key), attempt, report: cleanReport(event.report) })
}

/** Takes transfers to virtual accounts, for the feature that keeps them. */
export class TransferIntake extends Context.Tag("corridor/TransferIntake")<
  TransferIntake,
  {
    readonly record: (from: CallbackOrigin, transfer: IncomingTransfer) => Stored<"applied" | "seen before">
    /** Lists the transfers of the provider soon. */
    readonly listSoon: (from: CallbackOrigin) => Stored<void>
  }
>() {}

export class Callbacks extends Context.Tag("corridor/Callbacks")<
  Callbacks,
  {
    /** `account`: the one it came through; it proves nothing about another. */
    readonly receive: (
      provider: Provider,
      request: CallbackRequest,
      account?: ConfigId | null
    ) => Stored<CallbackResult, NoProof | NotNow>
    /** Applies callbacks that came before their attempt was known by the provider's id and match one now. */
    readonly applyMatched: Stored<void>
  }
>() {
  static readonly layer = Layer.effect(
    Callbacks,
    Effect.gen(function* () {
      const store = yield* PaymentStore
      const outcomes = yield* RecordOutcome
      const ids = yield* Ids
      const intake = yield* TransferIntake

      const attemptNamedBy = Effect.fnUntraced(function* (
        { account, provider }: CallbackOrigin,
        { attempt }: CallbackEvent
      ) {
        const { about, providerPaymentId, reference } = attempt
        const byReference =
          reference === null
            ? Option.none<AttemptOfPayment>()
            : yield* store.findAttempt(idOrNil(AttemptId)(reference), null)
        if (Option.isSome(byReference) || providerPaymentId === null) {
          return Option.filter(byReference, (one) => one.attempt.provider === provider)
        }
        const found = yield* store.attemptOf(provider, account, providerPaymentId, about)
        return Option.isNone(found)
          ? Option.none<AttemptOfPayment>()
          : yield* store.findAttempt(found.value.attempt_id, found.value.org_id)
      })

      const callbackRow = Effect.fnUntraced(function* (
        from: CallbackOrigin,
        event: CallbackEvent,
        about: Pick<StoredCallback, "payment_id" | "attempt_id" | "org_id" | "effect">
      ) {
        const callback_id = yield* ids.next
        return {
          callback_id,
          provider: from.provider,
          // A hint goes under a name of its own: it must not pass for a proved callback with the same id.
          event_key: event._tag === "Hint" ? `hint ${callback_id}` : keyOf(from, event),
          report: event._tag === "Hint" ? "hint" : event.report.state,
          received_at: new Date(yield* Clock.currentTimeMillis),
          ...about
        }
      })

      /**
       * Keeps a verified callback without a known attempt: the provider's id of the attempt may become known later.
       * Hints are not kept.
       */
      const storeUnmatched = Effect.fnUntraced(function* (from: CallbackOrigin, event: CallbackEvent) {
        if (event._tag === "Hint") return "unknown payment" as const
        const noPayment = { payment_id: null, attempt_id: null, org_id: null, effect: "unknown payment" as const }
        const stored = yield* store.storeCallback({
          ...(yield* callbackRow(from, event, noPayment)),
          provider_payment_id: event.attempt.providerPaymentId,
          account: from.account,
          about: event.attempt.about,
          signal: event.report
        })
        return stored ? ("unknown payment" as const) : ("seen before" as const)
      })

      /** Queues a poll for an unverified callback, at most once in `hintGap`. */
      const queuePoll = Effect.fnUntraced(function* (from: CallbackOrigin, event: Hint, { attempt }: AttemptOfPayment) {
        if (!(yield* store.hint(attempt.attempt_id, event.attempt.providerPaymentId))) return "seen before" as const
        const { attempt_id, org_id, payment_id } = attempt
        const about = { attempt_id, org_id, payment_id, effect: "provider asked" as const }
        yield* store.storeCallback(yield* callbackRow(from, event, about))
        return "provider asked" as const
      })

      const applyCallback = ({ attempt_id, callback: { callback_id, event_key, provider, signal } }: MatchedCallback) =>
        outcomes.recordByAttempt({ attempt_id, org_id: null }, signal, {
          cause: `callback from ${provider}`,
          callback: { provider, key: event_key, unmatchedId: callback_id }
        })

      const applyOrLater = (found: MatchedCallback) =>
        Effect.catchAllCause(applyCallback(found), (cause) =>
          Effect.logError("An early callback could not be applied; it is tried again", cause)
        )

      /** Stores without a look-up before, since most events come once; a repeated one finds itself stored. */
      const recordOnce = (provider: ProviderName, key: string, recorded: Stored<Received>) => {
        const unlessSeen = <E>(otherwise: Effect.Effect<never, E>) =>
          Effect.flatMap(store.callbackSeen(provider, key), (seen) =>
            seen ? Effect.succeed("seen before" as const) : otherwise
          )
        return recorded.pipe(
          Effect.catchAll((failure) => unlessSeen(Effect.fail(failure))),
          Effect.catchAllDefect((defect) => unlessSeen(Effect.die(defect)))
        )
      }

      /** Records a verified callback like every other signal. */
      const recordVerified = (from: CallbackOrigin, event: VerifiedReport, subject: AttemptOfPayment) => {
        const { provider } = from
        const key = keyOf(from, event)
        const source = { cause: `callback from ${provider}`, callback: { provider, key } }
        const recorded = Effect.map(outcomes.record(subject, event.report, source), ({ namesOtherPayment }) =>
          namesOtherPayment === true ? ("provider asked" as const) : ("applied" as const)
        )
        return recordOnce(provider, key, recorded)
      }

      /** Opens an item for an operator, under a key apart from that of the proved report, which may still come. */
      const openUnverifiedItem = (
        from: CallbackOrigin,
        { detail, key: reportKey }: UnverifiedReversal,
        subject: AttemptOfPayment
      ) => {
        const { provider } = from
        const key = keyOf(from, { key: cleanKey(`unseen ${subject.attempt.attempt_id} ${reportKey}`) })
        const source = {
          cause: `callback from ${provider}`,
          callback: { provider, key },
          hinted: true,
          unverified: detail
        }
        const signal = new Unknown({ reason: detail })
        return recordOnce(provider, key, Effect.as(outcomes.record(subject, signal, source), "applied" as const))
      }

      const warnOfOtherKind = ({ provider }: CallbackOrigin, { attempt: { about, reference } }: CallbackEvent) =>
        Effect.as(
          Effect.logWarning(
            `${provider} tells of a ${about} by the reference ${reference}, which is of something else`
          ),
          "unknown payment" as const
        )

      const receiveEvent = Effect.fnUntraced(function* (from: CallbackOrigin, event: CallbackEvent) {
        const subject = yield* attemptNamedBy(from, event)
        if (Option.isNone(subject)) return yield* storeUnmatched(from, event)
        // The secret of one account proves nothing about attempts through another.
        if (subject.value.attempt.account !== from.account) return "unknown payment" as const
        if (!isOfNamedKind(subject.value, event.attempt)) return yield* warnOfOtherKind(from, event)
        if (event._tag === "VerifiedReport") return yield* recordVerified(from, event, subject.value)
        const { unverified } = event
        const opened = unverified === undefined ? undefined : yield* openUnverifiedItem(from, unverified, subject.value)
        if (opened === "seen before") return opened
        const asked = yield* queuePoll(from, event, subject.value)
        return opened ?? asked
      })

      return {
        receive: Effect.fnUntraced(function* (provider, request, account = null) {
          const { events, isUnsigned, listTransfers, reply, transfers = [] } = yield* provider.callback(request)
          const from = { provider: provider.name, account }
          // A failed write stops none of the other events; the provider repeats all of them.
          const exits: Array<Exit.Exit<Received, DatabaseFailure>> = []
          for (const event of events) exits.push(yield* Effect.exit(receiveEvent(from, cleanEvent(event))))
          // Only the platform's accounts issue details: other money on an account of a configuration is its owner's.
          if (account === null) {
            for (const transfer of transfers) exits.push(yield* Effect.exit(intake.record(from, transfer)))
            if (listTransfers === true) yield* intake.listSoon(from)
          }
          const received: Array<Received> = []
          for (const exit of exits) received.push(yield* exit)
          const isIdle = received.every((one) => one === "unknown payment" || one === "seen before")
          return {
            received,
            isUnsignedAndIdle: isUnsigned === true && isIdle,
            ...(reply === undefined ? {} : { reply })
          }
        }),
        /** Those of one attempt one after the other; a payment that somebody holds delays no other. */
        applyMatched: Effect.flatMap(store.matchedCallbacks(unmatchedCallbackBatch), (found) =>
          Effect.forEach(
            Object.values(Arr.groupBy(found, ({ attempt_id }) => attempt_id)),
            Effect.forEach(applyOrLater),
            { concurrency: "unbounded", discard: true }
          )
        )
      }
    })
  )
}
