/** What about webhooks waits for a person: endpoints that are disabled, and endpoints with dead letters. */
import { Context, Schema } from "effect"
import { OrgId, WebhookId } from "../domain/Identifiers.ts"
import type { Stored } from "../platform/database/DatabaseFailure.ts"
import { type Scope } from "../platform/database/Query.ts"
import type { Window } from "../platform/database/Window.ts"

const endpoint = {
  item_id: Schema.String,
  org_id: OrgId,
  webhook_id: WebhookId,
  endpoint_url: Schema.String,
  /** How many of the endpoint's deliveries are dead. */
  dead_letters: Schema.Number,
  reason: Schema.NullOr(Schema.String),
  created_at: Schema.DateFromSelf
}

/** One for an endpoint however many died, so that a backlog is in nobody's way; it stands where the oldest of them does. */
const DeadLetters = Schema.Struct({ ...endpoint, kind: Schema.Literal("dead_letter"), delivery_id: Schema.String })

/** Since its last change, with the service's reason; without one its owner did it. */
const Disabled = Schema.Struct({ ...endpoint, kind: Schema.Literal("disabled_endpoint"), delivery_id: Schema.Null })

export const Trouble = Schema.Union(DeadLetters, Disabled)
export type Trouble = typeof Trouble.Type

interface Store {
  readonly list: (scope: Scope, window: Window) => Stored<ReadonlyArray<Trouble>>
}

export class WebhookIssues extends Context.Tag("corridor/WebhookIssues")<WebhookIssues, Store>() {}
