/** The delivery queue in PostgreSQL. All times are the database's. */
import { SqlClient } from "@effect/sql"
import { Effect, Layer, Schema, Duration } from "effect"
import {
  DeliveryQueueStore,
  ClaimedDelivery,
  type Claiming,
  neverSentError,
  DisabledEndpoint,
  disabledReason,
  type FinishedBatch,
  type Finishing
} from "./DeliveryQueueStore.ts"
import { OrgId, PaymentId, WebhookId } from "../../domain/Ids.ts"
import {
  webhookEndpointConcurrency,
  webhookEndpointWalk,
  webhookWalk,
  webhookGivesUpAfter
} from "../../domain/policies/WebhookPolicies.ts"
import { batchOf, execute, query } from "../../platform/database/Query.ts"
import { PayloadColumns, payloadColumns, payloadOf } from "../EventPayloadStorage.ts"

const dueRows = query(Schema.Struct({ org_id: OrgId, is_due: Schema.Boolean }))

const scanned = { org_id: OrgId, next: Schema.NullOr(WebhookId) }

/** An organisation without deliveries has one row, with the position of its scan. */
const ClaimRow = Schema.Union(
  Schema.Struct({
    ...scanned,
    ...ClaimedDelivery.fields,
    ...PayloadColumns,
    payment_id: Schema.NullOr(PaymentId),
    event_at: Schema.DateFromSelf
  }),
  Schema.Struct({ ...scanned, delivery_id: Schema.Null })
)
type ClaimRow = typeof ClaimRow.Type

const claimRows = query(ClaimRow)

const deliveriesOf = (rows: ReadonlyArray<ClaimRow>): ReadonlyArray<ClaimedDelivery> =>
  rows.flatMap(({ next: _next, ...row }) => {
    if (row.delivery_id === null) return []
    const { event_at, payment_id, event_data, ...claimed } = row
    return [{ ...claimed, payload: payloadOf({ ...claimed, payment_id, event_data }, event_at) }]
  })

const nextOf = (rows: ReadonlyArray<ClaimRow>): ReadonlyMap<OrgId, WebhookId> =>
  new Map(rows.flatMap(({ next, org_id }) => (next === null ? [] : [[org_id, next] as const])))

