/** A delivery that nobody tries any more, until a person sends it on its way again. */
import { Schema } from "effect"
import type { WebhookId } from "../../domain/Identifiers.ts"
import { StoredDelivery } from "../Webhook.ts"

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
export interface Selection {
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
