/** Endpoints, events and deliveries as the stores hold them. */

export type WebhookStatus = "active" | "disabled"

export interface Webhook {
  readonly webhook_id: string
  readonly org_id: string
  readonly endpoint_url: string
  readonly events: ReadonlyArray<string>
  readonly status: WebhookStatus
  readonly disabled_reason: string | null
  readonly created_at: Date
  readonly updated_at: Date
}

/** Secrets are sealed for the context that `secretContext` gives. */
export interface SealedSecrets {
  readonly secret_sealed: string
  /** The secret before the last rotation, until its time is over. */
  readonly previous_secret_sealed: string | null
  readonly previous_secret_until: Date | null
}

export interface StoredWebhook extends Webhook, SealedSecrets {
  /** When the first of the failures in a row was that lasts until now. */
  readonly failing_since: Date | null
}

export interface StoredEvent {
  readonly event_id: string
  readonly org_id: string
  readonly event_type: string
  readonly payment_id: string | null
  /** The exact bytes that every delivery sends. */
  readonly payload: string
  readonly created_at: Date
}

export interface WebhookEvent extends StoredEvent {
  /** Goes to every active endpoint, whatever its filter, and says that it is a test. */
  readonly test: boolean
}

export type DeliveryStatus = "pending" | "delivered" | "dead"

export interface StoredDelivery {
  readonly delivery_id: string
  readonly org_id: string
  readonly webhook_id: string
  readonly event_id: string
  readonly event_type: string
  readonly status: DeliveryStatus
  readonly attempts: number
  readonly last_status_code: number | null
  readonly last_error: string | null
  readonly created_at: Date
  readonly updated_at: Date
}

/** A delivery that is left to be sent; its row goes when it is delivered or dead. */
export interface QueuedDelivery {
  readonly delivery_id: string
  readonly org_id: string
  readonly webhook_id: string
  /** How often it was tried since it came into the queue. */
  readonly attempt: number
  readonly next_at: Date
  readonly lease_token: string | null
}

export interface Answer {
  readonly status_code: number | null
  readonly error: string | null
  /** The beginning of what the receiver said. */
  readonly answer: string | null
  readonly latency_ms: number
}

export interface StoredAttempt extends Answer {
  readonly delivery_id: string
  readonly attempt: number
  readonly at: Date
}
