/** The outbox at rest: what the sandbox would have mailed. */
import { Context, type Effect, type Option } from "effect"
import { type Scope } from "../database/Query.ts"
import type { Window } from "../database/Window.ts"
import type { Notification } from "./Notification.ts"

interface Store {
  readonly insert: (notification: Omit<Notification, "created_at">) => Effect.Effect<void>
  readonly list: (scope: Scope, window: Window) => Effect.Effect<ReadonlyArray<Notification>>
  readonly find: (scope: Scope, id: string) => Effect.Effect<Option.Option<Notification>>
  /** Those of a month that is over for long enough, and older single ones, a batch at most; answers with how many of both. */
  readonly forgetOld: Effect.Effect<number>
}

export class NotificationStore extends Context.Tag("corridor/NotificationStore")<NotificationStore, Store>() {}
