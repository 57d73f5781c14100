/** Deliveries as their owner sees them: what was sent where, what came of it, and the way back into the queue. */
import { SqlClient } from "@effect/sql"
import { Clock, Context, Effect, Layer, Option } from "effect"
import { MemoryTables, newestFirst } from "../database/MemoryTables.ts"
import { firstRow, inScope, newest, type Scope } from "../database/Query.ts"
import type { Window } from "../pagination/Page.ts"
import type { DeliveryStatus, StoredDelivery } from "./Webhook.ts"

export interface DeliveryFilter {
  readonly status?: DeliveryStatus | undefined
  readonly webhook_id?: string | undefined
}

export interface Delivery extends Omit<StoredDelivery, "updated_at"> {
  readonly next_attempt_at: Date | null
}

interface Store {
  readonly list: (scope: Scope, filter: DeliveryFilter, window: Window) => Effect.Effect<ReadonlyArray<Delivery>>
  readonly find: (scope: Scope, id: string) => Effect.Effect<Option.Option<Delivery>>
  /** From the first attempt on, at once. False when it was waiting in the queue already, or is not in scope. */
  readonly requeue: (scope: Scope, id: string) => Effect.Effect<boolean>
}

export class DeliveryStore extends Context.Tag("corridor/DeliveryStore")<DeliveryStore, Store>() {
  static readonly layer = Layer.effect(
    DeliveryStore,
    Effect.map(SqlClient.SqlClient, (sql): Store => {
      const columns = sql.literal(`delivery_id, org_id, webhook_id, event_id, event_type, status, attempts,
        last_status_code, last_error, created_at,
        (select next_at from webhook_queue q where q.delivery_id = d.delivery_id) as next_attempt_at`)
      return {
        list: (scope, { status, webhook_id }, window) => {
          const inStatus = status === undefined ? sql.literal("true") : sql`status = ${status}`
          const toEndpoint = webhook_id === undefined ? sql.literal("true") : sql`webhook_id = ${webhook_id}`
          return sql<Delivery>`select ${columns} from webhook_deliveries d where ${inScope(sql, scope)}
            and ${inStatus} and ${toEndpoint} ${newest(sql, "delivery_id", window)}`.pipe(Effect.orDie)
        },
        find: (scope, id) =>
          sql<Delivery>`select ${columns} from webhook_deliveries d
            where delivery_id = ${id} and ${inScope(sql, scope)}`.pipe(Effect.map(firstRow), Effect.orDie),
        requeue: (scope, id) =>
          sql`with again as (
              update webhook_deliveries set status = 'pending', updated_at = now()
              where delivery_id = ${id} and status <> 'pending' and ${inScope(sql, scope)}
              returning delivery_id, webhook_id
            )
            insert into webhook_queue (delivery_id, webhook_id) select delivery_id, webhook_id from again
            returning delivery_id`.pipe(
            Effect.map((rows) => rows.length > 0),
            Effect.orDie
          )
      }
    })
  )

  static readonly layerMemory = Layer.effect(
    DeliveryStore,
    Effect.map(MemoryTables, ({ webhookDeliveries, webhookQueue }): Store => {
      const visible = (scope: Scope) =>
        Array.from(webhookDeliveries.values())
          .filter((row) => Option.isNone(scope) || row.org_id === scope.value)
          .map(({ updated_at: _updated, ...row }): Delivery => ({
            ...row,
            next_attempt_at: webhookQueue.get(row.delivery_id)?.next_at ?? null
          }))
      return {
        list: (scope, { status, webhook_id }, window) =>
          Effect.sync(() => {
            const rows = visible(scope).filter(
              (row) =>
                (status === undefined || row.status === status) &&
                (webhook_id === undefined || row.webhook_id === webhook_id)
            )
            return newestFirst(rows, (row) => row.delivery_id, window)
          }),
        find: (scope, id) =>
          Effect.sync(() => Option.fromNullable(visible(scope).find((row) => row.delivery_id === id))),
        requeue: (scope, id) =>
          Effect.map(Clock.currentTimeMillis, (now) => {
            const row = webhookDeliveries.get(id)
            const seen = row !== undefined && (Option.isNone(scope) || row.org_id === scope.value)
            if (!seen || row.status === "pending") return false
            const at = new Date(now)
            webhookDeliveries.set(id, { ...row, status: "pending", updated_at: at })
            const { delivery_id, webhook_id } = row
            webhookQueue.set(id, { delivery_id, webhook_id, attempt: 0, next_at: at, lease_token: null })
            return true
          })
      }
    })
  )
}
