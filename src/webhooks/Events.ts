/** How features tell of what they did. Belongs in the transaction of what an event tells of. */
import { Clock, Context, Effect, Layer } from "effect"
import type { OrgId } from "../domain/Identifiers.ts"
import type { EventType } from "../domain/EventTypes.ts"
import { Ids } from "../domain/Ids.ts"
import type { Stored } from "../platform/database/DatabaseFailure.ts"
import { afterCommit } from "../platform/database/AfterCommit.ts"
import { Doorbell } from "./Doorbell.ts"
import { EventStore } from "./EventStore.ts"
import { newEvent } from "./NewEvent.ts"
import type { WebhookEvent } from "./Webhook.ts"

export class Events extends Context.Tag("corridor/Events")<
  Events,
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
    Events,
    Effect.gen(function* () {
      const store = yield* EventStore
      const ids = yield* Ids
      const { ring } = yield* Doorbell
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
