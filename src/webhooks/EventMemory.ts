/** Events in memory. */
import { Clock, Duration, Effect, Layer } from "effect"
import {
  newestFirst,
  openTables,
  memoryTable,
  type Opened,
  matches,
  seenIn
} from "../platform/database/MemoryDatabase.ts"
import { webhookRetentionBatch } from "../domain/policies/WebhookPolicies.ts"
import { Settings } from "../platform/config/Settings.ts"
import { MAX_PAYLOAD_BYTES, EventStore } from "./EventStore.ts"
import type {
  QueuedDelivery,
  StoredDelivery,
  StoredWebhook,
  WebhookEvent,
  StoredAttempt,
  StoredEvent
} from "./Webhook.ts"
import { type WebhookId, uuidv7 } from "../domain/Ids.ts"
import { createHash } from "node:crypto"
import { wants } from "../domain/EventTypes.ts"

export const webhookTables = {
  events: memoryTable<WebhookEvent>("events"),
  webhooks: memoryTable<StoredWebhook>("webhooks"),
  webhookDeliveries: memoryTable<StoredDelivery>("webhookDeliveries"),
  webhookQueue: memoryTable<QueuedDelivery>("webhookQueue"),
  webhookAttempts: memoryTable<StoredAttempt>("webhookAttempts")
}

type Tables = Opened<typeof webhookTables>

/** Derives the id from event and endpoint: an event has one delivery to each. */
const deliveryId = (now: number, eventId: string, webhookId: WebhookId): string =>
  uuidv7(now, createHash("sha256").update(`${eventId} ${webhookId}`).digest())

/** A delivery that is due, before its first attempt. */
export const queuedAt = (
  next_at: Date,
  { delivery_id, org_id, webhook_id }: Pick<QueuedDelivery, "delivery_id" | "org_id" | "webhook_id">
): QueuedDelivery => ({ delivery_id, org_id, webhook_id, attempt: 0, next_at, lease_token: null })

/** Inserts the deliveries of an event, as the trigger on `events` does in PostgreSQL. */
const addDeliveries = (tables: Tables, event: WebhookEvent, now: number): void => {
  const at = new Date(now)
  const { event_id, event_type, org_id } = event
  for (const { events, status, webhook_id, ...webhook } of tables.webhooks.values()) {
    const receives = webhook.org_id === org_id && status === "active" && (event.test || wants(events, event_type))
    if (!receives) continue
    const delivery_id = deliveryId(now, event_id, webhook_id)
    tables.webhookDeliveries.set(delivery_id, {
      delivery_id,
      org_id,
      webhook_id,
      event_id,
      event_type,
      status: "pending",
      attempts: 0,
      last_status_code: null,
      last_error: null,
      created_at: at,
      updated_at: at
    })
    tables.webhookQueue.set(delivery_id, queuedAt(at, { delivery_id, org_id, webhook_id }))
  }
}

export const writeEvents = (
  tables: Tables,
  events: ReadonlyArray<StoredEvent & { readonly test?: boolean }>,
  now: number
): void => {
  for (const event of events) {
    const written = { ...event, test: event.test ?? false }
    tables.events.set(event.event_id, written)
    addDeliveries(tables, written, now)
  }
}

export const eventStoreMemory = Layer.effect(
  EventStore,
  Effect.map(Effect.all([openTables(webhookTables), Settings]), ([tables, { retention }]): EventStore["Type"] => ({
    insert: (event) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        if (Buffer.byteLength(event.payload) > MAX_PAYLOAD_BYTES) throw new Error("events_payload_size")
        writeEvents(tables, [event], now)
        const deliveries = tables.webhookDeliveries.all()
        return deliveries.filter(({ event_id }) => event_id === event.event_id).length
      }),
    list: (scope, { event_type, from }, window) =>
      Effect.sync(() => {
        const rows = tables.events.all(
          (row) => seenIn(scope)(row) && matches({ event_type })(row) && (from === undefined || row.created_at >= from)
        )
        return newestFirst(rows, (row) => row.event_id, window)
      }),
    forgetOld: Effect.map(Clock.currentTimeMillis, (now) => {
      const delivered = new Set(Array.from(tables.webhookDeliveries.values(), ({ event_id }) => event_id))
      const old = tables.events
        .all(
          (row) => row.created_at.getTime() < now - Duration.toMillis(retention.webhooks),
          ({ event_id }) => !delivered.has(event_id)
        )
        .slice(0, webhookRetentionBatch)
      for (const { event_id } of old) tables.events.delete(event_id)
      return old.length
    })
  }))
)