const claimingSql = (sql: SqlClient.SqlClient): Claiming => ({
  // Loose index scan: one index lookup for each organisation, whatever its backlog.
  due: (after) =>
    sql`with recursive walk as (
        (select org_id, next_at, 1 as nth from webhook_queue
          where org_id > ${after}::uuid order by org_id, next_at limit 1)
        union all
        select n.org_id, n.next_at, w.nth + 1 from walk w cross join lateral (
          select q.org_id, q.next_at from webhook_queue q
          where q.org_id > w.org_id order by q.org_id, q.next_at limit 1
        ) n where w.nth < ${webhookWalk}::int
      )
      select org_id, next_at <= now() as is_due from walk order by nth`.pipe(
      dueRows.all,
      Effect.map((rows) => ({
        organizations: rows.flatMap(({ is_due, org_id }) => (is_due ? [org_id] : [])),
        next: rows.length === webhookWalk ? (rows.at(-1)?.org_id ?? null) : null
      }))
    ),

  claim: ({ inFlight, leaseMillis, quotas }) => {
    const asked = JSON.stringify(
      quotas.map(({ after, failingRoom, org_id, room }) => ({ org_id, after, room, failing_room: failingRoom }))
    )
    const most = sql.literal(`${webhookEndpointConcurrency}`)
    const busy = JSON.stringify(Array.from(inFlight, ([webhook_id, sending]) => ({ webhook_id, sending })))
    return sql`with recursive asked as materialized (
        select * from jsonb_to_recordset(${asked}::jsonb) as a (org_id uuid, after uuid, room int, failing_room int)
      ), walk as (
        select a.org_id, n.webhook_id, n.next_at, 1 as nth from asked a cross join lateral (
          select q.webhook_id, q.next_at from webhook_queue q
          where q.org_id = a.org_id and q.webhook_id > a.after order by q.webhook_id, q.next_at limit 1
        ) n
        union all
        select w.org_id, n.webhook_id, n.next_at, w.nth + 1 from walk w cross join lateral (
          select q.webhook_id, q.next_at from webhook_queue q
          where q.org_id = w.org_id and q.webhook_id > w.webhook_id order by q.webhook_id, q.next_at limit 1
        ) n where w.nth < ${webhookEndpointWalk}::int
      ), open as materialized (
        select a.*, w.webhook_id, h.failing_since is not null as failing, random() as lot,
          ${webhookEndpointConcurrency}::int - coalesce(b.sending, 0) as own
        from walk w
        join asked a on a.org_id = w.org_id
        join webhooks h on h.webhook_id = w.webhook_id
        left join jsonb_to_recordset(${busy}::jsonb) as b (webhook_id uuid, sending int) on b.webhook_id = w.webhook_id
        where w.next_at <= now() and h.status = 'active' and coalesce(b.sending, 0) < ${webhookEndpointConcurrency}::int
      ), drawn as (
        select *, row_number() over (partition by org_id, failing order by lot) as failing_place from open
      ), placed as (
        select *, row_number() over (partition by org_id order by lot) as place,
          greatest(1, room / count(*) over (partition by org_id)) as part
        from drawn where not failing or failing_place <= failing_room
      ), shares as materialized (
        select org_id, webhook_id, failing,
          least(own, part, case when failing then failing_room - (failing_place - 1) * part else part end) as share
        from placed where place <= room
      ), picked as materialized (
        select q.delivery_id, s.failing
        from (select * from shares where share > 0) s cross join lateral (
          select delivery_id from (
            select delivery_id from webhook_queue
            where org_id = s.org_id and webhook_id = s.webhook_id and next_at <= now()
            -- In the order of the endpoint's index: by time alone, the scan would pass deliveries of other endpoints.
            order by next_at, delivery_id limit ${most} for update skip locked
          ) first limit s.share
        ) q
      ), claimed as (
        -- By key: the planner estimates an unknown share as a tenth of the table, and would read all of it.
        update webhook_queue q set attempt = q.attempt + 1, lease_token = gen_random_uuid(),
          next_at = now() + ${leaseMillis}::float8 * interval '1 ms'
        where q.delivery_id = any (array(select delivery_id from picked))
        returning q.delivery_id, q.org_id, q.webhook_id, q.attempt, q.lease_token, q.event_id, q.event_at
      )
      select walked.org_id, walked.next, c.delivery_id, c.webhook_id, c.attempt, c.lease_token, p.failing,
        e.event_id, e.event_type, e.test, ${sql.literal(payloadColumns("e"))}, e.payment_id, c.event_at, e.traceparent, h.endpoint_url, h.secret_sealed,
        case when h.previous_secret_until > now() then h.previous_secret_sealed end as previous_secret_sealed
      from (
        select a.org_id, (
          select w.webhook_id from walk w where w.org_id = a.org_id and w.nth = ${webhookEndpointWalk}::int
        ) as next from asked a
      ) walked
      left join (claimed c
        join picked p on p.delivery_id = c.delivery_id
        join webhooks h on h.webhook_id = c.webhook_id
        join events e on e.event_id = c.event_id and e.created_at = c.event_at) on c.org_id = walked.org_id`.pipe(
      claimRows.all,
      Effect.map((rows) => ({ deliveries: deliveriesOf(rows), next: nextOf(rows) }))
    )
  }
})

/** A disabled endpoint, or a dead delivery. */
const FinishRow = Schema.Struct({ ...DisabledEndpoint.fields, died: Schema.NullOr(Schema.String) })
const finishRows = query(FinishRow)

const finishedBatchOf = (rows: ReadonlyArray<typeof FinishRow.Type>): FinishedBatch => ({
  dead: rows.flatMap(({ died }) => died ?? []),
  disabled: rows.flatMap(({ died, ...endpoint }) => (died === null ? [endpoint] : []))
})

const failureLimit = Duration.toSeconds(webhookGivesUpAfter)

