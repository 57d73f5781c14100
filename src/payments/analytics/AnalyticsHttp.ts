import { Clock, Effect, Option } from "effect"
import type { AnalyticsApi, ProviderState } from "../../contract/api/AnalyticsApi.ts"
import { report } from "../../contract/api/Envelope.ts"
import { providerNames } from "../../domain/Corridor.ts"
import type { Handlers } from "../../platform/http/Handlers.ts"
import { monotonicMillis } from "../../platform/fibers/Deadlines.ts"
import { ProviderHealth } from "../../providers/health/ProviderHealth.ts"
import { Analytics, type Verdicts } from "./Analytics.ts"
import { dateRange } from "../../domain/CalendarDate.ts"

const stateOf = (
  provider: (typeof providerNames)[number],
  circuit: (typeof ProviderState.Type)["circuit"],
  verdicts: ReadonlyArray<Verdicts>
): typeof ProviderState.Type => {
  const often = (outcome: Verdicts["outcome"]): number =>
    verdicts.find((one) => one.provider === provider && one.outcome === outcome)?.count ?? 0
  return {
    provider,
    circuit,
    accepted: often("accepted"),
    declined: often("declined"),
    unknown: often("unknown"),
    unanswered: often("none")
  }
}

export const analyticsHandlers = Effect.gen(function* () {
  const analytics = yield* Analytics
  const health = yield* ProviderHealth
  const handlers: Handlers<typeof AnalyticsApi> = {
    geographicDistribution: ({ permit }) => Effect.map(analytics.geography(permit), report),
    trends: Effect.fn("AnalyticsHttp.trends")(function* ({ permit, urlParams }) {
      const range = yield* dateRange(urlParams, yield* Clock.currentTimeMillis)
      return report(yield* analytics.trends(permit, range))
    }),
    organizationTrends: Effect.fn("AnalyticsHttp.organizationTrends")(function* ({ permit, urlParams }) {
      const range = yield* dateRange(urlParams, yield* Clock.currentTimeMillis)
      return report(yield* analytics.trends(permit, range))
    }),
    providerHealth: Effect.fn("AnalyticsHttp.providerHealth")(function* ({ permit }) {
      const verdicts = yield* analytics.verdicts(permit)
      const now = yield* monotonicMillis
      const org = Option.getOrUndefined(permit.scope)
      return report(
        providerNames.map((provider) =>
          stateOf(provider, health.circuit({ provider, account: null }, org, now), verdicts)
        )
      )
    })
  }
  return handlers
})
