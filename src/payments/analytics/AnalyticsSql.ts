/** The counts behind analytics, by PostgreSQL. Days that are over were counted before. */
import { SqlClient } from "@effect/sql"
import { Duration, Effect, Layer, Option, Schema } from "effect"
import { ProviderName } from "../../domain/Corridor.ts"
import { AnyCurrencyCode } from "../../domain/Currency.ts"
import { uuidv7 } from "../../domain/Ids.ts"
import { isFinal, paymentStatuses } from "../../domain/PaymentStatus.ts"
import { dayClosingDelay } from "../../domain/policies/PaymentPolicies.ts"
import { orDatabaseFailure, type Stored } from "../../platform/database/DatabaseFailure.ts"
import { inScope, moneyOf, query, rowsAs, theRowAs } from "../../platform/database/Query.ts"
import { unlimited } from "../../platform/database/Transactor.ts"
import { AnalyticsStore, failures, successes } from "./Analytics.ts"

const usersOfCountries = query(Schema.Struct({ country: Schema.NullOr(Schema.String), users: Schema.Number }))

const dayRows = rowsAs(
  Schema.Struct({
    date: Schema.String,
    currency: AnyCurrencyCode,
    count: Schema.Number,
    completed: Schema.Number,
    failed: Schema.Number,
    volume: Schema.String
  })
)

const daysInCurrencies = (rows: ReadonlyArray<unknown>) =>
  Effect.map(dayRows(rows), (days) =>
    days.map(({ currency, volume, ...counts }) => ({ ...counts, volume: moneyOf(volume, currency) }))
  )

const verdicts = query(
  Schema.Struct({
    provider: ProviderName,
    outcome: Schema.Literal("accepted", "declined", "unknown", "none"),
    count: Schema.Number
  })
)

const openStatuses = paymentStatuses.filter((status) => !isFinal(status))

const closedCount = theRowAs(Schema.Struct({ closed: Schema.Number }))

const closing = (sql: SqlClient.SqlClient) => {
  const ofDay = (day: string) => sql`created_at >= ${sql(day)}.date::timestamp at time zone 'UTC'
      and created_at < (${sql(day)}.date + 1)::timestamp at time zone 'UTC'`

  /** One statement, so that a day is closed with its counts or not at all; however many payments it had. */
  const closeOne = sql`with past as materialized (
        select d::date as date from generate_series(
          (select min(created_at) at time zone 'UTC' from payments)::date::timestamp,
          ((now() - ${Duration.toSeconds(dayClosingDelay)} * interval '1 second') at time zone 'UTC')::date
            - interval '1 day',
          interval '1 day') d
        where not exists (select 1 from analytics_days closed where closed.date = d::date)
      ), claimed as (
        insert into analytics_days (date)
        select date from past
        where not exists (select from payments where ${ofDay("past")} and ${sql.in("status", openStatuses)})
        limit 1
        on conflict do nothing returning date
      ), counted as (
        insert into analytics_day_totals (date, org_id, currency, count, completed, failed, volume)
        select claimed.date, totals.* from claimed cross join lateral (
          select org_id, currency, count(*), count(*) filter (where ${sql.in("status", successes)}),
            count(*) filter (where ${sql.in("status", failures)}),
            coalesce(sum(amount) filter (where ${sql.in("status", successes)}), 0)
          from payments where ${ofDay("claimed")} group by org_id, currency
        ) totals
      )
      select count(*)::int as closed from claimed`.pipe(
    Effect.flatMap(closedCount),
    unlimited,
    Effect.provideService(SqlClient.SqlClient, sql),
    orDatabaseFailure
  )

  const closeMore = (before: number): Stored<number> =>
    Effect.flatMap(closeOne, ({ closed }) => (closed === 0 ? Effect.succeed(before) : closeMore(before + closed)))

  return Effect.withSpan(closeMore(0), "AnalyticsStore.closeDays")
}

export const analyticsStoreSql = Layer.effect(
  AnalyticsStore,
  Effect.map(SqlClient.SqlClient, (sql) => ({
    // Ids begin with their time, so that the newest are found without a look at the others.
    verdicts: (since) =>
      verdicts.all(sql`select provider, coalesce(outcome, 'none') as outcome, count(*)::int as count from attempts
          where attempt_id >= ${uuidv7(since.getTime(), new Uint8Array(10))} group by 1, 2 order by 1, 2`),
    usersByCountry: (scope) => {
      const whose = Option.match(scope, {
        onNone: () => sql`users`,
        onSome: (orgId) => sql`users join memberships using (user_id) where org_id = ${orgId}`
      })
      return usersOfCountries.all(sql`select country, count(*)::int as users from ${whose}
          group by country order by users desc, country`)
    },
    days: (scope, { from, to }) =>
      sql`with open_days as (
            select d::date as date from generate_series(${from}::date, ${to}::date, interval '1 day') d
            where not exists (select 1 from analytics_days closed where closed.date = d::date)
          ), counted as (
            select open_days.date, live.* from open_days cross join lateral (
              select currency, count(*) as count,
                count(*) filter (where ${sql.in("status", successes)}) as completed,
                count(*) filter (where ${sql.in("status", failures)}) as failed,
                coalesce(sum(amount) filter (where ${sql.in("status", successes)}), 0) as volume
              from payments
              where created_at >= open_days.date::timestamp at time zone 'UTC'
                and created_at < (open_days.date + 1)::timestamp at time zone 'UTC' and ${inScope(sql, scope)}
              group by currency
            ) live
            union all
            select date, currency, count, completed, failed, volume from analytics_day_totals
            where date between ${from}::date and ${to}::date and ${inScope(sql, scope)}
          )
          select to_char(date, 'YYYY-MM-DD') as date, currency, sum(count)::int as count,
            sum(completed)::int as completed, sum(failed)::int as failed, sum(volume)::text as volume
          from counted group by counted.date, currency order by counted.date, currency`.pipe(
        Effect.flatMap(daysInCurrencies),
        orDatabaseFailure
      ),
    closeDays: closing(sql)
  }))
)
