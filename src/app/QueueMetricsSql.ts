/** Queue metrics in PostgreSQL: one index-only statement, and one row that shares its result among all instances. */
import { SqlClient } from "@effect/sql"
import { Duration, Effect, Layer, Schema } from "effect"
import { CryptoAssetCode, currencies } from "../domain/Currency.ts"
import { unmatchedCallbackGrace, unmatchedCallbackWindow } from "../domain/policies/PaymentPolicies.ts"
import { figuresRest, mostCounted } from "../domain/policies/ServerPolicies.ts"
import { orDatabaseFailure } from "../platform/database/DatabaseFailure.ts"
import { theRowAs } from "../platform/database/Query.ts"
import { QueueMetrics, QueueMetricsStore } from "./QueueMetrics.ts"

/** Null: another instance is taking the first snapshot. */
const row = theRowAs(Schema.Struct({ figures: Schema.NullOr(Schema.typeSchema(QueueMetrics)) }))

/** Literals in the statement, so that the planner uses the index under any collation and expects few rows. */
const accountsOf = (kind: string) =>
  [...currencies.keys(), ...CryptoAssetCode.literals].map((code) => `'${kind}/${code}'`).join(", ")

/** Postings of each FX account since its stored subtotal. */
const fxSince = (before: string) => `from unnest(array[${accountsOf("fx")}]) a (account)
      left join fx_totals t on t.account = a.account
      cross join lateral (
        select coalesce(sum(p.amount), 0) as amount from ledger_postings p where p.account = a.account
          and p.created_at >= coalesce(t.until, '-infinity') and p.created_at < ${before}) latest`

/** All transactions that began earlier have ended, so no earlier posting can appear. */
const FX_SUMMED_UNTIL = "date_trunc('hour', now() - interval '1 hour')"

const age = (since: string) => `coalesce(extract(epoch from now() - ${since}), 0)::float8`

const ago = (time: Duration.Duration) => `now() - make_interval(secs => ${Duration.toSeconds(time)})`

/** Visits the index of the webhook queue once for each organisation, at its earliest delivery. */
const read = `select jsonb_build_object(
    'unknown', (select coalesce(jsonb_agg(u), '[]') from (
      select provider, count(*)::int as count, ${age("min(started_at)")} as oldest
      from attempts where outcome = 'unknown' group by provider) u),
    'items', (select coalesce(jsonb_agg(i), '[]') from (
      select kind, count(*)::int as count, ${age("min(opened_at)")} as oldest
      from (select kind, opened_at from operator_items where closed_at is null
        order by opened_at, item_id limit ${mostCounted}) o group by kind
      union all
      select 'suspense', count(*)::int, ${age("min(since)")}
      from (select (select max(p.created_at) from ledger_postings p where p.account = b.account) as since
        from ledger_balances b join payments m on m.payment_id = split_part(b.account, '/', 2)::uuid
        where b.waits and b.account not like 'receivable/%'
          and (b.account like 'clearing/%' or m.status in ('failed', 'refunded', 'canceled'))
        limit ${mostCounted}) w having count(*) > 0
      union all
      select 'escrow_payout', count(*)::int, ${age("min(updated_at)")}
      from (select updated_at from escrow_payouts where status = 'blocked'
        order by updated_at, payout_id limit ${mostCounted}) b having count(*) > 0
      union all
      select 'incoming_transfer', count(*)::int, ${age("min(created_at)")}
      from (select created_at from incoming_transfers where state = 'suspense'
        order by created_at, transfer_id limit ${mostCounted}) t having count(*) > 0) i),
    'strays', (select coalesce(jsonb_agg(k), '[]') from (
      select provider, count(*)::int as count, ${age("min(received_at)")} as oldest
      from (select provider, received_at from provider_callbacks
        where payment_id is null and word is not null
          and received_at between ${ago(unmatchedCallbackWindow)} and ${ago(unmatchedCallbackGrace)}
        order by received_at limit ${mostCounted}) c group by provider) k),
    'queue', jsonb_build_object(
      'count', (select count(*)::int from (
        select delivery_id from webhook_queue order by delivery_id limit ${mostCounted}) q),
      'oldest', coalesce((
        select greatest(0, ${age("q.delivery_at")}) from webhook_queue q order by delivery_id limit 1), 0),
      'overdue', (
        with recursive walk as (
          (select org_id, next_at from webhook_queue order by org_id, next_at limit 1)
          union all
          select n.org_id, n.next_at from walk w cross join lateral (
            select q.org_id, q.next_at from webhook_queue q
            where q.org_id > w.org_id order by q.org_id, q.next_at limit 1
          ) n
        )
        select greatest(0, ${age("min(next_at)")}) from walk)),
    'suspense', (select coalesce(jsonb_agg(s), '[]') from (
      select b.currency, sum(b.balance)::text as amount from ledger_balances b
      where b.waits and b.account like 'clearing/%'
      group by b.currency having sum(b.balance) <> 0) s),
    'fx', (select coalesce(jsonb_agg(f), '[]') from (
      select substr(a.account, 4) as currency, (coalesce(t.amount, 0) + latest.amount)::text as amount
      ${fxSince("'infinity'")} where t.account is not null or latest.amount <> 0) f))`

/** The maximum age is slightly shorter than the workers' pause, so that no worker reads an old snapshot twice. */
const statement = `with turn as (
    update figures set taken_at = now(), figures = (${read})
    where taken_at <= now() - make_interval(secs => $1) returning figures
  ), summed as (
    insert into fx_totals (account, amount, until)
    select a.account, latest.amount, ${FX_SUMMED_UNTIL} ${fxSince(FX_SUMMED_UNTIL)}
    where exists (select from turn) and (latest.amount <> 0 or t.until < ${FX_SUMMED_UNTIL})
    on conflict (account) do update set amount = fx_totals.amount + excluded.amount, until = excluded.until
  )
  select figures from turn
  union all
  select figures from figures where not exists (select from turn)`

export const queueMetricsSql = Layer.effect(
  QueueMetricsStore,
  Effect.map(SqlClient.SqlClient, (sql) => ({
    current: sql.unsafe(statement, [Duration.toSeconds(figuresRest) - 1]).pipe(
      Effect.flatMap(row),
      Effect.repeat({ until: ({ figures }) => figures !== null }),
      Effect.map(({ figures }) => figures!),
      orDatabaseFailure
    )
  }))
)
