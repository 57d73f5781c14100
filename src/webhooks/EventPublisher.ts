/** How features tell of what they did. Belongs in the transaction of what an event tells of. */
import { Clock, Context, Effect, Layer } from "effect"
import { type OrgId, Ids } from "../domain/Ids.ts"
import type { EventType } from "../domain/EventTypes.ts"
import type { Stored } from "../platform/database/DatabaseFailure.ts"
import { afterCommit } from "../platform/database/Transactor.ts"
import { DeliveryWakeUp } from "./DeliveryWakeUp.ts"
import { EventStore } from "./EventStore.ts"
import type { WebhookEvent } from "./Webhook.ts"
import { stringifyWire } from "../domain/Decimal.ts"

/** An event that tells of something else than a payment, as the exact text that every delivery repeats. */
export const newEvent = (
  about: { readonly event_id: string; readonly event_type: EventType; readonly org_id: OrgId },
  data: Readonly<Record<string, unknown>>,
  at: Date
): WebhookEvent => {
  const { event_id, event_type, org_id } = about
  const payload = stringifyWire({ event_id, event_type, org_id, created_at: at.toISOString(), data })
  return { event_id, event_type, org_id, payment_id: null, payload, test: false, created_at: at }
}

export class EventPublisher extends Context.Tag("corridor/EventPublisher")<
  EventPublisher,
  {
    /** Of something that happened now. */
    readonly tell: (
      about: { readonly event_type: EventType; readonly org_id: OrgId },
      data: Readonly<Record<string, unknown>>
    ) => Stored<void>
    /** One whose text its feature has written. */
    readonly publish: (event: WebhookEvent) => Stored<void>
  }
>() {
  static readonly layer = Layer.effect(
    EventPublisher,
    Effect.gen(function* () {
      const store = yield* EventStore
      const ids = yield* Ids
      const { wake: ring } = yield* DeliveryWakeUp
      const written = (event: WebhookEvent) => Effect.zipRight(store.insert(event), afterCommit(ring))
      return {
        tell: Effect.fnUntraced(function* (about, data) {
          const event_id = yield* ids.next
          const at = new Date(yield* Clock.currentTimeMillis)
          yield* written(newEvent({ ...about, event_id }, data, at))
        }),
        publish: written
      }
    })
  )
}
