/** What the trigger on `events` does in the database, for the memory stores: an event finds its receivers as it is written. */
import type { WebhookId } from "../domain/Identifiers.ts"
import { createHash } from "node:crypto"
import type { Opened } from "../platform/database/MemoryDatabase.ts"
import type { webhookTables } from "./MemoryTables.ts"
import { uuidv7 } from "../domain/Ids.ts"
import type { StoredEvent } from "./Webhook.ts"
import { wants } from "../domain/EventFilter.ts"
import type { WebhookEvent } from "./Webhook.ts"

type Tables = Opened<typeof webhookTables>

/** One event has one delivery to an endpoint, so the two make its id. */
const deliveryId = (now: number, eventId: string, webhookId: WebhookId): string =>
  uuidv7(now, createHash("sha256").update(`${eventId} ${webhookId}`).digest())

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
    tables.webhookQueue.set(delivery_id, {
      delivery_id,
      org_id,
      webhook_id,
      attempt: 0,
      next_at: at,
      lease_token: null
    })
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
