import { Clock, Effect } from "effect"
import type { AnalyticsApi } from "../../contract/api/Analytics.ts"
import type { Handlers } from "../../platform/http/Handlers.ts"
import { Analytics } from "./Analytics.ts"
import { dateRange } from "./DateRange.ts"

const report = <A>(data: A) => ({ status: "success" as const, data })

export const analyticsHandlers = Effect.map(Analytics, (analytics): Handlers<typeof AnalyticsApi> => ({
  geographicDistribution: ({ permit }) => Effect.map(analytics.geography(permit), report),
  trends: Effect.fn("AnalyticsHttp.trends")(function* ({ permit, urlParams }) {
    const range = yield* dateRange(urlParams, yield* Clock.currentTimeMillis)
    return report(yield* analytics.trends(permit, range))
  })
}))
