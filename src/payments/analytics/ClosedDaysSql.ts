/** Closes days in PostgreSQL. */
import { SqlClient } from "@effect/sql"
import { Duration, Effect, Layer, Schema } from "effect"
import { isSettled, paymentStatuses } from "../../domain/PaymentStatus.ts"
import { dayClosingBatch, dayClosingDelay } from "../../domain/Policies.ts"
import { rowsAs } from "../../platform/database/Rows.ts"
import { failures, successes } from "./AnalyticsStore.ts"
import { ClosedDays } from "./ClosedDays.ts"

const unsettled = paymentStatuses.filter((status) => !isSettled(status))

const counts = rowsAs(Schema.Struct({ closed: Schema.Number }))

export const closedDaysSql = Layer.effect(
  ClosedDays,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const ofDay = (day: string) => sql`created_at >= ${sql(day)}.date::timestamp at time zone 'UTC'
        and created_at < (${sql(day)}.date + 1)::timestamp at time zone 'UTC'`

    /** One statement, so that a day is closed with its counts or not at all. */
    const closeSome = sql`with past as materialized (
          select d::date as date from generate_series(
            (select min(created_at) at time zone 'UTC' from payments)::date::timestamp,
            ((now() - ${Duration.toSeconds(dayClosingDelay)} * interval '1 second') at time zone 'UTC')::date
              - interval '1 day',
            interval '1 day') d
          where not exists (select 1 from analytics_days closed where closed.date = d::date)
        ), claimed as (
          insert into analytics_days (date)
          select date from past cross join lateral (
            select count(*) as payments from payments where ${ofDay("past")} and ${sql.in("status", unsettled)}
          ) unsettled
          where unsettled.payments = 0
          limit ${dayClosingBatch}
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
      Effect.flatMap(counts),
      Effect.map((rows) => rows[0]!.closed),
      Effect.orDie
    )

    const closeMore = (before: number): Effect.Effect<number> =>
      Effect.flatMap(closeSome, (closed) =>
        closed < dayClosingBatch ? Effect.succeed(before + closed) : closeMore(before + closed)
      )

    return { closeAll: Effect.withSpan(closeMore(0), "ClosedDays.closeAll") }
  })
)
