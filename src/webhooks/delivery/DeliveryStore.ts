/** Stores deliveries for the delivery log: list, replay, retention, and issues for the operations queue. */
import { Context, Option, Schema, Effect, Layer } from "effect"
import { OrgId, type PaymentId, WebhookId } from "../../domain/Ids.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"
import {
  type Scope,
  type Window,
  ownedIn,
  newestAmong,
  inScope,
  newest,
  anyRow,
  query
} from "../../platform/database/Query.ts"
import { type DeliveryStatus, StoredDelivery, deliveryStatuses } from "../Webhook.ts"
import { type DeliveryCount, type Period, lengthOf, startOf } from "./DeliveryTrends.ts"
import { SqlClient, type Statement } from "@effect/sql"
import { Settings } from "../../platform/config/Settings.ts"
import { deleteExpiredDeliveries } from "../RetentionSql.ts"
import { deadLettersCounted } from "../../domain/policies/WebhookPolicies.ts"

export interface DeliveryFilter {
  readonly status?: DeliveryStatus | undefined
  readonly webhook_id?: WebhookId | undefined
}

export const Delivery = Schema.Struct({
  ...StoredDelivery.omit("updated_at").fields,
  next_attempt_at: Schema.NullOr(Schema.DateFromSelf)
})
export type Delivery = typeof Delivery.Type

/** A delivery of a payment's event. */
export const PaymentDelivery = Schema.Struct({ ...Delivery.fields, event_at: Schema.DateFromSelf })
export type PaymentDelivery = typeof PaymentDelivery.Type

const endpoint = {
  item_id: Schema.String,
  org_id: OrgId,
  webhook_id: WebhookId,
  endpoint_url: Schema.String,
  /** Number of dead deliveries of the endpoint. */
  dead_letters: Schema.Number,
  reason: Schema.NullOr(Schema.String),
  created_at: Schema.DateFromSelf
}

/** Issue for all dead letters of an endpoint, at the time of the oldest. */
const DeadLetterIssue = Schema.Struct({ ...endpoint, kind: Schema.Literal("dead_letter"), delivery_id: Schema.String })

/** Since the last change of the endpoint. Without a reason, its owner disabled it. */
const DisabledEndpointIssue = Schema.Struct({
  ...endpoint,
  kind: Schema.Literal("disabled_endpoint"),
  delivery_id: Schema.Null
})

/** Disabled endpoints and endpoints with dead letters, for the operations queue. */
export const WebhookIssue = Schema.Union(DeadLetterIssue, DisabledEndpointIssue)
export type WebhookIssue = typeof WebhookIssue.Type

interface Store {
  readonly list: (scope: Scope, filter: DeliveryFilter, window: Window) => Stored<ReadonlyArray<Delivery>>
  readonly find: (scope: Scope, id: string) => Stored<Option.Option<Delivery>>
  /** Oldest first. Takes the times of the events, because `events` has no index by payment. */
  readonly ofPayment: (
    orgId: OrgId,
    paymentId: PaymentId,
    eventTimes: ReadonlyArray<Date>
  ) => Stored<ReadonlyArray<PaymentDelivery>>
  /** Queues it again, from the first attempt on. False if it is pending already, or not in scope. */
  readonly requeue: (scope: Scope, id: string) => Stored<boolean>
  /** Deletes a batch of deliveries past their retention, with their attempts; returns how many. */
  readonly forgetOld: Stored<number>
  /** By hour or day of creation and by status, since a time. Periods without deliveries are left out. */
  readonly counts: (
    scope: Scope,
    webhookId: WebhookId,
    per: Period,
    since: Date
  ) => Stored<ReadonlyArray<DeliveryCount>>
  /** Milliseconds of the attempts of the newest deliveries. */
  readonly latencies: (scope: Scope, webhookId: WebhookId, deliveries: number) => Stored<ReadonlyArray<number>>
  /** Endpoints that need attention, newest issue first. */
  readonly issues: (scope: Scope, window: Window) => Stored<ReadonlyArray<WebhookIssue>>
}

export class DeliveryStore extends Context.Tag("corridor/DeliveryStore")<DeliveryStore, Store>() {}

/** Lists of deliveries in PostgreSQL, however they are filtered: none takes longer because there are more deliveries. */
export const newestDeliveries = (
  sql: SqlClient.SqlClient,
  scope: Scope,
  { status, webhook_id }: DeliveryFilter,
  window: Window
): Statement.Fragment => {
  const statuses = sql`unnest(${status === undefined ? [...deliveryStatuses] : [status]}::text[]) as a_status`
  const [parts, theirs] =
    webhook_id === undefined
      ? [
          statuses,
          Option.match(scope, {
            onNone: () => sql`lower(status) = lower(a_status)`,
            onSome: (orgId) => sql`org_id = ${orgId} and status = a_status`
          })
        ]
      : [
          sql`(select webhook_id as an_endpoint from webhooks where webhook_id = ${webhook_id} and ${ownedIn(sql, scope)}) w
            cross join ${statuses}`,
          sql`webhook_id = an_endpoint and status = a_status`
        ]
  const ids = newestAmong(sql, "delivery_id", window, {
    parts,
    table: "webhook_deliveries",
    within: theirs
  })
  return sql`delivery_id = any (array(${ids})) order by created_at desc, delivery_id desc`
}

