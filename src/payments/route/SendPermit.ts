/**
 * Permits to send an attempt, for the first time or again, and for how long. Sending takes both as arguments. A permit is
 * made with its attempt or won with a claim, and never stored.
 */
import { Clock, Duration, Effect, Option } from "effect"
import { sendWindow } from "../../domain/policies/PaymentPolicies.ts"
import type { ResendPermit } from "../../providers/port/ResendPermit.ts"
import type { NewAttempt } from "../store/Change.ts"
import type { Attempt } from "../store/Payment.ts"

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
