/** Stores events with the exact payload of their deliveries. Inserting an event queues its deliveries. */
import { Context } from "effect"
import type { Stored } from "../platform/database/DatabaseFailure.ts"
import type { Scope, Window } from "../platform/database/Query.ts"
import type { WebhookEvent } from "./Webhook.ts"

/** Limit of the table, and of some receivers. */
export const MAX_PAYLOAD_BYTES = 64 * 1024

export interface EventFilter {
  readonly event_type?: string | undefined
  /** Inclusive. */
  readonly from?: Date | undefined
}

interface Store {
  /** Returns the number of deliveries. */
  readonly insert: (event: WebhookEvent) => Stored<number>
  readonly list: (scope: Scope, filter: EventFilter, window: Window) => Stored<ReadonlyArray<WebhookEvent>>
  /** Deletes a batch of events past their retention that have no delivery left; returns how many. */
  readonly forgetOld: Stored<number>
}

export class EventStore extends Context.Tag("corridor/EventStore")<EventStore, Store>() {}
