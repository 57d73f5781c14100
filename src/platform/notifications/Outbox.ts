/** The sandbox's outbox as operators read it. */
import { Context, Effect, Layer } from "effect"
import type { Permit } from "../../domain/Access.ts"
import { type NotFound, notFound } from "../../domain/Failure.ts"
import type { Window } from "../database/Window.ts"
import type { Notification } from "./Notification.ts"
import { NotificationStore } from "./NotificationStore.ts"
import { mapRefusal, type Stored } from "../database/DatabaseFailure.ts"

export class Outbox extends Context.Tag("corridor/Outbox")<
  Outbox,
  {
    readonly list: (permit: Permit<"platform">, window: Window) => Stored<ReadonlyArray<Notification>>
    readonly show: (permit: Permit<"platform">, id: string) => Stored<Notification, NotFound>
  }
>() {
  static readonly layer = Layer.effect(
    Outbox,
    Effect.map(NotificationStore, (store) => ({
      list: (permit, window) => store.list(permit.scope, window),
      show: Effect.fn("Outbox.show")(function* (permit, id) {
        return yield* Effect.flatten(store.find(permit.scope, id)).pipe(mapRefusal(() => notFound("notification")))
      })
    }))
  )
}
