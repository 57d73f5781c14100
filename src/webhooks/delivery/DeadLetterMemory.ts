/** The dead letter queue of the memory stores. */
import { queuedAt, webhookTables } from "../EventMemory.ts"
import { Effect, Layer, Option, Order } from "effect"
import { openTables, currentDate, matches, seenIn } from "../../platform/database/MemoryDatabase.ts"
import type { Scope } from "../../platform/database/Query.ts"
import type { StoredAttempt, StoredDelivery } from "../Webhook.ts"
import { type DeadLetter, type DeadLetterFilter, DeadLetterStore } from "./DeadLetterStore.ts"
import { oldestFirst } from "./DeliveryMemory.ts"

const earliest = Order.mapInput(Order.Date, (attempt: StoredAttempt) => attempt.at)

export const deadLetterStoreMemory = Layer.effect(
  DeadLetterStore,
  Effect.map(openTables(webhookTables), (tables): DeadLetterStore["Type"] => {
    const { events, webhookAttempts, webhookDeliveries, webhookQueue, webhooks } = tables

    const shown = (row: StoredDelivery): DeadLetter => ({
      ...row,
      endpoint_url: webhooks.get(row.webhook_id)?.endpoint_url ?? ""
    })

    const dead = (scope: Scope, { since, webhook_id }: DeadLetterFilter) =>
      webhookDeliveries.all(
        (row) =>
          seenIn(scope)(row) &&
          matches({ status: "dead", webhook_id })(row) &&
          (since === undefined || row.created_at >= since)
      )

    const isActive = (row: StoredDelivery) => webhooks.get(row.webhook_id)?.status === "active"

    const one = (scope: Scope, id: string) => webhookDeliveries.one(id, seenIn(scope))

    return {
      find: (scope, id) =>
        Effect.sync(() =>
          Option.map(one(scope, id), (row) => {
            const event = events.get(row.event_id)
            return { ...shown(row), payload: event?.payload ?? "", test: event?.test ?? false }
          })
        ),
      attempts: (scope, id) =>
        Effect.sync(() =>
          Option.isNone(one(scope, id))
            ? []
            : webhookAttempts.all((attempt) => attempt.delivery_id === id).sort(earliest)
        ),
      now: currentDate,
      countDisabled: (scope, selection, before) =>
        Effect.sync(() => dead(scope, selection).filter((row) => row.updated_at <= before && !isActive(row)).length),
      replay: (scope, selection, before, limit) =>
        Effect.map(currentDate, (at) => {
          const picked = dead(scope, selection)
            .filter((row) => row.updated_at <= before && isActive(row))
            .sort(oldestFirst)
            .slice(0, limit)
          for (const row of picked) {
            webhookDeliveries.set(row.delivery_id, { ...row, status: "pending", updated_at: at })
            webhookQueue.set(row.delivery_id, queuedAt(at, row))
          }
          return picked.length
        }),
      retryNow: (scope, { since, webhook_id }, before, limit) =>
        Effect.map(currentDate, (at) => {
          const picked = webhookDeliveries
            .all((row) => seenIn(scope)(row) && row.webhook_id === webhook_id && row.updated_at <= before)
            .filter((row) => isActive(row) && (since === undefined || row.created_at >= since))
            .flatMap(({ delivery_id }) => webhookQueue.get(delivery_id) ?? [])
            .filter(({ lease_token, next_at }) => lease_token === null && next_at > at)
            .slice(0, limit)
          for (const row of picked) webhookQueue.set(row.delivery_id, { ...row, attempt: 0, next_at: at })
          return picked.length
        })
    }
  })
)
