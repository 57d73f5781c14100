/** Calls providers with a timeout. Silence and unreadable answers become an unknown outcome. */
import { Context, Duration, Effect, Layer, Clock, Option } from "effect"
import { Settings } from "../../platform/config/Settings.ts"
import { cleanEnquiry, cleanOutcome } from "../../domain/ProviderText.ts"
import { Declined, type Enquiry, type Outcome, Unknown } from "../../domain/Outcome.ts"
import { initiationBudget, sendWindow } from "../../domain/policies/PaymentPolicies.ts"
import { providerRetry } from "../../domain/policies/ProviderPolicies.ts"
import { retryIfFailed, makeDeadlines } from "../../platform/fibers/Deadlines.ts"
import type { AttemptContext, Promised, Provider } from "../../providers/port/Provider.ts"
import type { ResendPermit } from "../../providers/port/ResendPermit.ts"
import type { NewAttempt } from "../store/Change.ts"
import type { Attempt } from "../store/Payment.ts"

/**
 * Permits to send an attempt, for the first time or again, and for how long. Sending takes both as arguments. A permit is
 * made with its attempt or won with a claim, and never stored.
 */

/** Attempt that its own instance sends right after the commit. */
export type SentAtOnce = NewAttempt & { readonly enquire_in: number }

/** Permit for an attempt that was never sent. */
export class FirstSendPermit {
  protected readonly isFirst = true

  readonly isAbsent = true

  private constructor() {}

  /** For an attempt that was made just now. */
  static made(_attempt: SentAtOnce): FirstSendPermit {
    return new FirstSendPermit()
  }

  /** For an attempt claimed from the queue; none if another instance had it before. */
  static claimed({ outcome, sends }: Attempt): Option.Option<FirstSendPermit> {
    return sends === 1 && outcome === null ? Option.some(new FirstSendPermit()) : Option.none()
  }
}

export type SendPermit = FirstSendPermit | ResendPermit

/**
 * Time in which an attempt may be sent after its commit. An instance that was held up longer sends nothing: others may
 * have acted on the provider's answer that it never had the attempt.
 */
export interface SendWindow {
  readonly isOpen: Effect.Effect<boolean>
}

/** Opens before the attempt is committed. Closes on time even if the clock is set back or the machine slept. */
export const openSendWindow: Effect.Effect<SendWindow> = Effect.gen(function* () {
  const wall = yield* Clock.currentTimeMillis
  const steady = yield* Clock.currentTimeNanos
  const millis = Duration.toMillis(sendWindow)
  return {
    isOpen: Effect.clockWith((clock) =>
      Effect.sync(
        () =>
          clock.unsafeCurrentTimeMillis() - wall < millis &&
          clock.unsafeCurrentTimeNanos() - steady < BigInt(millis) * 1_000_000n
      )
    )
  }
})

export class CallProvider extends Context.Tag("corridor/CallProvider")<
  CallProvider,
  {
    readonly call: <A, B>(ask: Effect.Effect<A>, unknown: (reason: string) => B) => Effect.Effect<A | B>
    readonly enquire: (provider: Provider, attempt: AttemptContext) => Effect.Effect<Enquiry>
    /**
     * Sends an order if there is time left; else declines it unsent. If the answer is lost, sends again where the
     * provider executes a reference once.
     *
     * A refused or impossible second send says nothing about the first: an order that was sent before counts as
     * declined only with proof. The call ends before absence at the provider counts as proof, whatever the settings
     * say.
     */
    readonly send: (
      provider: Provider,
      order: Effect.Effect<Outcome>,
      window: SendWindow,
      sendPermit: SendPermit,
      about?: {
        readonly timeLeft?: Duration.Duration
        /** Unless it is said, what the provider promises of orders. */
        readonly honours?: Promised
      }
    ) => Effect.Effect<Outcome>
  }
>() {
  static readonly layer = Layer.scoped(
    CallProvider,
    Effect.gen(function* () {
      const { providerTimeout } = yield* Settings
      const within = yield* makeDeadlines

      const answer = <A, B>(ask: Effect.Effect<A>, limit: Duration.Duration, unknown: (reason: string) => B) =>
        Effect.catchAllDefect(
          within(ask, limit, () => unknown(`no answer within ${Duration.format(limit)}`)),
          (defect) =>
            Effect.as(Effect.logError("A provider adapter failed", defect), unknown("its answer could not be read"))
        )

      return {
        call: (ask, unknown) => answer(ask, providerTimeout, unknown),
        enquire: (provider, attempt) =>
          Effect.map(
            answer(
              provider.enquire(attempt),
              providerTimeout,
              (reason) => new Unknown({ reason: `asked for its status: ${reason}` })
            ),
            cleanEnquiry
          ),
        send: (
          provider,
          order,
          window,
          sendPermit,
          { honours = provider.honoursReference, timeLeft = initiationBudget } = {}
        ) => {
          let mayBeThere = !sendPermit.isAbsent
          let lost: Unknown | undefined
          const once = Effect.flatMap(order, (outcome) => {
            const refusedAgain = outcome._tag === "Declined" && mayBeThere
            mayBeThere ||= outcome._tag === "Unknown"
            if (outcome._tag === "Unknown") return Effect.fail((lost = outcome))
            return Effect.succeed(
              refusedAgain ? new Unknown({ reason: `sent again, it was refused: ${outcome.reason}` }) : outcome
            )
          })
          const tooLate = new Declined({
            reason: `it was too late to send it to ${provider.name}, so nothing was sent`,
            unsent: "late"
          })
          // Looked at whenever it is sent: the machine may have slept since an answer was lost.
          const inTime = Effect.flatMap(window.isOpen, (open): Effect.Effect<Outcome, Unknown> => {
            if (open) return once
            return lost === undefined ? Effect.succeed(tooLate) : Effect.fail(lost)
          })
          const persistent = Effect.merge(
            // Just now, and through the same account: for as long as that the promise holds, if it holds at all.
            honours !== false ? retryIfFailed(inTime, { schedule: providerRetry, while: () => window.isOpen }) : inTime
          )
          const sent = answer(persistent, Duration.min(providerTimeout, timeLeft), (reason) => new Unknown({ reason }))
          return Effect.map(sent, cleanOutcome)
        }
      }
    })
  )
}
