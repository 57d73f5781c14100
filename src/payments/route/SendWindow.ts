/**
 * How long an attempt may be sent after it was committed. An instance that was held up longer sends nothing: others may
 * have found out by then that its provider never had it, and have acted on that.
 */
import { Clock, Duration, Effect } from "effect"
import { sendWindow } from "../../domain/Policies.ts"

export interface SendWindow {
  readonly isOpen: Effect.Effect<boolean>
}

/** To be opened before the attempt is committed. Neither a clock that is set back nor a machine that slept keeps it open. */
export const openSendWindow: Effect.Effect<SendWindow> = Effect.gen(function* () {
  const wall = yield* Clock.currentTimeMillis
  const steady = yield* Clock.currentTimeNanos
  const millis = Duration.toMillis(sendWindow)
  return {
    isOpen: Effect.zipWith(
      Clock.currentTimeMillis,
      Clock.currentTimeNanos,
      (now, nanos) => now - wall < millis && nanos - steady < BigInt(millis) * 1_000_000n
    )
  }
})
