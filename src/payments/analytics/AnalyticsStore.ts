/** The counts behind analytics, made where the rows are: what comes out of a million payments is a few hundred lines. */
import { SqlClient } from "@effect/sql"
import { Array as Arr, BigDecimal, Context, Effect, Layer, Option } from "effect"
import { openTables } from "../../platform/database/MemoryDatabase.ts"
import { paymentTables } from "../store/MemoryTables.ts"
import { userTables } from "../../people/users/MemoryTables.ts"
import { inScope, type Scope } from "../../platform/database/Query.ts"
import { dateOf } from "../../domain/CalendarDate.ts"
import type { AnyCurrencyCode } from "../../domain/CryptoAsset.ts"
import { toPlainText } from "../../domain/Decimal.ts"
import type { PaymentStatus } from "../../domain/PaymentStatus.ts"
import type { Payment } from "../store/Payment.ts"
import type { DateRange } from "./DateRange.ts"

export interface UsersOfCountry {
  readonly country: string | null
  readonly users: number
}

/** The payments of one UTC day in one currency. */
export interface DayInCurrency {
  readonly date: string
  readonly currency: AnyCurrencyCode
  readonly count: number
  readonly completed: number
  readonly failed: number
  /** Sum of the completed ones, as decimal text. */
  readonly volume: string
}

interface Store {
  /** Most users first. */
  readonly usersByCountry: (scope: Scope) => Effect.Effect<ReadonlyArray<UsersOfCountry>>
  /** Days without a payment are left out. */
  readonly days: (scope: Scope, range: DateRange) => Effect.Effect<ReadonlyArray<DayInCurrency>>
}

/** One that was paid back did complete. So nothing that is counted here ever changes once a payment is settled. */
export const successes: ReadonlyArray<PaymentStatus> = ["completed", "refunded"]

/** One that a reviewer turned down failed too, as its event says. */
export const failures: ReadonlyArray<PaymentStatus> = ["failed", "rejected"]

const lineOf = (payments: Arr.NonEmptyReadonlyArray<Payment>): DayInCurrency => {
  const completed = payments.filter(({ status }) => successes.includes(status))
  return {
    date: dateOf(payments[0].created_at.getTime()),
    currency: payments[0].amount.currency,
    count: payments.length,
    completed: completed.length,
    failed: payments.filter(({ status }) => failures.includes(status)).length,
    volume: toPlainText(BigDecimal.sumAll(completed.map(({ amount }) => amount.toDecimal())))
  }
}

export class AnalyticsStore extends Context.Tag("corridor/AnalyticsStore")<AnalyticsStore, Store>() {
  static readonly layer = Layer.effect(
    AnalyticsStore,
    Effect.map(SqlClient.SqlClient, (sql): Store => ({
      usersByCountry: (scope) => {
        const whose = Option.match(scope, {
          onNone: () => sql`users`,
          onSome: (orgId) => sql`users join memberships using (user_id) where org_id = ${orgId}`
        })
        return sql<UsersOfCountry>`select country, count(*)::int as users from ${whose}
          group by country order by users desc, country`.pipe(Effect.orDie)
      },
      days: (scope, { from, to }) =>
        sql<DayInCurrency>`with open_days as (
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
          from counted group by counted.date, currency order by counted.date, currency`.pipe(Effect.orDie)
    }))
  )

  static readonly layerMemory = Layer.effect(
    AnalyticsStore,
    Effect.map(openTables({ ...userTables, ...paymentTables }), ({ memberships, payments, users }): Store => {
      const visible = (scope: Scope) =>
        Array.from(users.values()).filter(({ user_id }) =>
          Option.match(scope, {
            onNone: () => true,
            onSome: (orgId) =>
              Array.from(memberships.values()).some((row) => row.org_id === orgId && row.user_id === user_id)
          })
        )
      return {
        usersByCountry: (scope) =>
          Effect.sync(() => {
            const groups = Arr.groupBy(visible(scope), ({ country }) => country ?? "")
            return Object.entries(groups)
              .map(([country, all]) => ({ country: country === "" ? null : country, users: all.length }))
              .sort((a, b) => b.users - a.users || ((a.country ?? "~") < (b.country ?? "~") ? -1 : 1))
          }),
        days: (scope, { from, to }) =>
          Effect.sync(() => {
            const rows = Array.from(payments.values()).filter(({ created_at, org_id }) => {
              const date = dateOf(created_at.getTime())
              return (Option.isNone(scope) || org_id === scope.value) && date >= from && date <= to
            })
            const keyOf = (row: Payment) => `${dateOf(row.created_at.getTime())} ${row.amount.currency}`
            const groups = Object.entries(Arr.groupBy(rows, keyOf))
            return groups.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, all]) => lineOf(all))
          })
      }
    })
  )
}
