/** For what must be written, and may be tried again whether or not it was: it is, while the database is busy. */
import { Effect } from "effect"
import { busyRetry } from "../../domain/policies/Payments.ts"
import { setbackIn } from "../../platform/database/Setback.ts"
import { retryIfFailed } from "../../platform/fibers/RetryIfFailed.ts"

export const whileBusy = <A, E>(write: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.unsandbox(
    retryIfFailed(Effect.sandbox(write), {
      schedule: busyRetry,
      while: (cause) => setbackIn(cause) !== undefined
    })
  )
