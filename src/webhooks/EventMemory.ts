/** Events in memory. */
import { webhookTables } from "./MemoryTables.ts"
import { Clock, Duration, Effect, Layer, Option } from "effect"
import { newestFirst, openTables } from "../platform/database/MemoryDatabase.ts"
import { webhookForgetBatch } from "../domain/policies/Webhooks.ts"
import { Settings } from "../platform/config/Settings.ts"
import { writeEvents } from "./Receivers.ts"
import { MAX_PAYLOAD_BYTES, EventStore } from "./EventStore.ts"

export const eventStoreMemory = Layer.effect(
  EventStore,
  Effect.map(Effect.all([openTables(webhookTables), Settings]), ([tables, { retention }]): EventStore["Type"] => ({
    insert: (event) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        if (Buffer.byteLength(event.payload) > MAX_PAYLOAD_BYTES) throw new Error("events_payload_size")
        writeEvents(tables, [event], now)
        const deliveries = Array.from(tables.webhookDeliveries.values())
        return deliveries.filter(({ event_id }) => event_id === event.event_id).length
      }),
    list: (scope, { event_type, from }, window) =>
      Effect.sync(() => {
        const rows = Array.from(tables.events.values()).filter(
          (row) =>
            (Option.isNone(scope) || row.org_id === scope.value) &&
            (event_type === undefined || row.event_type === event_type) &&
            (from === undefined || row.created_at >= from)
        )
        return newestFirst(rows, (row) => row.event_id, window)
      }),
    forgetOld: Effect.map(Clock.currentTimeMillis, (now) => {
      const told = new Set(Array.from(tables.webhookDeliveries.values(), ({ event_id }) => event_id))
      const old = Array.from(tables.events.values())
        .filter((row) => row.created_at.getTime() < now - Duration.toMillis(retention.webhooks))
        .filter(({ event_id }) => !told.has(event_id))
        .slice(0, webhookForgetBatch)
      for (const { event_id } of old) tables.events.delete(event_id)
      return old.length
    })
  }))
)
