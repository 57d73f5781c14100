/**
 * Leave to send an attempt, for the first time or again, and for how long. Whoever sends takes both as arguments, and
 * nobody writes leave down: it is made with the attempt, or won with a claim.
 */
import { Clock, Duration, Effect, Option } from "effect"
import { sendWindow } from "../../domain/policies/PaymentPolicies.ts"
import type { ResendPermit } from "../../providers/port/ResendPermit.ts"
import type { NewAttempt } from "../store/Change.ts"
import type { Attempt } from "../store/Payment.ts"

/** One that whoever commits it sends at once. */
export type SentAtOnce = NewAttempt & { readonly enquire_in: number }

/** Nobody has sent it before. */
export class FirstSendPermit {
  protected readonly isFirst = true

  readonly isAbsent = true

  private constructor() {}

  /** Of an attempt that was made just now. */
  static made(_attempt: SentAtOnce): FirstSendPermit {
    return new FirstSendPermit()
  }

  /** Of one that was committed for any instance to send, and claimed: none where others had it before. */
  static claimed({ outcome, sends }: Attempt): Option.Option<FirstSendPermit> {
    return sends === 1 && outcome === null ? Option.some(new FirstSendPermit()) : Option.none()
  }
}

export type SendPermit = FirstSendPermit | ResendPermit

/**
 * How long an attempt may be sent after it was committed. An instance that was held up longer sends nothing: others may
 * have found out by then that its provider never had it, and have acted on that.
 */
export interface SendWindow {
  readonly isOpen: Effect.Effect<boolean>
}

/** To be opened before the attempt is committed. Neither a clock that is set back nor a machine that slept keeps it open. */
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
