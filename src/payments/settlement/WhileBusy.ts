/** For what must be written, and may be tried again whether or not it was: it is, while the database is busy. */
import type { Effect } from "effect"
import { isDatabaseFailure } from "../../domain/Failure.ts"
import { busyRetry } from "../../domain/policies/Payments.ts"
import { retryIfFailed } from "../../platform/fibers/RetryIfFailed.ts"

export const retryWhileDatabaseBusy = <A, E>(write: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  retryIfFailed(write, { schedule: busyRetry, while: isDatabaseFailure })
