/** The outbox at rest: what the sandbox would have mailed. */
import { Context, type Option } from "effect"
import { type Scope } from "../database/Query.ts"
import type { Window } from "../database/Window.ts"
import type { Notification } from "./Notification.ts"
import type { Stored } from "../database/DatabaseFailure.ts"

interface Store {
  readonly insert: (notification: Omit<Notification, "created_at">) => Stored<void>
  readonly list: (scope: Scope, window: Window) => Stored<ReadonlyArray<Notification>>
  readonly find: (scope: Scope, id: string) => Stored<Option.Option<Notification>>
  /** Those of a month that is over for long enough, and older single ones, a batch at most; answers with how many of both. */
  readonly forgetOld: Stored<number>
}

export class NotificationStore extends Context.Tag("corridor/NotificationStore")<NotificationStore, Store>() {}
