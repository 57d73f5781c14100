/** Results on PostgreSQL: a batch of them is one statement, and its times are the database's. */
import type { SqlClient } from "@effect/sql"
import { Duration, Effect, Schema } from "effect"
import { webhookGivesUpAfter } from "../../domain/policies/Webhooks.ts"
import { orDatabaseFailure } from "../../platform/database/DatabaseFailure.ts"
import { batchOf } from "../../platform/database/Query.ts"
import { rowsAs } from "../../platform/database/Rows.ts"
import { buriedError, GivenUp, givenUpReason, type Settled } from "./Delivery.ts"
import type { Settling } from "./QueueStore.ts"

/** An endpoint that was given up, or a delivery that died. */
const SettledRow = Schema.Struct({ ...GivenUp.fields, died: Schema.NullOr(Schema.String) })
const settledRows = rowsAs(SettledRow)

const settledOf = (rows: ReadonlyArray<typeof SettledRow.Type>): Settled => ({
  dead: rows.flatMap(({ died }) => died ?? []),
  givenUp: rows.flatMap(({ died, ...endpoint }) => (died === null ? [endpoint] : []))
})

const patience = Duration.toSeconds(webhookGivesUpAfter)

export const settlingSql = (sql: SqlClient.SqlClient): Settling => ({
  finish: (results) =>
    sql`with held as (
        -- Each by its own key, in one order for everyone. Here and below, a plain join would read whole tables for a
        -- few of their rows, because the planner cannot tell how few there are.
        select r.*, q.org_id, q.webhook_id, q.attempt, q.delivery_at
        from (
          select * from jsonb_to_recordset(${JSON.stringify(results)}::jsonb) as r (delivery_id uuid, lease_token uuid,
            verdict text, delay_ms float8, status_code int, error text, answer text, latency_ms int,
            signed_at timestamptz, signatures text, traceparent text)
          order by delivery_id
        ) r cross join lateral (
          select org_id, webhook_id, attempt, delivery_at from webhook_queue q
          where q.delivery_id = r.delivery_id and q.lease_token = r.lease_token for update
        ) q
      ), state as (
        select w.webhook_id, w.org_id, f.received,
          not f.received and w.failing_since <= now() - ${patience}::float8 * interval '1 s' and w.status = 'active'
            as given_up
        from webhooks w
        join (select webhook_id, bool_or(verdict = 'delivered') as received from held group by webhook_id) f
          on f.webhook_id = w.webhook_id
        where w.webhook_id = any (array(select webhook_id from held)) and (f.received = (w.failing_since is not null)
          or w.failing_since <= now() - ${patience}::float8 * interval '1 s')
        order by w.webhook_id for update of w
      ), settled as (
        select h.*, case when h.verdict = 'retry' and s.given_up then 'dead' else h.verdict end as outcome
        from held h left join state s on s.webhook_id = h.webhook_id
      ), endpoints as (
        update webhooks w set
          failing_since = case when s.received then null else coalesce(w.failing_since, now()) end,
          status = case when s.given_up then 'disabled' else w.status end,
          disabled_reason = case when s.given_up then ${givenUpReason} else w.disabled_reason end,
          updated_at = case when s.given_up then now() else w.updated_at end
        from state s where w.webhook_id = s.webhook_id
      ), gone as (
        delete from webhook_queue where delivery_id = any (array(select delivery_id from settled where outcome <> 'retry'))
      ), again as (
        update webhook_queue q set next_at = now() + s.delay_ms * interval '1 ms', lease_token = null
        from settled s where q.delivery_id = s.delivery_id
          and q.delivery_id = any (array(select delivery_id from settled where outcome = 'retry'))
      ), buried as (
        delete from webhook_queue q using state s
        where s.given_up and q.org_id = s.org_id and q.webhook_id = s.webhook_id
          and q.delivery_id not in (select delivery_id from held)
        returning q.delivery_id, q.webhook_id, q.delivery_at
      ), logged as (
        insert into webhook_attempts
          (delivery_id, attempt, at, status_code, error, latency_ms, answer, signed_at, signatures, trace)
        select delivery_id, attempt, now() - latency_ms * interval '1 ms', status_code, error, latency_ms, answer,
          signed_at, decode(signatures, 'hex'), decode(replace(traceparent, '-', ''), 'hex')
        from settled
      ), tried as (
        update webhook_deliveries d set attempts = d.attempts + 1, last_status_code = s.status_code,
          last_error = s.error, updated_at = now(),
          status = case s.outcome when 'retry' then 'pending' else s.outcome end
        from settled s where d.delivery_id = s.delivery_id and d.created_at = s.delivery_at
          and d.delivery_id = any (array(select delivery_id from settled))
          and d.created_at = any (array(select delivery_at from settled))
      ), untried as (
        update webhook_deliveries d set status = 'dead', last_error = coalesce(d.last_error, ${buriedError}),
          updated_at = now()
        from buried b where d.delivery_id = b.delivery_id and d.created_at = b.delivery_at
      )
      select null as died, s.webhook_id, s.org_id, (
        (select count(*) from buried b where b.webhook_id = s.webhook_id)
        + (select count(*) from settled t where t.webhook_id = s.webhook_id and t.outcome = 'dead'))::int as waiting
      from state s where s.given_up
      union all
      select delivery_id, webhook_id, org_id, 0 from settled where verdict = 'dead'`.pipe(
      Effect.flatMap(settledRows),
      Effect.map(settledOf),
      orDatabaseFailure
    ),

  release: (held) =>
    held.length === 0
      ? Effect.void
      : sql`update webhook_queue q set next_at = now(), lease_token = null, attempt = q.attempt - 1
          from ${batchOf(
            sql,
            held.map(({ delivery_id, lease_token }) => ({ delivery_id, lease_token })),
            "delivery_id uuid, lease_token uuid"
          )} r
          where q.delivery_id = r.delivery_id and q.lease_token = r.lease_token`.pipe(orDatabaseFailure, Effect.asVoid)
})
