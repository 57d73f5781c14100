/** Events at rest, each with the exact bytes that its deliveries repeat. Writing one finds its receivers. */
import { Context } from "effect"
import type { Stored } from "../platform/database/DatabaseFailure.ts"
import type { Scope, Window } from "../platform/database/Query.ts"
import type { WebhookEvent } from "./Webhook.ts"

/** The table refuses more, and so do some receivers. */
export const MAX_PAYLOAD_BYTES = 64 * 1024

export interface EventFilter {
  readonly event_type?: string | undefined
  /** Included. */
  readonly from?: Date | undefined
}

interface Store {
  /** Answers with the number of endpoints that it goes to. */
  readonly insert: (event: WebhookEvent) => Stored<number>
  readonly list: (scope: Scope, filter: EventFilter, window: Window) => Stored<ReadonlyArray<WebhookEvent>>
  /** A batch of old ones of which no delivery is left, if they ever had one; answers with how many. */
  readonly forgetOld: Stored<number>
}

export class EventStore extends Context.Tag("corridor/EventStore")<EventStore, Store>() {}
