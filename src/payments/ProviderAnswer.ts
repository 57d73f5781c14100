/** Asking a provider with a limit: silence and answers that cannot be read are verdicts too, and say that nobody knows. */
import { Duration, Effect } from "effect"
import { type Outcome, Unknown } from "../domain/Outcome.ts"
import { providerRetry } from "../domain/Policies.ts"
import type { Provider } from "../providers/Provider.ts"

export const answerWithin = <A, B>(
  limit: Duration.Duration,
  ask: Effect.Effect<A>,
  unknown: (reason: string) => B
): Effect.Effect<A | B> =>
  ask.pipe(
    Effect.timeoutTo({
      duration: limit,
      onSuccess: (answer): A | B => answer,
      onTimeout: () => unknown(`no answer within ${Duration.format(limit)}`)
    }),
    Effect.catchAllDefect((defect) =>
      Effect.as(Effect.logError("A provider adapter failed", defect), unknown("its answer could not be read"))
    )
  )

/** A lost answer is asked for again where the provider moves money only once for a reference. */
export const outcomeWithin = (
  limit: Duration.Duration,
  { honoursReference }: Provider,
  ask: Effect.Effect<Outcome>
): Effect.Effect<Outcome> => {
  const once = Effect.flatMap(ask, (outcome) =>
    outcome._tag === "Unknown" ? Effect.fail(outcome) : Effect.succeed(outcome)
  )
  const persistent = Effect.merge(honoursReference ? Effect.retry(once, providerRetry) : once)
  return answerWithin<Outcome, Outcome>(limit, persistent, (reason) => new Unknown({ reason }))
}
