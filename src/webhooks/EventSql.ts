/** Events in PostgreSQL. A trigger on `events` inserts their deliveries. */
import { SqlClient } from "@effect/sql"
import { Effect, Layer, Schema } from "effect"
import { Settings } from "../platform/config/Settings.ts"
import { inScope, newest, ownedBy, queryCount, query } from "../platform/database/Query.ts"
import { WebhookEvent } from "./Webhook.ts"
import { currentTraceparent } from "../platform/observability/Spans.ts"
import { deleteExpiredEvents } from "./RetentionSql.ts"
import { EventStore } from "./EventStore.ts"
import { PayloadColumns, payloadColumns, storedPayload, payloadOf } from "./EventPayload.ts"

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
