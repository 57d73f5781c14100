/** Reports over many rows: what the store counted, in the shape that readers get it. */
import { Array as Arr, Clock, Context, Duration, Effect, Either, Layer, Option, Schema } from "effect"
import type { GeographicDistribution, Trends, AnalyticsApi, ProviderState } from "../../contract/api/AnalyticsApi.ts"
import { eachDay, type DateRange, dateRange } from "../../domain/CalendarDate.ts"
import type { Permit } from "../../domain/Access.ts"
import { Money } from "../../domain/Money.ts"
import { providerAnswersFor } from "../../domain/policies/ProviderPolicies.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"
import { ProviderName, providerNames } from "../../domain/Corridor.ts"
import type { PaymentStatus } from "../../domain/PaymentStatus.ts"
import type { Scope } from "../../platform/database/Query.ts"
import { report } from "../../contract/api/Envelope.ts"
import type { Handlers } from "../../platform/http/Handlers.ts"
import { monotonicMillis } from "../../platform/fibers/Deadlines.ts"
import { ProviderHealth } from "../../providers/health/ProviderHealth.ts"
import { traced } from "../../platform/observability/Spans.ts"

/** The counts behind analytics, made where the rows are: what comes out of a million payments is a few hundred lines. */
export const UsersOfCountry = Schema.Struct({ country: Schema.NullOr(Schema.String), users: Schema.Number })
type UsersOfCountry = typeof UsersOfCountry.Type

/** The payments of one UTC day in one currency. */
export interface DayInCurrency {
  readonly date: string
  readonly count: number
  readonly completed: number
  readonly failed: number
  /** Sum of the completed ones. */
  readonly volume: Money
}

/** How often a provider was asked for something, by what it answered. */
export const AnswerCounts = Schema.Struct({
  provider: ProviderName,
  outcome: Schema.Literal("accepted", "declined", "unknown", "none"),
  count: Schema.Number
})
type AnswerCounts = typeof AnswerCounts.Type

/** One that was paid back did complete. So nothing that is counted here ever changes once a payment is final. */
export const successes: ReadonlyArray<PaymentStatus> = ["completed", "refunded"]

/** One that a reviewer turned down failed too, as its event says. */
export const failures: ReadonlyArray<PaymentStatus> = ["failed", "rejected"]

export class AnalyticsStore extends Context.Tag("corridor/AnalyticsStore")<
  AnalyticsStore,
  {
    /** Most users first. */
    readonly usersByCountry: (scope: Scope) => Stored<ReadonlyArray<UsersOfCountry>>
    /** Days without a payment are left out. */
    readonly days: (scope: Scope, range: DateRange) => Stored<ReadonlyArray<DayInCurrency>>
    /** How those who were asked since then have answered; `none`: they have not yet. */
    readonly answerCounts: (since: Date) => Stored<ReadonlyArray<AnswerCounts>>
    /**
     * Counts final payments ahead of reports, so that these read the last minutes and open payments only. Counts of
     * final payments never change, except of failed ramps, which stay open. Answers with the number of days that were counted, or counted further.
     */
    readonly closeDays: Stored<number>
  }
>() {}

type Report = typeof Trends.Type
type Trend = Report["totals"]

const sumOf = (lines: ReadonlyArray<DayInCurrency>, field: "count" | "completed" | "failed"): number =>
  lines.reduce((sum, line) => sum + line[field], 0)

const volumeOf = (lines: ReadonlyArray<DayInCurrency>): Trend["volume"] => {
  const sums = new Map<string, Money>()
  for (const { volume } of lines.filter(({ completed }) => completed > 0)) {
    const before = sums.get(volume.currency) ?? Money.zero(volume.currency)
    sums.set(volume.currency, Either.getOrThrow(before.add(volume)))
  }
  return Array.from(sums.values())
    .sort((a, b) => (a.currency < b.currency ? -1 : 1))
    .map((money) => ({ currency: money.currency, amount: money.toShown() }))
}

const trendOf = (lines: ReadonlyArray<DayInCurrency>): Trend => {
  const completed = sumOf(lines, "completed")
  const failed = sumOf(lines, "failed")
  const ended = completed + failed
  return {
    count: sumOf(lines, "count"),
    completed,
    failed,
    success_rate: ended === 0 ? null : completed / ended,
    volume: volumeOf(lines)
  }
}

const trendsOf = (range: DateRange, lines: ReadonlyArray<DayInCurrency>): Report => {
  const byDate = Arr.groupBy(lines, ({ date }) => date)
  return {
    date_from: range.from,
    date_to: range.to,
    days: eachDay(range.from, range.to).map((date) => ({ date, ...trendOf(byDate[date] ?? []) })),
    totals: trendOf(lines)
  }
}

export class Analytics extends Context.Tag("corridor/Analytics")<
  Analytics,
  {
    readonly geography: (permit: Permit<"reports">) => Stored<typeof GeographicDistribution.Type>
    /** How providers have answered in the last hour. */
    readonly answerCounts: (permit: Permit<"platform">) => Stored<ReadonlyArray<AnswerCounts>>
    readonly trends: (permit: Permit<"reports"> | Permit<"trends">, range: DateRange) => Stored<Report>
  }
>() {
  static readonly layer = Layer.effect(
    Analytics,
    Effect.map(AnalyticsStore, (store) => ({
      geography: traced("Analytics.geography")(function* (permit) {
        const lines = yield* store.usersByCountry(permit.scope)
        const total_users = lines.reduce((sum, { users }) => sum + users, 0)
        return { total_users, countries: lines.map((line) => ({ ...line, share: line.users / total_users })) }
      }),
      answerCounts: traced("Analytics.answerCounts")(function* (_permit) {
        const now = yield* Clock.currentTimeMillis
        return yield* store.answerCounts(new Date(now - Duration.toMillis(providerAnswersFor)))
      }),
      trends: traced("Analytics.trends")(function* (permit, range) {
        return trendsOf(range, yield* store.days(permit.scope, range))
      })
    }))
  )
}

const stateOf = (
  provider: (typeof providerNames)[number],
  circuit: (typeof ProviderState.Type)["circuit"],
  answerCounts: ReadonlyArray<AnswerCounts>
): typeof ProviderState.Type => {
  const often = (outcome: AnswerCounts["outcome"]): number =>
    answerCounts.find((one) => one.provider === provider && one.outcome === outcome)?.count ?? 0
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
    trends: traced("AnalyticsHttp.trends")(function* ({ permit, urlParams }) {
      const range = yield* dateRange(urlParams, yield* Clock.currentTimeMillis)
      return report(yield* analytics.trends(permit, range))
    }),
    organizationTrends: traced("AnalyticsHttp.organizationTrends")(function* ({ permit, urlParams }) {
      const range = yield* dateRange(urlParams, yield* Clock.currentTimeMillis)
      return report(yield* analytics.trends(permit, range))
    }),
    providerHealth: traced("AnalyticsHttp.providerHealth")(function* ({ permit }) {
      const answerCounts = yield* analytics.answerCounts(permit)
      const now = yield* monotonicMillis
      const org = Option.getOrUndefined(permit.scope)
      return report(
        providerNames.map((provider) =>
          stateOf(provider, health.circuit({ provider, account: null }, org, now), answerCounts)
        )
      )
    })
  }
  return handlers
})
