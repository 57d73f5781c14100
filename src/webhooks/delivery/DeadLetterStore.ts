/** The dead letter queue at rest: deliveries whose status is `dead`, and the log of every attempt at them. */
import { Context, type Option } from "effect"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"
import type { Scope } from "../../platform/database/Query.ts"
import type { Window } from "../../platform/database/Window.ts"
import type { DeadLetter, EventOfLetter, Replayed, Selection } from "./DeadLetter.ts"
import type { StoredAttempt } from "../Webhook.ts"

interface Store {
  readonly list: (scope: Scope, selection: Selection, window: Window) => Stored<ReadonlyArray<DeadLetter>>
  /** Whatever its status. */
  readonly find: (scope: Scope, deliveryId: string) => Stored<Option.Option<DeadLetter & EventOfLetter>>
  /** Oldest first. */
  readonly attempts: (scope: Scope, deliveryId: string) => Stored<ReadonlyArray<StoredAttempt>>
  readonly now: Stored<Date>
  /** How many died before a time: those that can be replayed, and those whose endpoint is disabled. */
  readonly count: (scope: Scope, selection: Selection, diedBefore: Date) => Stored<Replayed>
  /** Puts some of them back into the queue, oldest first, for the whole table of attempts; answers with how many. */
  readonly replay: (scope: Scope, selection: Selection, diedBefore: Date, limit: number) => Stored<number>
}

export class DeadLetterStore extends Context.Tag("corridor/DeadLetterStore")<DeadLetterStore, Store>() {}
