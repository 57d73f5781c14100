/** What about webhooks waits for a person: endpoints that are disabled, and endpoints with dead letters. */
import { SqlClient } from "@effect/sql"
import { Context, Effect, Layer, Option, Order } from "effect"
import { newestFirst, openTables } from "../platform/database/MemoryDatabase.ts"
import { webhookTables } from "./MemoryTables.ts"
import { inScope, newest, type Scope } from "../platform/database/Query.ts"
import type { Window } from "../platform/database/Window.ts"
import type { StoredDelivery, StoredWebhook } from "./Webhook.ts"

interface Endpoint {
  readonly item_id: string
  readonly org_id: string
  readonly webhook_id: string
  readonly endpoint_url: string
  /** How many of the endpoint's deliveries are dead. */
  readonly dead_letters: number
  readonly created_at: Date
}

/** One for an endpoint however many died, so that a backlog is in nobody's way; it stands where the oldest of them does. */
interface DeadLetters extends Endpoint {
  readonly kind: "dead_letter"
  readonly delivery_id: string
  readonly reason: string | null
}

/** Since its last change, with the service's reason; without one its owner did it. */
interface Disabled extends Endpoint {
  readonly kind: "disabled_endpoint"
  readonly delivery_id: null
  readonly reason: string | null
}

export type Trouble = DeadLetters | Disabled

interface Store {
  readonly list: (scope: Scope, window: Window) => Effect.Effect<ReadonlyArray<Trouble>>
}

const oldestFirst = Order.combine(
  Order.mapInput(Order.Date, (row: StoredDelivery) => row.created_at),
  Order.mapInput(Order.string, (row: StoredDelivery) => row.delivery_id)
)

const troublesOf = (webhook: StoredWebhook, dead: ReadonlyArray<StoredDelivery>): ReadonlyArray<Trouble> => {
  const { disabled_reason, endpoint_url, org_id, status, updated_at, webhook_id } = webhook
  const about = { org_id, webhook_id, endpoint_url, dead_letters: dead.length }
  const [oldest] = dead.toSorted(oldestFirst)
  const disabled: Disabled = {
    ...about,
    kind: "disabled_endpoint",
    item_id: webhook_id,
    delivery_id: null,
    reason: disabled_reason,
    created_at: updated_at
  }
  const letters = (first: StoredDelivery): DeadLetters => ({
    ...about,
    kind: "dead_letter",
    item_id: first.delivery_id,
    delivery_id: first.delivery_id,
    reason: first.last_error,
    created_at: first.created_at
  })
  return [...(status === "disabled" ? [disabled] : []), ...(oldest === undefined ? [] : [letters(oldest)])]
}

export class WebhookIssues extends Context.Tag("corridor/WebhookIssues")<WebhookIssues, Store>() {
  static readonly layer = Layer.effect(
    WebhookIssues,
    Effect.map(SqlClient.SqlClient, (sql): Store => ({
      list: (scope, window) =>
        sql<Trouble>`select kind, item_id, org_id, webhook_id, endpoint_url, delivery_id, reason, created_at, (
            select count(*)::int from webhook_deliveries d where d.webhook_id = t.webhook_id and d.status = 'dead'
          ) as dead_letters
          from (
            select 'dead_letter' as kind, oldest.delivery_id as item_id, org_id, webhook_id, endpoint_url,
              oldest.delivery_id, oldest.reason, oldest.created_at
            from webhooks w cross join lateral (
              -- At or after it in the index of the dead: asked for by equality, the planner walks all deliveries by age.
              select d.webhook_id as receiver, delivery_id, last_error as reason, d.created_at from webhook_deliveries d
              where d.webhook_id >= w.webhook_id and d.status = 'dead'
              order by d.webhook_id, d.created_at, delivery_id limit 1
            ) oldest where oldest.receiver = w.webhook_id and ${inScope(sql, scope)}
            union all
            select 'disabled_endpoint', webhook_id, org_id, webhook_id, endpoint_url, null, disabled_reason, updated_at
            from webhooks where ${inScope(sql, scope)} and status = 'disabled'
          ) t where true ${newest(sql, "item_id", window)}`.pipe(Effect.orDie)
    }))
  )

  static readonly layerMemory = Layer.effect(
    WebhookIssues,
    Effect.map(openTables(webhookTables), ({ webhookDeliveries, webhooks }): Store => ({
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
}
