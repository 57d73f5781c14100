/**
 * Publishes webhook events, inside the transaction of the change that they report. Events of payments bypass this file: they
 * are written by the statement of the payment's change.
 */
import { Clock, Context, Effect, Layer } from "effect"
import { type OrgId, Ids } from "../domain/Ids.ts"
import type { EventType } from "../domain/EventTypes.ts"
import { WorkQueues } from "../platform/database/WorkQueues.ts"
import { EventStore } from "./EventStore.ts"
import type { WebhookEvent } from "./Webhook.ts"
import { stringifyWire } from "../domain/Decimal.ts"

/** Builds an event that is not about a payment, with the exact payload of its deliveries. */
export const newEvent = (
  about: { readonly event_id: string; readonly event_type: EventType; readonly org_id: OrgId },
  data: Readonly<Record<string, unknown>>,
  at: Date
): WebhookEvent => {
  const { event_id, event_type, org_id } = about
  const payload = stringifyWire({ event_id, event_type, org_id, created_at: at.toISOString(), data })
  return { event_id, event_type, org_id, payment_id: null, payload, test: false, created_at: at }
}

const make = Effect.gen(function* () {
  const store = yield* EventStore
  const ids = yield* Ids
  const { announce } = yield* WorkQueues
  const insert = (event: WebhookEvent) => Effect.zipRight(store.insert(event), announce("webhooks"))
  return {
    /** Publishes an event of the current time. */
    publish: Effect.fnUntraced(function* (
      about: { readonly event_type: EventType; readonly org_id: OrgId },
      data: Readonly<Record<string, unknown>>
    ) {
      const event_id = yield* ids.next
      const at = new Date(yield* Clock.currentTimeMillis)
      yield* insert(newEvent({ ...about, event_id }, data, at))
    }),
    /** Publishes an event whose payload is ready. */
    publishEvent: insert
  }
})

export class EventPublisher extends Context.Tag("corridor/EventPublisher")<
  EventPublisher,
  Effect.Effect.Success<typeof make>
>() {
  static readonly layer = Layer.effect(EventPublisher, make)
}
