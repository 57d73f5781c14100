/** Reports over many rows: what the store counted, in the shape that readers get it. */
import { Array as Arr, Clock, Context, Duration, Effect, Either, Layer } from "effect"
import type { GeographicDistribution, Trends } from "../../contract/api/Analytics.ts"
import { eachDay } from "../../domain/CalendarDate.ts"
import type { Permit } from "../../domain/Access.ts"
import { Money } from "../../domain/Money.ts"
import { verdictsFor } from "../../domain/policies/Providers.ts"
import { AnalyticsStore, type DayInCurrency, type Verdicts } from "./AnalyticsStore.ts"
import type { DateRange } from "../../domain/DateRange.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"

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
    success_rate: ended === 0 ? 0 : completed / ended,
    volume: volumeOf(lines)
  }
}

export const trendsOf = (range: DateRange, lines: ReadonlyArray<DayInCurrency>): Report => {
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
    readonly geography: (permit: Permit<"operations">) => Stored<typeof GeographicDistribution.Type>
    /** How providers have answered in the last hour. */
    readonly verdicts: (permit: Permit<"platform">) => Stored<ReadonlyArray<Verdicts>>
    readonly trends: (permit: Permit<"operations"> | Permit<"platform">, range: DateRange) => Stored<Report>
  }
>() {
  static readonly layer = Layer.effect(
    Analytics,
    Effect.map(AnalyticsStore, (store) => ({
      geography: Effect.fn("Analytics.geography")(function* (permit) {
        const lines = yield* store.usersByCountry(permit.scope)
        const total_users = lines.reduce((sum, { users }) => sum + users, 0)
        return { total_users, countries: lines.map((line) => ({ ...line, share: line.users / total_users })) }
      }),
      verdicts: Effect.fn("Analytics.verdicts")(function* (_permit) {
        const now = yield* Clock.currentTimeMillis
        return yield* store.verdicts(new Date(now - Duration.toMillis(verdictsFor)))
      }),
      trends: Effect.fn("Analytics.trends")(function* (permit, range) {
        return trendsOf(range, yield* store.days(permit.scope, range))
      })
    }))
  )
}
