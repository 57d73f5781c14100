/** Webhook endpoints in memory. */
import { webhookTables } from "./EventMemory.ts"
import { Clock, Duration, Effect, Layer, Option } from "effect"
import type { WebhookId } from "../domain/Ids.ts"
import { newestFirst, openTables, currentDate, seenIn } from "../platform/database/MemoryDatabase.ts"
import type { Scope } from "../platform/database/Query.ts"
import { webhookSecretOverlap } from "../domain/policies/WebhookPolicies.ts"
import type { StoredWebhook, Webhook } from "./Webhook.ts"
import { WebhookStore } from "./WebhookStore.ts"

const withoutSecrets = ({
  failing_since: _failing,
  previous_secret_sealed: _previous,
  previous_secret_until: _until,
  secret_sealed: _secret,
  ...webhook
}: StoredWebhook): Webhook => webhook

export const webhookStoreMemory = Layer.effect(
  WebhookStore,
  Effect.map(openTables(webhookTables), (tables): WebhookStore["Type"] => {
    const { webhookDeliveries, webhookQueue, webhooks } = tables
    const stored = (scope: Scope, id: WebhookId) => webhooks.one(id, seenIn(scope))
    const look = (scope: Scope, id: WebhookId) => Effect.sync(() => Option.map(stored(scope, id), withoutSecrets))
    const change = (scope: Scope, id: WebhookId, patch: (row: StoredWebhook, now: number) => Partial<StoredWebhook>) =>
      Effect.map(Clock.currentTimeMillis, (now) =>
        Option.map(stored(scope, id), (row) => {
          const changed: StoredWebhook = { ...row, ...patch(row, now), updated_at: new Date(now) }
          webhooks.set(id, changed)
          return withoutSecrets(changed)
        })
      )
    return {
      lockAndCount: (orgId) => Effect.sync(() => webhooks.all(seenIn(Option.some(orgId))).length),
      insert: (webhook) =>
        Effect.map(currentDate, (at) => {
          const row: StoredWebhook = {
            ...webhook,
            status: "active",
            disabled_reason: null,
            previous_secret_sealed: null,
            previous_secret_until: null,
            failing_since: null,
            created_at: at,
            updated_at: at
          }
          webhooks.set(row.webhook_id, row)
          return withoutSecrets(row)
        }),
      list: (scope, window) =>
        Effect.sync(() =>
          newestFirst(webhooks.all(seenIn(scope)), (row) => row.webhook_id, window).map(withoutSecrets)
        ),
      find: look,
      findForUpdate: look,
      update: (scope, id, patch) => change(scope, id, () => patch),
      replaceSecret: (scope, id, secret_sealed, immediate) =>
        change(scope, id, (row, now) => ({
          secret_sealed,
          previous_secret_sealed: immediate ? null : row.secret_sealed,
          previous_secret_until: immediate ? null : new Date(now + Duration.toMillis(webhookSecretOverlap))
        })),
      remove: (scope, id) =>
        Effect.sync(() => {
          if (Option.isNone(stored(scope, id))) return
          webhooks.delete(id)
          for (const { delivery_id, webhook_id } of webhookDeliveries.all()) {
            if (webhook_id !== id) continue
            webhookDeliveries.delete(delivery_id)
            webhookQueue.delete(delivery_id)
          }
        })
    }
  })
)
