/** Tests of limits that are counted by the hour of the clock. */
import { Clock, Duration, Effect } from "effect"
import { messageWindow } from "../../src/domain/policies/PeoplePolicies.ts"

const hour = Effect.map(Clock.currentTimeMillis, (now) => Math.floor(now / Duration.toMillis(messageWindow)))

/** Runs a failed test once more if an hour began meanwhile, with which its counts began again. */
export const inOneHour = <A, E, R>(test: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(hour, (began) =>
    Effect.catchAllCause(test, (cause) =>
      Effect.flatMap(hour, (now) => (now === began ? Effect.failCause(cause) : test))
    )
  )
