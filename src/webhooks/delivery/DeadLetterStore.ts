/** Stores dead letters (deliveries with status `dead`), and the log of attempts of every delivery. */
import { Context, Option, Schema, Effect, Layer } from "effect"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"
import { type Scope, ownedIn, queryCount, query } from "../../platform/database/Query.ts"
import { StoredAttempt, StoredDelivery } from "../Webhook.ts"
import { type WebhookId, PaymentId } from "../../domain/Ids.ts"
import { SqlClient } from "@effect/sql"
import { PayloadColumns, payloadColumns, payloadOf } from "../EventPayloadStorage.ts"

export const DeadLetter = Schema.Struct({ ...StoredDelivery.fields, endpoint_url: Schema.String })
export type DeadLetter = typeof DeadLetter.Type

export const DeadLetterEvent = Schema.Struct({
  /** The exact body that is sent. */
  payload: Schema.String,
  test: Schema.Boolean
})
export type DeadLetterEvent = typeof DeadLetterEvent.Type

/** Selects dead letters of an endpoint. */
export interface DeadLetterFilter {
  readonly webhook_id: WebhookId
  /** Created at this time or later. */
  readonly since?: Date | undefined
}

interface Store {
  /** Finds a delivery of any status. */
  readonly find: (scope: Scope, deliveryId: string) => Stored<Option.Option<DeadLetter & DeadLetterEvent>>
  /** Oldest first. */
  readonly attempts: (scope: Scope, deliveryId: string) => Stored<ReadonlyArray<StoredAttempt>>
  readonly now: Stored<Date>
  /** Counts dead letters up to a time that are not replayed, because their endpoint is disabled. */
  readonly countDisabled: (scope: Scope, selection: DeadLetterFilter, diedBefore: Date) => Stored<number>
  /** Queues dead letters again, oldest first, with all attempts of the schedule; returns how many. */
  readonly replay: (scope: Scope, selection: DeadLetterFilter, diedBefore: Date, limit: number) => Stored<number>
  /**
   * Makes deliveries of an endpoint due that wait for another attempt, with all attempts of the schedule; returns how
   * many. Leaves out those that were attempted after `triedBefore`.
   */
  readonly retryNow: (scope: Scope, selection: DeadLetterFilter, triedBefore: Date, limit: number) => Stored<number>
}

export class DeadLetterStore extends Context.Tag("corridor/DeadLetterStore")<DeadLetterStore, Store>() {}

const LetterRow = Schema.Struct({
  ...DeadLetter.fields,
  ...DeadLetterEvent.fields,
  ...PayloadColumns,
  payment_id: Schema.NullOr(PaymentId),
  event_at: Schema.DateFromSelf
})
const letterRow = query(LetterRow)

const withPayload = ({ event_at, payment_id, event_data, ...row }: typeof LetterRow.Type) => ({
  ...row,
  payload: payloadOf({ ...row, payment_id, event_data }, event_at)
})
const attempts = query(StoredAttempt)
const time = query(Schema.Struct({ now: Schema.DateFromSelf }))

export const deadLetterStoreSql = Layer.effect(
  DeadLetterStore,
  Effect.map(SqlClient.SqlClient, (sql): DeadLetterStore["Type"] => {
    const columns = sql.literal(Object.keys(StoredDelivery.fields).join(", "))
    const endpoint = sql.literal(
      "(select endpoint_url from webhooks w where w.webhook_id = webhook_deliveries.webhook_id) as endpoint_url"
    )
    const isActive = sql.literal("webhook_id in (select webhook_id from webhooks where status = 'active')")

    const dead = (scope: Scope, { since, webhook_id }: DeadLetterFilter) =>
      sql.and([
        sql`status = 'dead' and webhook_id = ${webhook_id}`,
        ownedIn(sql, scope),
        ...(since === undefined ? [] : [sql`created_at >= ${since}`])
      ])

    return {
      find: (scope, id) =>
        sql`select ${columns}, ${endpoint}, e.* from webhook_deliveries cross join lateral (
          select ${sql.literal(payloadColumns("e"))}, e.payment_id, e.created_at as event_at, e.test
          from events e where e.event_id = webhook_deliveries.event_id
        ) e where delivery_id = ${id} and ${ownedIn(sql, scope)}`.pipe(
          letterRow.first,
          Effect.map(Option.map(withPayload))
        ),
      attempts: (scope, id) =>
        attempts.all(sql`select delivery_id, attempt, at, status_code, error, answer, latency_ms, signed_at,
          encode(signatures, 'hex') as signatures,
          regexp_replace(encode(trace, 'hex'), '^(..)(.{32})(.{16})', '\\1-\\2-\\3-') as traceparent
        from webhook_attempts
        where delivery_id in (
          select delivery_id from webhook_deliveries where delivery_id = ${id} and ${ownedIn(sql, scope)}
        ) order by at, attempt`),
      now: sql`select now() + interval '1 ms' as now`.pipe(
        time.one,
        Effect.map(({ now }) => now)
      ),
      countDisabled: (scope, selection, before) =>
        queryCount(sql`select count(*)::int from webhook_deliveries
          where ${dead(scope, selection)} and updated_at <= ${before} and not ${isActive}`),
      replay: (scope, selection, before, limit) =>
        queryCount(sql`with picked as (
          select delivery_id, org_id, webhook_id, event_id, created_at from webhook_deliveries
          where ${dead(scope, selection)} and updated_at <= ${before} and ${isActive}
          order by created_at, delivery_id limit ${limit} for update skip locked
        ), revived as (
          update webhook_deliveries d set status = 'pending', updated_at = now()
          from picked p where d.delivery_id = p.delivery_id and d.created_at = p.created_at
        ), queued as (
          insert into webhook_queue (delivery_id, org_id, webhook_id, delivery_at, event_id, event_at)
          select p.delivery_id, p.org_id, p.webhook_id, p.created_at, p.event_id, e.created_at
          from picked p join events e on e.event_id = p.event_id
        )
        select count(*)::int from picked`),
      // By the index of an endpoint's turns, which begins with the organisation.
      retryNow: (scope, { since, webhook_id }, before, limit) =>
        queryCount(sql`with picked as materialized (
          select delivery_id from webhook_queue q
          where (q.org_id, q.webhook_id) = (
            select org_id, webhook_id from webhooks
            where webhook_id = ${webhook_id} and status = 'active' and ${ownedIn(sql, scope)}
          ) and q.next_at > now() and q.lease_token is null
            and ${since === undefined ? sql.literal("true") : sql`q.delivery_at >= ${since}`}
            and exists (
              select from webhook_deliveries d
              where d.delivery_id = q.delivery_id and d.created_at = q.delivery_at and d.updated_at <= ${before}
            )
          order by q.next_at, q.delivery_id limit ${limit} for update skip locked
        ), due as (
          update webhook_queue set attempt = 0, next_at = now()
          where delivery_id = any (array(select delivery_id from picked))
        )
        select count(*)::int from picked`)
    }
  })
)
