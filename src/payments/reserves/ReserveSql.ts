/** Payins with a reserve, in PostgreSQL. */
import { SqlClient } from "@effect/sql"
import { Duration, Effect, Layer, Schema } from "effect"
import { AnyCurrencyCode } from "../../domain/Currency.ts"
import { releaseDaysShown, releaseRetry } from "../../domain/policies/PaymentPolicies.ts"
import { orDatabaseFailure } from "../../platform/database/DatabaseFailure.ts"
import { execute, moneyOf, ownedBy, query } from "../../platform/database/Query.ts"
import { booksColumns, booksOf, paymentOf, selectedColumns } from "../store/PaymentRow.ts"
import { ReserveStore } from "./ReserveStore.ts"

const upcomingRows = query(
  Schema.Struct({ date: Schema.String, currency: Schema.typeSchema(AnyCurrencyCode), amount: Schema.String })
)

export const reserveStoreSql = Layer.effect(
  ReserveStore,
  Effect.map(SqlClient.SqlClient, (sql) => ({
    due: (most) =>
      sql`select ${sql.literal(selectedColumns("p."))}, ${sql.literal(booksColumns("p."))} from payments p
        where p.release_at <= now() order by p.release_at limit ${most}`.pipe(
        Effect.map((rows) => rows.map((row) => ({ payment: paymentOf(row), ...booksOf(row) }))),
        orDatabaseFailure
      ),
    postpone: ({ org_id, payment_id, version }) =>
      execute(sql`update payments set release_at = now() + make_interval(secs => ${Duration.toSeconds(releaseRetry)})
        where payment_id = ${payment_id} and ${ownedBy(sql, org_id)} and version = ${version}
          and release_at <= now()`),
    // The part that is released last has paid refunds and chargebacks: earlier ones hold theirs in full.
    upcoming: (orgId) =>
      sql`with parts as (
          select p.target_currency as currency, p.reserve_held, (part ->> 'amount')::numeric as amount,
            (part ->> 'release_at')::timestamptz as release_at,
            sum((part ->> 'amount')::numeric) over (partition by p.payment_id order by nth) as so_far
          from payments p cross join lateral jsonb_array_elements(p.reserve -> 'parts') with ordinality as x (part, nth)
          where ${ownedBy(sql, orgId)} and p.release_at is not null and part ->> 'released_at' is null
        ), days as (
          select to_char(release_at at time zone 'UTC', 'YYYY-MM-DD') as date, currency,
            sum(least(amount, greatest(0, reserve_held - so_far + amount))) as amount
          from parts group by 1, 2
        )
        select date, currency, amount::text from days where amount > 0
        order by date, currency limit ${releaseDaysShown}`.pipe(
        upcomingRows.all,
        Effect.map((rows) => rows.map(({ amount, currency, date }) => ({ date, amount: moneyOf(amount, currency) })))
      )
  }))
)
