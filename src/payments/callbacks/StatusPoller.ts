/**
 * Polls providers about attempts without an answer, orphaned by a crash, silent, hinted at, or past their end. Silence never
 * fails a payment: after the last enquiry an operator decides. A payin that its customer has not paid by its end is closed
 * at its provider where that can be done, and fails.
 */
import { Context, Duration, Effect, Layer, Option } from "effect"
import { type Enquiry, Unknown } from "../../domain/Outcome.ts"
import { isFinal } from "../../domain/PaymentStatus.ts"
import {
  absenceGrace,
  enquiriesPerProvider,
  hintGap,
  rampPayoutSends,
  statusEnquiry
} from "../../domain/policies/PaymentPolicies.ts"
import { nthDelay } from "../../domain/policies/Schedules.ts"
import { Settings } from "../../platform/config/Settings.ts"
import { fullCapacity, makeProviderSlots } from "../../platform/database/ProviderQueues.ts"
import { workThrough } from "../../platform/database/WorkQueues.ts"
import { asRun } from "../../platform/observability/Spans.ts"
import { type CancelAnswer, type Provider, Providers } from "../../providers/port/Provider.ts"
import { isSameAccount, ResendPermit } from "../../providers/port/ResendPermit.ts"
import { attemptContext, sentTimes } from "../route/BuildOrder.ts"
import { attemptRun, RampPayoutWorker } from "../dispatch/RampPayoutWorker.ts"
import type { DueAttempt, Payment } from "../store/Payment.ts"
import { isReversed } from "../store/PaymentPostings.ts"
import { PaymentStore } from "../store/PaymentStore.ts"
import { RecordOutcome } from "../settlement/RecordOutcome.ts"
import { CallProvider, openSendWindow } from "../route/CallProvider.ts"
import type { SignalContext } from "../settlement/SignalContext.ts"
import { orDefect, type Stored } from "../../platform/database/DatabaseFailure.ts"

/** Time of the claim, by the store's clock. */
const askedAt = ({ sent_ago, sent_at }: DueAttempt): Date => new Date(sent_at.getTime() + sent_ago * 1000)

const unknown = (reason: string) => new Unknown({ reason })

/** Whether an attempt is sent again if its provider never had it: no caller waits for a ramp's payout. */
const isResent = ({ leg, outcome }: DueAttempt): boolean =>
  leg === "settlement" && (outcome === null || outcome === "unknown")

/** Whether a payin that its provider took, and that waits for its customer, is past its end. */
const isAtEnd = (payment: Payment, attempt: DueAttempt): boolean =>
  attempt.leg === "payment" &&
  attempt.outcome === "accepted" &&
  payment.direction === "inbound" &&
  payment.ramp === null &&
  payment.expires_at !== null &&
  !isFinal(payment.status) &&
  payment.expires_at.getTime() <= askedAt(attempt).getTime()

/** The provider's answer, and the permit to send again if there is one. */
interface Answer {
  readonly enquiry: Enquiry
  readonly again: Option.Option<ResendPermit>
  /** The provider has no trace of the attempt, whether or not that is proof. */
  readonly hasNoTrace?: boolean
}

/**
 * Absence at the provider proves nothing while the call may still be on its way, nor if the provider does not promise it.
 * To send again it is enough that the reference moves money once.
 */
const answerTo = (provider: Provider, attempt: DueAttempt, enquiry: Enquiry): Answer => {
  const none = Option.none<ResendPermit>()
  if (enquiry._tag !== "Absent") return { enquiry, again: none }
  const { sent_ago } = attempt
  const sent = sentTimes(attempt, askedAt(attempt))
  const proved = ResendPermit.absent(provider, enquiry, sent)
  if (Option.isSome(proved)) return { enquiry, again: proved }
  if (!isSameAccount(provider, sent)) {
    return { enquiry: unknown("the provider has no trace of it in the account that is used now"), again: none }
  }
  if (sent_ago < Duration.toSeconds(absenceGrace)) {
    return { enquiry: unknown("the provider has no trace of it yet"), again: none, hasNoTrace: true }
  }
  const again = isResent(attempt) ? ResendPermit.honoured(provider, provider.honoursReference, sent) : none
  const enquired = unknown("the provider has no trace of it, which proves nothing there")
  return { enquiry: enquired, again, hasNoTrace: true }
}

/** Whether the answer shows that the customer has not paid. */
const isUnpaid = ({ enquiry, hasNoTrace }: Answer): boolean => {
  if (enquiry._tag === "Report") return enquiry.state === "pending"
  return enquiry._tag === "Absent" || hasNoTrace === true || enquiry.untried === true
}

/** A page that its provider never had cannot be open. */
const pageAfter = (answer: CancelAnswer | undefined, { enquiry }: Answer) => {
  if (answer === "canceled") return "closed" as const
  return answer === "unknown" && enquiry._tag !== "Absent" ? ("unknown" as const) : ("open" as const)
}

export class StatusPoller extends Context.Tag("corridor/StatusPoller")<
  StatusPoller,
  {
    /** Polls everything that is due and waits for the answers; answers with the number of polls. */
    readonly runOnce: Stored<number>
    /** Polls attempts as they become due, until it is interrupted. */
    readonly worker: Stored<never>
  }
