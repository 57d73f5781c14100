/** Stores dead letters (deliveries with status `dead`), and the log of attempts of every delivery. */
import { Context, type Option, Schema } from "effect"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"
import type { Scope } from "../../platform/database/Query.ts"
import { type StoredAttempt, StoredDelivery } from "../Webhook.ts"
import type { WebhookId } from "../../domain/Ids.ts"

export const DeadLetter = Schema.Struct({ ...StoredDelivery.fields, endpoint_url: Schema.String })
export type DeadLetter = typeof DeadLetter.Type

export const DeadLetterEvent = Schema.Struct({
  /** The exact body that is sent. */
  payload: Schema.String,
  test: Schema.Boolean
})
export type DeadLetterEvent = typeof DeadLetterEvent.Type

/** Selects dead letters; empty: all. */
export interface DeadLetterFilter {
  readonly delivery_id?: string | undefined
  readonly webhook_id?: WebhookId | undefined
  /** Created at this time or later. */
  readonly since?: Date | undefined
}

interface Store {
  /** Finds a delivery of any status. */
  readonly find: (scope: Scope, deliveryId: string) => Stored<Option.Option<DeadLetter & DeadLetterEvent>>
  /** Oldest first. */
  readonly attempts: (scope: Scope, deliveryId: string) => Stored<ReadonlyArray<StoredAttempt>>
  readonly now: Stored<Date>
  /** Counts dead letters up to a time that are not replayed, because their endpoint is disabled. */
  readonly countDisabled: (scope: Scope, selection: DeadLetterFilter, diedBefore: Date) => Stored<number>
  /** Queues dead letters again, oldest first, with all attempts of the schedule; returns how many. */
  readonly replay: (scope: Scope, selection: DeadLetterFilter, diedBefore: Date, limit: number) => Stored<number>
}

export class DeadLetterStore extends Context.Tag("corridor/DeadLetterStore")<DeadLetterStore, Store>() {}
