/** Deliveries in memory. */
import { Clock, Duration, Effect, Layer, Option, Order } from "effect"
import { newestFirst, openTables, currentDate, matches, seenIn } from "../../platform/database/MemoryDatabase.ts"
import { queuedAt, webhookTables } from "../EventMemory.ts"
import type { Scope } from "../../platform/database/Query.ts"
import { webhookRetentionBatch, deadLettersCounted } from "../../domain/policies/WebhookPolicies.ts"
import { Settings } from "../../platform/config/Settings.ts"
import type { StoredDelivery, StoredWebhook } from "../Webhook.ts"
import { type DeliveryCount, startOf } from "./DeliveryTrends.ts"
import { type Delivery, type PaymentDelivery, DeliveryStore, type WebhookIssue } from "./DeliveryStore.ts"

const byEvent = Order.combineAll([
  Order.mapInput(Order.Date, (row: PaymentDelivery) => row.event_at),
  Order.mapInput(Order.string, (row: PaymentDelivery) => row.event_id),
  Order.mapInput(Order.string, (row: PaymentDelivery) => row.delivery_id)
])

export const oldestFirst = Order.combine(
  Order.mapInput(Order.Date, (row: StoredDelivery) => row.created_at),
  Order.mapInput(Order.string, (row: StoredDelivery) => row.delivery_id)
)

const issuesOf = (webhook: StoredWebhook, dead: ReadonlyArray<StoredDelivery>): ReadonlyArray<WebhookIssue> => {
  const { disabled_reason, endpoint_url, org_id, status, updated_at, webhook_id } = webhook
  const about = { org_id, webhook_id, endpoint_url, dead_letters: Math.min(dead.length, deadLettersCounted) }
  const [oldest] = dead.toSorted(oldestFirst)
  const disabled: WebhookIssue = {
    ...about,
    kind: "disabled_endpoint",
    item_id: webhook_id,
    delivery_id: null,
    reason: disabled_reason,
    created_at: updated_at
  }
  const letters = (first: StoredDelivery): WebhookIssue => ({
    ...about,
    kind: "dead_letter",
    item_id: first.delivery_id,
    delivery_id: first.delivery_id,
    reason: first.last_error,
    created_at: first.created_at
  })
  return [...(status === "disabled" ? [disabled] : []), ...(oldest === undefined ? [] : [letters(oldest)])]
}

export const deliveryStoreMemory = Layer.effect(
  DeliveryStore,
  Effect.map(
    Effect.all([openTables(webhookTables), Settings]),
    ([
      { events, webhookAttempts, webhookDeliveries, webhookQueue, webhooks },
      { retention }
    ]): DeliveryStore["Type"] => {
      const isOld = ({ status, updated_at }: StoredDelivery, now: number) =>
        status !== "pending" &&
        updated_at.getTime() < now - Duration.toMillis(status === "dead" ? retention.deadLetters : retention.webhooks)
      const visible = (scope: Scope) =>
        webhookDeliveries.all(seenIn(scope)).map(({ updated_at: _updated, ...row }): Delivery => ({
          ...row,
          next_attempt_at: webhookQueue.get(row.delivery_id)?.next_at ?? null
        }))
      return {
        list: (scope, filter, window) =>
          Effect.sync(() => newestFirst(visible(scope).filter(matches(filter)), (row) => row.delivery_id, window)),
        find: (scope, id) =>
          Effect.sync(() => Option.fromNullable(visible(scope).find((row) => row.delivery_id === id))),
        ofPayment: (orgId, paymentId, eventTimes) =>
          Effect.sync(() => {
            const times = new Set(eventTimes.map((at) => at.getTime()))
            return visible(Option.some(orgId))
              .flatMap((row): ReadonlyArray<PaymentDelivery> => {
                const event = events.get(row.event_id)
                const isOfPayment = event?.payment_id === paymentId && times.has(event.created_at.getTime())
                return isOfPayment ? [{ ...row, event_at: event.created_at }] : []
              })
              .sort(byEvent)
          }),
        requeue: (scope, id) =>
          Effect.map(currentDate, (at) => {
            const row = webhookDeliveries.get(id)
            if (row === undefined || !seenIn(scope)(row) || row.status === "pending") return false
            webhookDeliveries.set(id, { ...row, status: "pending", updated_at: at })
            webhookQueue.set(id, queuedAt(at, row))
            return true
          }),
        counts: (scope, webhookId, per, since) =>
          Effect.sync(() => {
            const counted = new Map<string, DeliveryCount>()
            for (const { created_at, status, webhook_id } of visible(scope)) {
              if (webhook_id !== webhookId || created_at < since) continue
              const at = startOf(per, created_at)
              const key = `${at.getTime()} ${status}`
              counted.set(key, { at, status, count: (counted.get(key)?.count ?? 0) + 1 })
            }
            return Array.from(counted.values())
          }),
        latencies: (scope, webhookId, take) =>
          Effect.sync(() => {
            const mine = visible(scope).filter(matches<Delivery>({ webhook_id: webhookId }))
            const newest = newestFirst(mine, (row) => row.delivery_id, { after: Option.none(), take })
            const ids = new Set(newest.map(({ delivery_id }) => delivery_id))
            return webhookAttempts.all(({ delivery_id }) => ids.has(delivery_id)).map(({ latency_ms }) => latency_ms)
          }),
        forgetOld: Effect.map(Clock.currentTimeMillis, (now) => {
          const old = webhookDeliveries.all((row) => isOld(row, now)).slice(0, webhookRetentionBatch)
          const ids = new Set(old.map(({ delivery_id }) => delivery_id))
          for (const id of ids) webhookDeliveries.delete(id)
          for (const [key, { delivery_id }] of Array.from(webhookAttempts)) {
            if (ids.has(delivery_id)) webhookAttempts.delete(key)
          }
          return old.length
        }),
        issues: (scope, window) =>
          Effect.sync(() => {
            const dead = webhookDeliveries.all(({ status }) => status === "dead")
            const issues = webhooks.all(seenIn(scope)).flatMap((webhook) =>
              issuesOf(
                webhook,
                dead.filter(({ webhook_id }) => webhook_id === webhook.webhook_id)
              )
            )
            return newestFirst(issues, (issue) => issue.item_id, window)
          })
      }
    }
  )
)