>() {
  static readonly layer = Layer.scoped(
    StatusPoller,
    Effect.gen(function* () {
      const store = yield* PaymentStore
      const providers = yield* Providers
      const outcomes = yield* RecordOutcome
      const rampPayouts = yield* RampPayoutWorker
      const callProvider = yield* CallProvider
      const delays = statusEnquiry((yield* Settings).statusEnquiryDelays)
      const slots = yield* makeProviderSlots(enquiriesPerProvider)

      const ask = Effect.fnUntraced(function* (attempt: DueAttempt, provider: Provider, payment: Payment) {
        const goesBack = attempt.leg === "refund" || attempt.leg === "return"
        const all = goesBack ? yield* store.attemptsOf(attempt.payment_id) : []
        return answerTo(
          provider,
          attempt,
          yield* callProvider.enquire(provider, attemptContext(payment, attempt, all, attempt.hinted_ids ?? []))
        )
      })

      const sourceOf = ({ hinted, provider }: DueAttempt): SignalContext => ({
        cause: `status enquiry at ${provider}`,
        hinted
      })

      /** Sends again under the lease only: an instance that lost its lease sends nothing. */
      const sendAgain = Effect.fnUntraced(function* (attempt: DueAttempt, again: ResendPermit) {
        const window = yield* openSendWindow
        const renewed = yield* store.renewSend(attempt.attempt_id, attempt.lease_token)
        if (Option.isSome(renewed)) yield* rampPayouts.sendAgain(renewed.value, window, again)
      })

      /**
       * Records an answer. A hint stays due while the provider is silent, since it may be the last report of the attempt.
       * After the last poll an operator has to look, unless the provider has no trace of a declined attempt.
       */
      const recordAnswer = Effect.fnUntraced(function* (
        attempt: DueAttempt,
        { enquiry, hasNoTrace }: Omit<Answer, "again">
      ) {
        const { attempt_id, has_hint, hints, outcome } = attempt
        const isInVain = has_hint && enquiry._tag === "Unknown"
        const delay = isInVain ? yield* nthDelay(delays, hints + 1) : Option.none()
        if (Option.isSome(delay)) yield* store.hintAgain(attempt_id, Duration.max(delay.value, hintGap))
        const isOver = isInVain && Option.isNone(delay) && !(hasNoTrace === true && outcome === "declined")
        return yield* outcomes.recordByAttempt(attempt, enquiry, {
          ...sourceOf(attempt),
          ...(isOver ? { hintUnanswered: true } : {})
        })
      })

      /**
       * Closes the customer's way to pay where the provider can, then fails the payin. A page that stays open is asked about
       * once more: the customer may just have paid. A page that may be open does not end the payin, and is closed again.
       */
      const end = Effect.fnUntraced(function* (
        attempt: DueAttempt,
        provider: Provider,
        payment: Payment,
        first: Answer
      ) {
        const { cancel } = provider
        const closing =
          cancel && callProvider.call(cancel(attemptContext(payment, attempt, [])), () => "unknown" as const)
        const answer = closing === undefined ? undefined : yield* closing
        const last = answer === undefined || answer === "canceled" ? first : yield* ask(attempt, provider, payment)
        if (!isUnpaid(last)) return yield* recordAnswer(attempt, last)
        const atEnd = { page: pageAfter(answer, last), from: payment.status }
        const cause =
          atEnd.page === "unknown"
            ? `${attempt.provider} did not say whether its page is closed`
            : "expired: the customer did not pay in time"
        return yield* outcomes.recordByAttempt(attempt, last.enquiry, { cause, atEnd })
      })

      const enquire = Effect.fnUntraced(function* (attempt: DueAttempt) {
        const provider = yield* providers.find(attempt.provider, attempt.account)
        if (provider === undefined)
          return yield* recordAnswer(attempt, { enquiry: unknown(`${attempt.provider} is switched off`) })
        const subject = yield* orDefect(Effect.flatten(store.findAttempt(attempt.attempt_id, attempt.org_id)))
        const { payment } = subject
        const answer = yield* ask(attempt, provider, payment)
        if (isAtEnd(payment, attempt) && isUnpaid(answer)) return yield* end(attempt, provider, payment, answer)
        const { again } = answer
        // An attempt whose money was reversed is not sent again; its answer is recorded as it is.
        if (Option.isNone(again) || !isResent(attempt) || isReversed(payment, subject))
          return yield* recordAnswer(attempt, answer)
        if (attempt.sends < rampPayoutSends) return yield* sendAgain(attempt, again.value)
        const signal = unknown(`it was sent ${attempt.sends} times, and the provider has no trace of it`)
        return yield* outcomes.recordByAttempt(attempt, signal, { ...sourceOf(attempt), exhausted: true })
      })

      /** Polls one attempt. A failure is recorded as unknown and polled again; it stops no other attempt. */
      const alone = (attempt: DueAttempt): Effect.Effect<void> =>
        enquire(attempt).pipe(
          Effect.catchAllCause((cause) =>
            Effect.gen(function* () {
              yield* Effect.logError("An enquiry failed", cause)
              yield* recordAnswer(attempt, { enquiry: unknown("its answer could not be written down") })
            })
          ),
          Effect.catchAllCause((cause) => Effect.logError("An enquiry could not be noted; it is repeated", cause)),
          asRun(attemptRun("Enquiry", attempt)),
          Effect.annotateLogs({ payment_id: attempt.payment_id, attempt_id: attempt.attempt_id }),
          Effect.asVoid
        )

      return {
        runOnce: Effect.gen(function* () {
          const due = yield* store.claimEnquiries(fullCapacity(enquiriesPerProvider))
          yield* Effect.forEach(due, alone, { concurrency: "unbounded", discard: true })
          return due.length
        }).pipe(Effect.withSpan("StatusPoller.runOnce")),
        worker: workThrough(
          "enquiries",
          Effect.suspend(() => store.claimEnquiries(slots.room())).pipe(
            Effect.tap(
              Effect.forEach((attempt) => slots.run(attempt.provider, attempt.org_id, alone(attempt)), {
                discard: true
              })
            ),
            Effect.map((due) => ({ foundAny: due.length > 0 || slots.isFull() }))
          )
        )
      }
    })
  )
}
