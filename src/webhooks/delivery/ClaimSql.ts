/** Claims on PostgreSQL: each step is one statement, its times are the database's, and no backlog makes it longer. */
import type { SqlClient } from "@effect/sql"
import { Effect, Schema } from "effect"
import { OrgId, PaymentId, WebhookId } from "../../domain/Identifiers.ts"
import { webhookEndpointConcurrency, webhookEndpointWalk, webhookWalk } from "../../domain/policies/Webhooks.ts"
import { orDatabaseFailure } from "../../platform/database/DatabaseFailure.ts"
import { rowsAs } from "../../platform/database/Rows.ts"
import { KeptColumns, keptColumns, textOf } from "../EventText.ts"
import { ClaimedDelivery } from "./Delivery.ts"
import type { Claiming } from "./QueueStore.ts"

const dueRows = rowsAs(Schema.Struct({ org_id: OrgId, is_due: Schema.Boolean }))

const lane = { lane: OrgId, next: Schema.NullOr(WebhookId) }

/** A lane that gives nothing still says where its walk ended: that row has no delivery. */
const ClaimRow = Schema.Union(
  Schema.Struct({
    ...lane,
    ...ClaimedDelivery.fields,
    ...KeptColumns,
    payment_id: Schema.NullOr(PaymentId),
    event_at: Schema.DateFromSelf
  }),
  Schema.Struct({ ...lane, delivery_id: Schema.Null })
)
type ClaimRow = typeof ClaimRow.Type

const claimRows = rowsAs(ClaimRow)

const deliveriesOf = (rows: ReadonlyArray<ClaimRow>): ReadonlyArray<ClaimedDelivery> =>
  rows.flatMap(({ lane: _lane, next: _next, ...row }) => {
    if (row.delivery_id === null) return []
    const { event_at, payment_id, told, ...claimed } = row
    return [{ ...claimed, payload: textOf({ ...claimed, payment_id, told }, event_at) }]
  })

const nextOf = (rows: ReadonlyArray<ClaimRow>): ReadonlyMap<OrgId, WebhookId> =>
  new Map(rows.flatMap(({ lane, next }) => (next === null ? [] : [[lane, next] as const])))

export const claimingSql = (sql: SqlClient.SqlClient): Claiming => ({
  // The index is entered once for each organisation, at its earliest delivery, however many wait behind it.
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
      Effect.flatMap(dueRows),
      Effect.map((rows) => ({
        organizations: rows.flatMap(({ is_due, org_id }) => (is_due ? [org_id] : [])),
        next: rows.length === webhookWalk ? (rows.at(-1)?.org_id ?? null) : null
      })),
      orDatabaseFailure
    ),

  claim: ({ lanes, leaseMillis, underWay }) => {
    const asked = JSON.stringify(
      lanes.map(({ after, failingRoom, org_id, room }) => ({ org_id, after, room, failing_room: failingRoom }))
    )
    const most = sql.literal(`${webhookEndpointConcurrency}`)
    const busy = JSON.stringify(Array.from(underWay, ([webhook_id, sending]) => ({ webhook_id, sending })))
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
            -- In the order of the endpoint's own index: by time alone, those of the organisation's others would be walked past.
            order by next_at, delivery_id limit ${most} for update skip locked
          ) first limit s.share
        ) q
      ), claimed as (
        -- Each by its own key: the planner takes an unknown share for a tenth of what there is, and would read all of it.
        update webhook_queue q set attempt = q.attempt + 1, lease_token = gen_random_uuid(),
          next_at = now() + ${leaseMillis}::float8 * interval '1 ms'
        where q.delivery_id = any (array(select delivery_id from picked))
        returning q.delivery_id, q.org_id, q.webhook_id, q.attempt, q.lease_token, q.event_id, q.event_at
      )
      select walked.lane, walked.next, c.delivery_id, c.org_id, c.webhook_id, c.attempt, c.lease_token, p.failing,
        e.event_id, e.event_type, e.test, ${sql.literal(keptColumns("e"))}, e.payment_id, c.event_at, e.traceparent, h.endpoint_url, h.secret_sealed,
        case when h.previous_secret_until > now() then h.previous_secret_sealed end as previous_secret_sealed
      from (
        select a.org_id as lane, (
          select w.webhook_id from walk w where w.org_id = a.org_id and w.nth = ${webhookEndpointWalk}::int
        ) as next from asked a
      ) walked
      left join (claimed c
        join picked p on p.delivery_id = c.delivery_id
        join webhooks h on h.webhook_id = c.webhook_id
        join events e on e.event_id = c.event_id and e.created_at = c.event_at) on c.org_id = walked.lane`.pipe(
      Effect.flatMap(claimRows),
      Effect.map((rows) => ({ deliveries: deliveriesOf(rows), next: nextOf(rows) })),
      orDatabaseFailure
    )
  }
})
