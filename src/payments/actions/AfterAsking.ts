/** For what an action writes once a provider was asked: where there is no time for it, nobody is told that nothing was done. */
import { Effect } from "effect"
import { isDatabaseFailure, maybeWritten } from "../../domain/Failure.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"

export const orMaybeWritten = <A, E>(write: Effect.Effect<A, E>): Stored<A, E> =>
  Effect.mapError(write, (error) => (isDatabaseFailure(error) ? maybeWritten(error) : error))
