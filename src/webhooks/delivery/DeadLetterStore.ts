/** The dead letter queue at rest: deliveries whose status is `dead`, and the log of every attempt at them. */
import { Context, type Option, Schema } from "effect"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"
import type { Scope, Window } from "../../platform/database/Query.ts"
import { type StoredAttempt, StoredDelivery } from "../Webhook.ts"
import type { WebhookId } from "../../domain/Ids.ts"

/** A delivery that nobody tries any more, until a person sends it on its way again. */
export const DeadLetter = Schema.Struct({ ...StoredDelivery.fields, endpoint_url: Schema.String })
export type DeadLetter = typeof DeadLetter.Type

/** What of its event each attempt told. */
export const EventOfLetter = Schema.Struct({
  /** The exact text that is sent. */
  payload: Schema.String,
  test: Schema.Boolean
})
export type EventOfLetter = typeof EventOfLetter.Type

/** Which dead letters; all of them where nothing is said. */
export interface DeadLetterFilter {
  readonly delivery_id?: string | undefined
  readonly webhook_id?: WebhookId | undefined
  /** When the event was written, this time included. */
  readonly since?: Date | undefined
}

export const Replayed = Schema.Struct({
  replayed: Schema.Number,
  /** Left where they are, because their endpoint is disabled. */
  disabled: Schema.Number
})
export type Replayed = typeof Replayed.Type

interface Store {
  readonly list: (scope: Scope, selection: DeadLetterFilter, window: Window) => Stored<ReadonlyArray<DeadLetter>>
  /** Whatever its status. */
  readonly find: (scope: Scope, deliveryId: string) => Stored<Option.Option<DeadLetter & EventOfLetter>>
  /** Oldest first. */
  readonly attempts: (scope: Scope, deliveryId: string) => Stored<ReadonlyArray<StoredAttempt>>
  readonly now: Stored<Date>
  /** How many died before a time: those that can be replayed, and those whose endpoint is disabled. */
  readonly count: (scope: Scope, selection: DeadLetterFilter, diedBefore: Date) => Stored<Replayed>
  /** Puts some of them back into the queue, oldest first, for the whole table of attempts; answers with how many. */
  readonly replay: (scope: Scope, selection: DeadLetterFilter, diedBefore: Date, limit: number) => Stored<number>
}

export class DeadLetterStore extends Context.Tag("corridor/DeadLetterStore")<DeadLetterStore, Store>() {}
