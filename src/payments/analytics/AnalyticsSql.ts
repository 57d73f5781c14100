/** The counts behind analytics, by PostgreSQL. Days that are over were counted before. */
import { SqlClient } from "@effect/sql"
import { Effect, Layer, Option, Schema } from "effect"
import { AnyCurrencyCode } from "../../domain/CryptoAsset.ts"
import { inScope } from "../../platform/database/Query.ts"
import { rowsAs } from "../../platform/database/Rows.ts"
import { moneyOf } from "../../platform/database/StoredMoney.ts"
import { AnalyticsStore, failures, successes } from "./AnalyticsStore.ts"

const usersOfCountries = rowsAs(Schema.Struct({ country: Schema.NullOr(Schema.String), users: Schema.Number }))

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

export const analyticsStoreSql = Layer.effect(
  AnalyticsStore,
  Effect.map(SqlClient.SqlClient, (sql) => ({
    usersByCountry: (scope) => {
      const whose = Option.match(scope, {
        onNone: () => sql`users`,
        onSome: (orgId) => sql`users join memberships using (user_id) where org_id = ${orgId}`
      })
      return sql`select country, count(*)::int as users from ${whose}
          group by country order by users desc, country`.pipe(Effect.flatMap(usersOfCountries), Effect.orDie)
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
        Effect.orDie
      )
  }))
)
