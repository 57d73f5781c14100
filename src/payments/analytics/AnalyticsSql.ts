/** The counts behind analytics, by PostgreSQL. All but the last minutes and open payments were counted before. */
import { SqlClient, type SqlError } from "@effect/sql"
import { Duration, Effect, Layer, Option, Schema } from "effect"
import { AnyCurrencyCode } from "../../domain/Currency.ts"
import { uuidv7 } from "../../domain/Ids.ts"
import { isFinal, paymentStatuses } from "../../domain/PaymentStatus.ts"
import { countingDelay } from "../../domain/policies/PaymentPolicies.ts"
import { orDatabaseFailure, orTransactionFailure, type Stored } from "../../platform/database/DatabaseFailure.ts"
import { inScope, moneyOf, query, rowsAs, sameOrg, theRowAs, tryLock } from "../../platform/database/Query.ts"
import { unlimited } from "../../platform/database/Transactor.ts"
import { AnalyticsStore, failures, successes, UsersOfCountry, AnswerCounts } from "./Analytics.ts"

const usersOfCountries = query(UsersOfCountry)

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

const answerCounts = query(AnswerCounts)

const finalStatuses = paymentStatuses.filter(isFinal)

/** Whether nothing changes the counts of a payment any more. An operator may find out that a failed ramp was paid out. */
const isCountable = (sql: SqlClient.SqlClient) =>
  sql`(${sql.in("status", finalStatuses)} and (status <> 'failed' or ramp is null))`

const closedCount = theRowAs(Schema.Struct({ closed: Schema.Number }))

/** Advisory lock of instances that count. As in the database's `payments_counted_late`. */
const LOCK = 7_402_118_621

const sums = (sql: SqlClient.SqlClient) => sql`count(*) as count,
  count(*) filter (where ${sql.in("status", successes)}) as completed,
  count(*) filter (where ${sql.in("status", failures)}) as failed,
  coalesce(sum(amount) filter (where ${sql.in("status", successes)}), 0) as volume`

/** Counts the past, a day at a time. Open payments, and failed ramps, are looked at by each report. */
const closing = (sql: SqlClient.SqlClient) => {
  const addTo = (payments: string) => sql`insert into analytics_day_totals as t
      (date, org_id, currency, count, completed, failed, volume)
    select date, org_id, currency, ${sums(sql)} from ${sql(payments)} group by date, org_id, currency
    on conflict (date, org_id, currency) do update set count = t.count + excluded.count,
      completed = t.completed + excluded.completed, failed = t.failed + excluded.failed, volume = t.volume + excluded.volume`

  const addEnded = sql`with ended as (
      delete from analytics_open_payments o using payments p
      where p.payment_id = o.payment_id and p.org_id = o.org_id and ${isCountable(sql)}
      returning o.date, o.org_id, p.currency, p.status, p.amount
    ) ${addTo("ended")}`

  const addDay = sql`with past as materialized (
      select d::date as date, coalesce(k.counted_to, d at time zone 'UTC') as since,
        (d + interval '1 day') at time zone 'UTC' as ends,
        date_trunc('milliseconds', least((d + interval '1 day') at time zone 'UTC',
          now() - ${Duration.toSeconds(countingDelay)} * interval '1 second',
          (select min(xact_start) from pg_stat_activity where backend_xid is not null)
            - ${Duration.toSeconds(countingDelay)} * interval '1 second')) as until
      from generate_series((select min(created_at) at time zone 'UTC' from payments)::date::timestamp,
        (now() at time zone 'UTC')::date, interval '1 day') d
      left join analytics_days k on k.date = d::date
    ), next as materialized (
      select * from past where until > since and (until = ends or until >= since + interval '1 minute')
      order by date limit 1
    ), closed as (
      insert into analytics_days (date, counted_to) select date, until from next
      on conflict (date) do update set counted_to = excluded.counted_to
      returning date
    ), found as materialized (
      select date, payment_id, org_id, currency, status, ramp, amount
      from next cross join lateral (select * from payments where created_at >= since and created_at < until) p
    ), open as (
      insert into analytics_open_payments (payment_id, org_id, date)
      select payment_id, org_id, date from found where not ${isCountable(sql)}
    ), ended as (
      select * from found where ${isCountable(sql)}
    ), added as (${addTo("ended")})
    select count(*)::int as closed from closed`

  /** In a transaction of its own, so that a day is counted as a whole or not at all. None if another instance counts. */
  const alone = (count: Effect.Effect<number, SqlError.SqlError>): Stored<number> =>
    unlimited(Effect.flatMap(tryLock(sql, LOCK), (mine) => (mine ? count : Effect.succeed(0)))).pipe(
      Effect.provideService(SqlClient.SqlClient, sql),
      orTransactionFailure
    )

  const closeOne = alone(Effect.map(Effect.flatMap(addDay, closedCount), ({ closed }) => closed))

  const closeMore = (before: number): Stored<number> =>
    Effect.flatMap(closeOne, (closed) => (closed === 0 ? Effect.succeed(before) : closeMore(before + closed)))

  return Effect.zipRight(alone(Effect.as(addEnded, 0)), closeMore(0)).pipe(Effect.withSpan("AnalyticsStore.closeDays"))
}

export const analyticsStoreSql = Layer.effect(
  AnalyticsStore,
  Effect.map(SqlClient.SqlClient, (sql) => ({
    // Ids begin with their time, so that the newest are found without a look at the others.
    answerCounts: (since) =>
      answerCounts.all(sql`select provider, coalesce(outcome, 'none') as outcome, count(*)::int as count from attempts
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
            select d::date as date, coalesce(k.counted_to, d at time zone 'UTC') as since,
              (d + interval '1 day') at time zone 'UTC' as until
            from generate_series(${from}::date::timestamp, ${to}::date, interval '1 day') d
            left join analytics_days k on k.date = d::date
            where k.counted_to is null or k.counted_to < (d + interval '1 day') at time zone 'UTC'
          ), open_payments as (
            select date, payment_id as open_id, org_id as owner from analytics_open_payments
            where date between ${from}::date and ${to}::date and ${inScope(sql, scope)}
          ), counted as (
            select open_days.date, live.* from open_days cross join lateral (
              select currency, ${sums(sql)} from payments
              where created_at >= since and created_at < until and ${inScope(sql, scope)} group by currency
            ) live
            union all
            select date, currency, ${sums(sql)} from open_payments join payments on payment_id = open_id and ${sql.literal(sameOrg("org_id", "owner"))}
            group by date, currency
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
