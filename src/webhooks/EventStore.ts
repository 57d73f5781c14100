/** Events at rest, each with the exact bytes that its deliveries repeat. Writing one finds its receivers. */
import { webhookTables } from "./MemoryTables.ts"
import { SqlClient } from "@effect/sql"
import { Clock, Context, Duration, Effect, Layer, Option } from "effect"
import { newestFirst, openTables } from "../platform/database/MemoryDatabase.ts"
import { inScope, newest, type Scope } from "../platform/database/Query.ts"
import { webhookForgetBatch, webhookRetention } from "../domain/Policies.ts"
import type { Window } from "../platform/database/Window.ts"
import { forgetEventsSql } from "./ForgetSql.ts"
import { writeEvents } from "./Receivers.ts"
import type { WebhookEvent } from "./Webhook.ts"

/** The table refuses more, and so do some receivers. */
export const MAX_PAYLOAD_BYTES = 64 * 1024

export interface EventFilter {
  readonly event_type?: string | undefined
  /** Included. */
  readonly from?: Date | undefined
}

interface Store {
  /** Answers with the number of endpoints that it goes to. */
  readonly insert: (event: WebhookEvent) => Effect.Effect<number>
  readonly list: (scope: Scope, filter: EventFilter, window: Window) => Effect.Effect<ReadonlyArray<WebhookEvent>>
  /** A batch of old ones of which no delivery is left, if they ever had one; answers with how many. */
  readonly forgetOld: Effect.Effect<number>
}

export class EventStore extends Context.Tag("corridor/EventStore")<EventStore, Store>() {
  static readonly layer = Layer.effect(
    EventStore,
    Effect.map(SqlClient.SqlClient, (sql): Store => ({
      insert: (event) =>
        sql`insert into events ${sql.insert({ ...event })}`.pipe(
          Effect.zipRight(
            sql<{ count: string }>`select count(*) from webhooks w
              join webhook_deliveries d on d.webhook_id = w.webhook_id and d.event_id = ${event.event_id}
              where w.org_id = ${event.org_id}`
          ),
          Effect.map((rows) => Number(rows[0]!.count)),
          Effect.orDie
        ),
      list: (scope, { event_type, from }, window) => {
        const type = event_type === undefined ? sql.literal("true") : sql`event_type = ${event_type}`
        const since = from === undefined ? sql.literal("true") : sql`created_at >= ${from}`
        return sql<WebhookEvent>`select event_id, org_id, event_type, payment_id, payload, test, created_at from events
          where ${inScope(sql, scope)} and ${type} and ${since} ${newest(sql, "event_id", window)}`.pipe(Effect.orDie)
      },
      forgetOld: forgetEventsSql(sql)
    }))
  )

  static readonly layerMemory = Layer.effect(
    EventStore,
    Effect.map(openTables(webhookTables), (tables): Store => ({
      insert: (event) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          if (Buffer.byteLength(event.payload) > MAX_PAYLOAD_BYTES) throw new Error("events_payload_size")
          writeEvents(tables, [event], now)
          const deliveries = Array.from(tables.webhookDeliveries.values())
          return deliveries.filter(({ event_id }) => event_id === event.event_id).length
        }),
      list: (scope, { event_type, from }, window) =>
        Effect.sync(() => {
          const rows = Array.from(tables.events.values()).filter(
            (row) =>
              (Option.isNone(scope) || row.org_id === scope.value) &&
              (event_type === undefined || row.event_type === event_type) &&
              (from === undefined || row.created_at >= from)
          )
          return newestFirst(rows, (row) => row.event_id, window)
        }),
      forgetOld: Effect.map(Clock.currentTimeMillis, (now) => {
        const told = new Set(Array.from(tables.webhookDeliveries.values(), ({ event_id }) => event_id))
        const old = Array.from(tables.events.values())
          .filter((row) => row.created_at.getTime() < now - Duration.toMillis(webhookRetention))
          .filter(({ event_id }) => !told.has(event_id))
          .slice(0, webhookForgetBatch)
        for (const { event_id } of old) tables.events.delete(event_id)
        return old.length
      })
    }))
  )
}
