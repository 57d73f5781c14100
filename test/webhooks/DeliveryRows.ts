/** Ends deliveries without a worker, and reads stored rows. */
import { randomUUID } from "node:crypto"
import { SqlClient } from "@effect/sql"
import { Effect, Option } from "effect"
import { MemoryDatabase, type Opened } from "../../src/platform/database/MemoryDatabase.ts"
import { webhookTables } from "../../src/webhooks/EventMemory.ts"
import type { StoredDelivery, StoredWebhook } from "../../src/webhooks/Webhook.ts"

type Outcome = Pick<StoredDelivery, "status" | "attempts" | "last_status_code" | "last_error">

const onEither = <A>(
  inSql: (sql: SqlClient.SqlClient) => Effect.Effect<A, unknown>,
  inMemory: (tables: Opened<typeof webhookTables>) => A
): Effect.Effect<A> =>
  Effect.gen(function* () {
    const sql = yield* Effect.serviceOption(SqlClient.SqlClient)
    if (Option.isSome(sql)) return yield* inSql(sql.value)
    return inMemory((yield* Effect.serviceOptional(MemoryDatabase)).open(webhookTables))
  }).pipe(Effect.orDie)

/** Ends a delivery like the worker: out of the queue. */
export const settle = (deliveryId: string, outcome: Outcome) =>
  onEither(
    (sql) =>
      Effect.all(
        [
          sql`update webhook_deliveries set ${sql.update({ ...outcome })} where delivery_id = ${deliveryId}`,
          sql`delete from webhook_queue where delivery_id = ${deliveryId}`
        ],
        { discard: true }
      ),
    ({ webhookDeliveries, webhookQueue }) => {
      webhookDeliveries.set(deliveryId, { ...webhookDeliveries.get(deliveryId)!, ...outcome })
      webhookQueue.delete(deliveryId)
    }
  )

/** Fails a delivery like the worker: the next attempt is an hour away. */
export const postpone = (deliveryId: string, attempt: number) =>
  onEither(
    (sql) =>
      Effect.asVoid(sql`update webhook_queue set attempt = ${attempt}, next_at = now() + interval '1 hour'
        where delivery_id = ${deliveryId}`),
    ({ webhookQueue }) => {
      const row = webhookQueue.get(deliveryId)!
      webhookQueue.set(deliveryId, { ...row, attempt, next_at: new Date(row.next_at.getTime() + 3_600_000) })
    }
  )

export const queueRow = (deliveryId: string) =>
  onEither(
    (sql) =>
      Effect.map(
        sql<{ attempt: number; next_at: Date; lease_token: string | null }>`
          select attempt, next_at, lease_token from webhook_queue where delivery_id = ${deliveryId}`,
        (rows) => rows[0]
      ),
    ({ webhookQueue }) => webhookQueue.get(deliveryId)
  )

/** The whole row of an endpoint, its sealed secrets included. */
export const webhookRow = (webhookId: string) =>
  onEither(
    (sql) => Effect.map(sql<StoredWebhook>`select * from webhooks where webhook_id = ${webhookId}`, (rows) => rows[0]!),
    ({ webhooks }) => webhooks.get(webhookId)!
  )

/** Disables an endpoint like the worker after days of failures. */
export const giveUpOn = (webhookId: string, since: Date) => {
  const given = { status: "disabled", disabled_reason: "It failed for too long.", failing_since: since } as const
  return onEither(
    (sql) => Effect.asVoid(sql`update webhooks set ${sql.update({ ...given })} where webhook_id = ${webhookId}`),
    ({ webhooks }) => void webhooks.set(webhookId, { ...webhooks.get(webhookId)!, ...given })
  )
}

/** Lets days pass over everything that was sent so far. */
export const daysPass = (days: number) => {
  const earlier = (at: Date) => new Date(at.getTime() - days * 86_400_000)
  return onEither(
    (sql) =>
      Effect.all(
        [
          sql`update events set created_at = created_at - ${days} * interval '1 day'`,
          sql`update webhook_deliveries set created_at = created_at - ${days} * interval '1 day',
            updated_at = updated_at - ${days} * interval '1 day'`,
          // Where they are is part of their place in the queue.
          sql`update webhook_queue set delivery_at = delivery_at - ${days} * interval '1 day',
            event_at = event_at - ${days} * interval '1 day'`
        ],
        { discard: true }
      ),
    ({ events, webhookDeliveries }) => {
      for (const [id, row] of events) events.set(id, { ...row, created_at: earlier(row.created_at) })
      for (const [id, row] of webhookDeliveries) {
        webhookDeliveries.set(id, {
          ...row,
          created_at: earlier(row.created_at),
          updated_at: earlier(row.updated_at)
        })
      }
    }
  )
}

/** Number of attempts that are saved in all. */
export const attemptsKept = onEither(
  (sql) => Effect.map(sql<{ count: number }>`select count(*)::int from webhook_attempts`, (rows) => rows[0]!.count),
  ({ webhookAttempts }) => webhookAttempts.size
)

/** Copies a delivery so many times, each of another event. */
export const copied = (deliveryId: string, times: number) =>
  onEither(
    (sql) =>
      sql`insert into webhook_deliveries select (jsonb_populate_record(d, jsonb_build_object(
          'delivery_id', gen_random_uuid(), 'event_id', gen_random_uuid()))).*
        from webhook_deliveries d cross join generate_series(1, ${times}) where delivery_id = ${deliveryId}`.pipe(
        Effect.asVoid
      ),
    ({ webhookDeliveries }) => {
      const one = webhookDeliveries.get(deliveryId)!
      for (let nth = 0; nth < times; nth += 1) {
        const delivery_id = randomUUID()
        webhookDeliveries.set(delivery_id, { ...one, delivery_id, event_id: randomUUID() })
      }
    }
  )
