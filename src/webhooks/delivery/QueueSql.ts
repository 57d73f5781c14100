/** The queue on PostgreSQL: every step of a batch is one statement, and its times are the database's. */
import type { SqlClient } from "@effect/sql"
import { Duration, Effect } from "effect"
import { webhookEndpointConcurrency, webhookGivesUpAfter, webhookLanes, webhookWalk } from "../../domain/Policies.ts"
import { buriedError, type ClaimedDelivery, type GivenUp, givenUpReason } from "./Delivery.ts"
import type { QueueStoreService } from "./QueueStore.ts"

/** A claim that finds nothing still says where the walk ended: that row has no delivery. */
type ClaimRow = { readonly next: string | null } & (ClaimedDelivery | { readonly delivery_id: null })

const deliveriesOf = (rows: ReadonlyArray<ClaimRow>): ReadonlyArray<ClaimedDelivery> =>
  rows.flatMap(({ next: _, ...row }) => (row.delivery_id === null ? [] : [row]))

const patience = Duration.toSeconds(webhookGivesUpAfter)

export const makeQueueSql = (sql: SqlClient.SqlClient): QueueStoreService => ({
  // The index is entered once for each endpoint, at its earliest delivery, however many wait behind it.
  claim: ({ after, failingLimit, leaseMillis, limit, underWay }) => {
    const busy = JSON.stringify(Array.from(underWay, ([webhook_id, sending]) => ({ webhook_id, sending })))
    return sql<ClaimRow>`with recursive walk as (
        (select webhook_id, next_at, 1 as nth from webhook_queue
          where webhook_id > ${after}::uuid order by webhook_id, next_at limit 1)
        union all
        select n.webhook_id, n.next_at, w.nth + 1 from walk w cross join lateral (
          select q.webhook_id, q.next_at from webhook_queue q
          where q.webhook_id > w.webhook_id order by q.webhook_id, q.next_at limit 1
        ) n where w.nth < ${webhookWalk}::int
      ), drawn as materialized (
        select w.webhook_id, h.failing_since is not null as failing, random() as lot,
          ${webhookEndpointConcurrency}::int - coalesce(b.sending, 0) as room
        from walk w
        join webhooks h on h.webhook_id = w.webhook_id
        left join jsonb_to_recordset(${busy}::jsonb) as b (webhook_id uuid, sending int) on b.webhook_id = w.webhook_id
        where w.next_at <= now() and h.status = 'active' and coalesce(b.sending, 0) < ${webhookEndpointConcurrency}::int
          and (h.failing_since is null or ${failingLimit}::int > 0)
        order by lot limit ${webhookLanes}::int
      ), lanes as materialized (
        select webhook_id, failing, lot, case when failing then least(room, ${failingLimit}::int - coalesce(
          sum(room) over (partition by failing order by lot rows between unbounded preceding and 1 preceding), 0
        )) else room end as share
        from drawn
      ), picked as materialized (
        -- Row by row until there are enough, so that only those are locked.
        select q.delivery_id, l.failing
        from (select * from lanes where share > 0 order by lot) l cross join lateral (
          select delivery_id from webhook_queue where webhook_id = l.webhook_id and next_at <= now()
          order by next_at limit l.share for update skip locked
        ) q limit ${limit}::int
      ), claimed as (
        update webhook_queue q set attempt = q.attempt + 1, lease_token = gen_random_uuid(),
          next_at = now() + ${leaseMillis}::float8 * interval '1 ms'
        from picked p where q.delivery_id = p.delivery_id
        returning q.delivery_id, q.webhook_id, q.attempt, q.lease_token, p.failing
      )
      select walked.next, c.*, e.event_id, e.event_type, e.test, e.payload, h.endpoint_url, h.secret_sealed,
        case when h.previous_secret_until > now() then h.previous_secret_sealed end as previous_secret_sealed
      from (
        select case when max(nth) = ${webhookWalk}::int then (array_agg(webhook_id order by nth desc))[1] end as next
        from walk
      ) walked
      left join (claimed c
        join webhooks h on h.webhook_id = c.webhook_id
        join webhook_deliveries d on d.delivery_id = c.delivery_id
        join events e on e.event_id = d.event_id) on true`.pipe(
      Effect.map((rows) => ({ deliveries: deliveriesOf(rows), next: rows[0]?.next ?? null })),
      Effect.orDie
    )
  },

  finish: (results) =>
    sql<GivenUp>`with held as (
        -- Each by its own key, in one order for everyone. Here and below, a plain join would read whole tables for a
        -- few of their rows, because the planner cannot tell how few there are.
        select r.*, q.webhook_id, q.attempt
        from (
          select * from jsonb_to_recordset(${JSON.stringify(results)}::jsonb) as r (delivery_id uuid, lease_token uuid,
            verdict text, delay_ms float8, status_code int, error text, answer text, latency_ms int)
          order by delivery_id
        ) r cross join lateral (
          select webhook_id, attempt from webhook_queue q
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
        where s.given_up and q.webhook_id = s.webhook_id and q.delivery_id not in (select delivery_id from held)
        returning q.delivery_id, q.webhook_id
      ), logged as (
        insert into webhook_attempts (delivery_id, attempt, at, status_code, error, latency_ms, answer)
        select delivery_id, attempt, now() - latency_ms * interval '1 ms', status_code, error, latency_ms, answer
        from settled
      ), tried as (
        update webhook_deliveries d set attempts = d.attempts + 1, last_status_code = s.status_code,
          last_error = s.error, updated_at = now(),
          status = case s.outcome when 'retry' then 'pending' else s.outcome end
        from settled s where d.delivery_id = s.delivery_id
          and d.delivery_id = any (array(select delivery_id from settled))
      ), untried as (
        update webhook_deliveries d set status = 'dead', last_error = coalesce(d.last_error, ${buriedError}),
          updated_at = now()
        from buried b where d.delivery_id = b.delivery_id
      )
      select s.webhook_id, s.org_id, (
        (select count(*) from buried b where b.webhook_id = s.webhook_id)
        + (select count(*) from settled t where t.webhook_id = s.webhook_id and t.outcome = 'dead'))::int as waiting
      from state s where s.given_up`.pipe(Effect.orDie),

  release: (held) =>
    held.length === 0
      ? Effect.void
      : sql`update webhook_queue q set next_at = now(), lease_token = null, attempt = q.attempt - 1
          from jsonb_to_recordset(${JSON.stringify(
            held.map(({ delivery_id, lease_token }) => ({ delivery_id, lease_token }))
          )}::jsonb) as r (delivery_id uuid, lease_token uuid)
          where q.delivery_id = r.delivery_id and q.lease_token = r.lease_token`.pipe(Effect.orDie, Effect.asVoid)
})
