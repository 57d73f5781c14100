/** Stores events with the exact payload of their deliveries. Inserting an event queues its deliveries. */
import { Context, Effect, Layer, Schema } from "effect"
import type { Stored } from "../platform/database/DatabaseFailure.ts"
import { type Scope, type Window, inScope, newest, ownedBy, queryCount, query } from "../platform/database/Query.ts"
import { WebhookEvent } from "./Webhook.ts"
import { SqlClient } from "@effect/sql"
import { Settings } from "../platform/config/Settings.ts"
import { currentTraceparent } from "../platform/observability/Spans.ts"
import { deleteExpiredEvents } from "./RetentionSql.ts"
import { PayloadColumns, payloadColumns, storedPayload, payloadOf } from "./EventPayloadStorage.ts"

/** Limit of the table, and of some receivers. */
export const MAX_PAYLOAD_BYTES = 64 * 1024

export interface EventFilter {
  readonly event_type?: string | undefined
  /** Inclusive. */
  readonly from?: Date | undefined
}

interface Store {
  /** Returns the number of deliveries. */
  readonly insert: (event: WebhookEvent) => Stored<number>
  readonly list: (scope: Scope, filter: EventFilter, window: Window) => Stored<ReadonlyArray<WebhookEvent>>
  /** Deletes a batch of events past their retention that have no delivery left; returns how many. */
  readonly forgetOld: Stored<number>
}

export class EventStore extends Context.Tag("corridor/EventStore")<EventStore, Store>() {}

const EventRow = Schema.Struct({ ...WebhookEvent.fields, ...PayloadColumns, traceparent: Schema.NullOr(Schema.String) })
const events = query(EventRow)

const eventOf = ({ event_data, traceparent, ...row }: typeof EventRow.Type): WebhookEvent => {
  const event = { ...row, payload: payloadOf({ ...row, event_data }, row.created_at) }
  return traceparent === null ? event : { ...event, traceparent }
}

export const eventStoreSql = Layer.effect(
  EventStore,
  Effect.map(Effect.all([SqlClient.SqlClient, Settings]), ([sql, settings]): EventStore["Type"] => ({
    insert: (event) =>
      Effect.flatMap(
        currentTraceparent,
        (traceparent) =>
          sql`insert into events ${sql.insert({ ...event, ...storedPayload(event, event.created_at), traceparent: traceparent ?? null })}`
      ).pipe(
        Effect.zipRight(
          sql`select count(*)::int from webhook_deliveries
            where event_id = ${event.event_id} and ${ownedBy(sql, event.org_id)}`
        ),
        queryCount
      ),
    list: (scope, { event_type, from }, window) => {
      const type = event_type === undefined ? sql.literal("true") : sql`event_type = ${event_type}`
      const since = from === undefined ? sql.literal("true") : sql`created_at >= ${from}`
      return sql`select event_id, org_id, event_type, payment_id, ${sql.literal(payloadColumns("events"))}, test, created_at, traceparent
        from events
        where ${inScope(sql, scope)} and ${type} and ${since} ${newest(sql, "event_id", window)}`.pipe(
        events.all,
        Effect.map((rows) => rows.map(eventOf))
      )
    },
    forgetOld: deleteExpiredEvents(sql, settings)
  }))
)
