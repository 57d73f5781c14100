/** What waits for a person, in memory. */
import { Effect, Layer, Option, Order } from "effect"
import { deadLettersCounted } from "../domain/policies/Webhooks.ts"
import { newestFirst, openTables } from "../platform/database/MemoryDatabase.ts"
import { webhookTables } from "./MemoryTables.ts"
import type { StoredDelivery, StoredWebhook } from "./Webhook.ts"
import { type Trouble, WebhookIssues } from "./WebhookIssues.ts"

const oldestFirst = Order.combine(
  Order.mapInput(Order.Date, (row: StoredDelivery) => row.created_at),
  Order.mapInput(Order.string, (row: StoredDelivery) => row.delivery_id)
)

const troublesOf = (webhook: StoredWebhook, dead: ReadonlyArray<StoredDelivery>): ReadonlyArray<Trouble> => {
  const { disabled_reason, endpoint_url, org_id, status, updated_at, webhook_id } = webhook
  const about = { org_id, webhook_id, endpoint_url, dead_letters: Math.min(dead.length, deadLettersCounted) }
  const [oldest] = dead.toSorted(oldestFirst)
  const disabled: Trouble = {
    ...about,
    kind: "disabled_endpoint",
    item_id: webhook_id,
    delivery_id: null,
    reason: disabled_reason,
    created_at: updated_at
  }
  const letters = (first: StoredDelivery): Trouble => ({
    ...about,
    kind: "dead_letter",
    item_id: first.delivery_id,
    delivery_id: first.delivery_id,
    reason: first.last_error,
    created_at: first.created_at
  })
  return [...(status === "disabled" ? [disabled] : []), ...(oldest === undefined ? [] : [letters(oldest)])]
}

export const webhookIssuesMemory = Layer.effect(
  WebhookIssues,
  Effect.map(openTables(webhookTables), ({ webhookDeliveries, webhooks }): WebhookIssues["Type"] => ({
    list: (scope, window) =>
      Effect.sync(() => {
        const dead = Array.from(webhookDeliveries.values()).filter(({ status }) => status === "dead")
        const troubles = Array.from(webhooks.values())
          .filter((webhook) => Option.isNone(scope) || webhook.org_id === scope.value)
          .flatMap((webhook) =>
            troublesOf(
              webhook,
              dead.filter(({ webhook_id }) => webhook_id === webhook.webhook_id)
            )
          )
        return newestFirst(troubles, (trouble) => trouble.item_id, window)
      })
  }))
)
