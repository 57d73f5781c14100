/** For what an action writes once a provider was asked: where there is no time for it, nobody is told that nothing was done. */
import { Cause, Effect } from "effect"
import { perhapsWritten } from "../../domain/Failure.ts"
import { setbackIn } from "../../platform/database/Setback.ts"

export const afterAsking = <A, E>(write: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.catchAllCause(write, (cause) =>
    Effect.failCause(setbackIn(cause) === undefined ? cause : Cause.sequential(cause, Cause.die(perhapsWritten())))
  )