const finishingSql = (sql: SqlClient.SqlClient): Finishing => ({
  finish: (results) =>
    sql`with held as (
        -- By key, in a fixed order to avoid deadlocks. Here and below, a plain join would read whole tables, because
        -- the planner cannot tell how few rows there are.
        select r.*, q.org_id, q.webhook_id, q.attempt, q.delivery_at
        from (
          select * from jsonb_to_recordset(${JSON.stringify(results)}::jsonb) as r (delivery_id uuid, lease_token uuid,
            outcome text, delay_ms float8, status_code int, error text, answer text, latency_ms int,
            signed_at timestamptz, signatures text, traceparent text)
          order by delivery_id
        ) r cross join lateral (
          select org_id, webhook_id, attempt, delivery_at from webhook_queue q
          where q.delivery_id = r.delivery_id and q.lease_token = r.lease_token for update
        ) q
      ), state as (
        select w.webhook_id, w.org_id, f.received,
          not f.received and w.failing_since <= now() - ${failureLimit}::float8 * interval '1 s' and w.status = 'active'
            as given_up
        from webhooks w
        join (select webhook_id, bool_or(outcome = 'delivered') as received from held group by webhook_id) f
          on f.webhook_id = w.webhook_id
        where w.webhook_id = any (array(select webhook_id from held)) and (f.received = (w.failing_since is not null)
          or w.failing_since <= now() - ${failureLimit}::float8 * interval '1 s')
        order by w.webhook_id for update of w
      ), settled as (
        select h.*, case when h.outcome = 'retry' and s.given_up then 'dead' else h.outcome end as final_outcome
        from held h left join state s on s.webhook_id = h.webhook_id
      ), endpoints as (
        update webhooks w set
          failing_since = case when s.received then null else coalesce(w.failing_since, now()) end,
          status = case when s.given_up then 'disabled' else w.status end,
          disabled_reason = case when s.given_up then ${disabledReason} else w.disabled_reason end,
          updated_at = case when s.given_up then now() else w.updated_at end
        from state s where w.webhook_id = s.webhook_id
      ), dequeued as (
        delete from webhook_queue where delivery_id = any (array(select delivery_id from settled where final_outcome <> 'retry'))
      ), again as (
        update webhook_queue q set next_at = now() + s.delay_ms * interval '1 ms', lease_token = null
        from settled s where q.delivery_id = s.delivery_id
          and q.delivery_id = any (array(select delivery_id from settled where final_outcome = 'retry'))
      ), dead_with_endpoint as (
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
          status = case s.final_outcome when 'retry' then 'pending' else s.final_outcome end
        from settled s where d.delivery_id = s.delivery_id and d.created_at = s.delivery_at
          and d.delivery_id = any (array(select delivery_id from settled))
          and d.created_at = any (array(select delivery_at from settled))
      ), untried as (
        update webhook_deliveries d set status = 'dead', last_error = coalesce(d.last_error, ${neverSentError}),
          updated_at = now()
        from dead_with_endpoint b where d.delivery_id = b.delivery_id and d.created_at = b.delivery_at
      )
      select null as died, s.webhook_id, s.org_id, (
        (select count(*) from dead_with_endpoint b where b.webhook_id = s.webhook_id)
        + (select count(*) from settled t where t.webhook_id = s.webhook_id and t.final_outcome = 'dead'))::int as waiting
      from state s where s.given_up
      union all
      select delivery_id, webhook_id, org_id, 0 from settled where outcome = 'dead'`.pipe(
      finishRows.all,
      Effect.map(finishedBatchOf)
    ),

  release: (held) =>
    held.length === 0
      ? Effect.void
      : execute(sql`update webhook_queue q set next_at = now(), lease_token = null, attempt = q.attempt - 1
          from ${batchOf(
            sql,
            held.map(({ delivery_id, lease_token }) => ({ delivery_id, lease_token })),
            "delivery_id uuid, lease_token uuid"
          )} r
          where q.delivery_id = r.delivery_id and q.lease_token = r.lease_token`)
})

export const deliveryQueueSql = Layer.effect(
  DeliveryQueueStore,
  Effect.map(SqlClient.SqlClient, (sql) => ({ ...claimingSql(sql), ...finishingSql(sql) }))
)
