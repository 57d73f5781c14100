/** Asking a provider with a limit: silence and answers that cannot be read are verdicts too, and say that nobody knows. */
import { Context, Duration, Effect, Layer } from "effect"
import { Settings } from "../config/Settings.ts"
import { type Outcome, Unknown } from "../domain/Outcome.ts"
import { providerRetry } from "../domain/Policies.ts"
import { makeDeadlines } from "../fibers/Deadlines.ts"
import type { Provider } from "../providers/Provider.ts"

export class ProviderAnswer extends Context.Tag("corridor/ProviderAnswer")<
  ProviderAnswer,
  {
    readonly to: <A, B>(ask: Effect.Effect<A>, unknown: (reason: string) => B) => Effect.Effect<A | B>
    /** A lost answer is asked for again where the provider moves money only once for a reference. */
    readonly outcome: (
      provider: Provider,
      ask: Effect.Effect<Outcome>,
      timeLeft?: Duration.Duration
    ) => Effect.Effect<Outcome>
  }
>() {
  static readonly layer = Layer.scoped(
    ProviderAnswer,
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
        to: (ask, unknown) => answer(ask, providerTimeout, unknown),
        outcome: ({ honoursReference }, ask, timeLeft = providerTimeout) => {
          const once = Effect.flatMap(ask, (outcome) =>
            outcome._tag === "Unknown" ? Effect.fail(outcome) : Effect.succeed(outcome)
          )
          const persistent = Effect.merge(honoursReference ? Effect.retry(once, providerRetry) : once)
          return answer(persistent, Duration.min(providerTimeout, timeLeft), (reason) => new Unknown({ reason }))
        }
      }
    })
  )
}