const deliveries = query(Delivery)
const paymentDeliveries = query(PaymentDelivery)
const issueRows = query(WebhookIssue)
const latencyRows = query(Schema.Struct({ latency_ms: Schema.Number }))
const deliveryCounts = query(
  Schema.Struct({ at: Schema.DateFromSelf, status: Delivery.fields.status, count: Schema.Number })
)

export const deliveryStoreSql = Layer.effect(
  DeliveryStore,
  Effect.map(Effect.all([SqlClient.SqlClient, Settings]), ([sql, settings]): DeliveryStore["Type"] => {
    const columns = sql.literal(`d.delivery_id, d.org_id, d.webhook_id, d.event_id, d.event_type, d.status, d.attempts,
      d.last_status_code, d.last_error, d.created_at,
      (select next_at from webhook_queue q where q.delivery_id = d.delivery_id) as next_attempt_at`)
    return {
      list: (scope, filter, window) =>
        deliveries.all(
          sql`select ${columns} from webhook_deliveries d where ${newestDeliveries(sql, scope, filter, window)}`
        ),
      find: (scope, id) =>
        deliveries.first(sql`select ${columns} from webhook_deliveries d
          where delivery_id = ${id} and ${ownedIn(sql, scope)}`),
      // Looks up each time, and then each event's deliveries by id. A plain join may read all events of the
      // organisation, or all deliveries of an endpoint, for the few of a payment.
      ofPayment: (orgId, paymentId, eventTimes) =>
        paymentDeliveries.all(sql`select ${columns}, e.created_at as event_at
          from (select distinct value::timestamptz as at
            from jsonb_array_elements_text(${JSON.stringify(eventTimes)}::jsonb)) t
          cross join lateral (select * from events e
            where e.org_id = ${orgId} and e.created_at = t.at and e.payment_id = ${paymentId} offset 0) e
          cross join lateral (select * from webhook_deliveries d where d.event_id = e.event_id offset 0) d
          order by e.created_at, e.event_id, d.delivery_id`),
      requeue: (scope, id) =>
        anyRow(sql`with again as (
            update webhook_deliveries set status = 'pending', updated_at = now()
            where delivery_id = ${id} and status <> 'pending' and ${ownedIn(sql, scope)}
            returning delivery_id, org_id, webhook_id, event_id, created_at
          )
          insert into webhook_queue (delivery_id, org_id, webhook_id, delivery_at, event_id, event_at)
          select a.delivery_id, a.org_id, a.webhook_id, a.created_at, a.event_id, e.created_at
          from again a join events e on e.event_id = a.event_id
          returning delivery_id`),
      // By the endpoint's index alone, one range for each status and period: the organisation is the endpoint's.
      counts: (scope, webhookId, per, since) =>
        deliveryCounts.all(sql`select period.at, status.status, counted.count
          from (select webhook_id from webhooks where webhook_id = ${webhookId} and ${ownedIn(sql, scope)}) w
          cross join unnest(${[...deliveryStatuses]}::text[]) status (status)
          cross join generate_series(${startOf(per, since)}::timestamptz, now(), ${lengthOf(per)}::float8 * interval '1 ms') period (at)
          cross join lateral (
            select count(*)::int as count from webhook_deliveries d
            where d.webhook_id = w.webhook_id and d.status = status.status
              and d.created_at >= greatest(period.at, ${since}::timestamptz)
              and d.created_at < period.at + ${lengthOf(per)}::float8 * interval '1 ms'
          ) counted where counted.count > 0`),
      latencies: (scope, webhookId, take) =>
        Effect.map(
          latencyRows.all(sql`select a.latency_ms from webhook_attempts a where a.delivery_id in (
            select delivery_id from webhook_deliveries
            where ${newestDeliveries(sql, scope, { webhook_id: webhookId }, { after: Option.none(), take })})`),
          (rows) => rows.map(({ latency_ms }) => latency_ms)
        ),
      forgetOld: deleteExpiredDeliveries(sql, settings),
      issues: (scope, window) =>
        issueRows.all(sql`select kind, item_id, org_id, webhook_id, endpoint_url, delivery_id, reason, created_at, (
          select count(*)::int from (
            select from webhook_deliveries d where d.webhook_id = t.webhook_id and d.status = 'dead'
            order by d.created_at, d.delivery_id limit ${deadLettersCounted}
          ) counted
        ) as dead_letters
        from (
          select 'dead_letter' as kind, oldest.delivery_id as item_id, org_id, webhook_id, endpoint_url,
            oldest.delivery_id, oldest.reason, oldest.created_at
          from webhooks w cross join lateral (
            select delivery_id, last_error as reason, d.created_at from webhook_deliveries d
            where d.webhook_id = w.webhook_id and d.status = 'dead' order by d.created_at, delivery_id limit 1
          ) oldest where ${inScope(sql, scope)}
          union all
          select 'disabled_endpoint', webhook_id, org_id, webhook_id, endpoint_url, null, disabled_reason, updated_at
          from webhooks where ${inScope(sql, scope)} and status = 'disabled'
        ) t where true ${newest(sql, "item_id", window)}`)
    }
  })
)
