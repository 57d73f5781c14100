/** Deliveries as their owner sees them: what was sent where, what came of it, and the way back into the queue. */
import { SqlClient } from "@effect/sql"
import { Clock, Context, Duration, Effect, Layer, Option, Order } from "effect"
import { newestFirst, openTables } from "../platform/database/MemoryDatabase.ts"
import { webhookTables } from "./MemoryTables.ts"
import { firstRow, inScope, newest, type Scope } from "../platform/database/Query.ts"
import { deadLetterRetention, webhookForgetBatch, webhookRetention } from "../domain/Policies.ts"
import type { Window } from "../platform/database/Window.ts"
import { forgetDeliveriesSql } from "./ForgetSql.ts"
import type { DeliveryStatus, StoredDelivery } from "./Webhook.ts"

export interface DeliveryFilter {
  readonly status?: DeliveryStatus | undefined
  readonly webhook_id?: string | undefined
}

export interface Delivery extends Omit<StoredDelivery, "updated_at"> {
  readonly next_attempt_at: Date | null
}

/** One that tells of a payment. */
export interface PaymentDelivery extends Delivery {
  readonly event_at: Date
}

interface Store {
  readonly list: (scope: Scope, filter: DeliveryFilter, window: Window) => Effect.Effect<ReadonlyArray<Delivery>>
  readonly find: (scope: Scope, id: string) => Effect.Effect<Option.Option<Delivery>>
  /** Oldest first. The times of its events save an index on `events`, which every payment would have to keep up. */
  readonly ofPayment: (
    orgId: string,
    paymentId: string,
    eventTimes: ReadonlyArray<Date>
  ) => Effect.Effect<ReadonlyArray<PaymentDelivery>>
  /** From the first attempt on, at once. False when it was waiting in the queue already, or is not in scope. */
  readonly requeue: (scope: Scope, id: string) => Effect.Effect<boolean>
  /** A batch of those that were delivered or died too long ago, with their attempts; answers with how many. */
  readonly forgetOld: Effect.Effect<number>
}

const byEvent = Order.combineAll([
  Order.mapInput(Order.Date, (row: PaymentDelivery) => row.event_at),
  Order.mapInput(Order.string, (row: PaymentDelivery) => row.event_id),
  Order.mapInput(Order.string, (row: PaymentDelivery) => row.delivery_id)
])

export class DeliveryStore extends Context.Tag("corridor/DeliveryStore")<DeliveryStore, Store>() {
  static readonly layer = Layer.effect(
    DeliveryStore,
    Effect.map(SqlClient.SqlClient, (sql): Store => {
      const columns =
        sql.literal(`d.delivery_id, d.org_id, d.webhook_id, d.event_id, d.event_type, d.status, d.attempts,
        d.last_status_code, d.last_error, d.created_at,
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
        // An endpoint's deliveries have an index by event, the deliveries of all of them have none.
        ofPayment: (orgId, paymentId, eventTimes) =>
          sql<PaymentDelivery>`select ${columns}, e.created_at as event_at
            from events e
            join webhooks w on w.org_id = e.org_id
            join webhook_deliveries d on d.webhook_id = w.webhook_id and d.event_id = e.event_id
            where e.org_id = ${orgId} and e.payment_id = ${paymentId} and e.created_at = any (array(
              select value::timestamptz from jsonb_array_elements_text(${JSON.stringify(eventTimes)}::jsonb)
            )) order by e.created_at, e.event_id, d.delivery_id`.pipe(Effect.orDie),
        requeue: (scope, id) =>
          sql`with again as (
              update webhook_deliveries set status = 'pending', updated_at = now()
              where delivery_id = ${id} and status <> 'pending' and ${inScope(sql, scope)}
              returning delivery_id, org_id, webhook_id
            )
            insert into webhook_queue (delivery_id, org_id, webhook_id) select delivery_id, org_id, webhook_id from again
            returning delivery_id`.pipe(
            Effect.map((rows) => rows.length > 0),
            Effect.orDie
          ),
        forgetOld: forgetDeliveriesSql(sql)
      }
    })
  )

  static readonly layerMemory = Layer.effect(
    DeliveryStore,
    Effect.map(openTables(webhookTables), ({ events, webhookAttempts, webhookDeliveries, webhookQueue }): Store => {
      const isOld = ({ status, updated_at }: StoredDelivery, now: number) =>
        status !== "pending" &&
        updated_at.getTime() < now - Duration.toMillis(status === "dead" ? deadLetterRetention : webhookRetention)
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
        ofPayment: (orgId, paymentId, eventTimes) =>
          Effect.sync(() => {
            const times = new Set(eventTimes.map((at) => at.getTime()))
            return visible(Option.some(orgId))
              .flatMap((row): ReadonlyArray<PaymentDelivery> => {
                const event = events.get(row.event_id)
                const told = event?.payment_id === paymentId && times.has(event.created_at.getTime())
                return told ? [{ ...row, event_at: event.created_at }] : []
              })
              .sort(byEvent)
          }),
        requeue: (scope, id) =>
          Effect.map(Clock.currentTimeMillis, (now) => {
            const row = webhookDeliveries.get(id)
            const seen = row !== undefined && (Option.isNone(scope) || row.org_id === scope.value)
            if (!seen || row.status === "pending") return false
            const at = new Date(now)
            webhookDeliveries.set(id, { ...row, status: "pending", updated_at: at })
            const { delivery_id, org_id, webhook_id } = row
            webhookQueue.set(id, { delivery_id, org_id, webhook_id, attempt: 0, next_at: at, lease_token: null })
            return true
          }),
        forgetOld: Effect.map(Clock.currentTimeMillis, (now) => {
          const old = Array.from(webhookDeliveries.values())
            .filter((row) => isOld(row, now))
            .slice(0, webhookForgetBatch)
          const ids = new Set(old.map(({ delivery_id }) => delivery_id))
          for (const id of ids) webhookDeliveries.delete(id)
          for (const [key, { delivery_id }] of Array.from(webhookAttempts)) {
            if (ids.has(delivery_id)) webhookAttempts.delete(key)
          }
          return old.length
        })
      }
    })
  )
}
