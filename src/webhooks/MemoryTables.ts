/** The rows of the memory layers here. */
import { memoryTable } from "../platform/database/MemoryDatabase.ts"
import type { QueuedDelivery, StoredDelivery, StoredWebhook, WebhookEvent } from "./Webhook.ts"
import type { StoredAttempt } from "./Webhook.ts"

export const webhookTables = {
  events: memoryTable<WebhookEvent>("events"),
  webhooks: memoryTable<StoredWebhook>("webhooks"),
  webhookDeliveries: memoryTable<StoredDelivery>("webhookDeliveries"),
  webhookQueue: memoryTable<QueuedDelivery>("webhookQueue"),
  webhookAttempts: memoryTable<StoredAttempt>("webhookAttempts")
}
