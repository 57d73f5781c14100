/** A delivery that nobody tries any more, until a person sends it on its way again. */
import type { StoredDelivery } from "../Webhook.ts"

export interface DeadLetter extends StoredDelivery {
  readonly endpoint_url: string
}

/** Which dead letters; all of them where nothing is said. */
export interface Selection {
  readonly delivery_id?: string | undefined
  readonly webhook_id?: string | undefined
  /** When the event was written, this time included. */
  readonly since?: Date | undefined
}

export interface Replayed {
  readonly replayed: number
  /** Left where they are, because their endpoint is disabled. */
  readonly disabled: number
}
