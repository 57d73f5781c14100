/** Rows of webhook endpoints, events, deliveries and attempts. */
import { Schema } from "effect"
import { OrgId, PaymentId, WebhookId } from "../domain/Ids.ts"

export const Webhook = Schema.Struct({
  webhook_id: WebhookId,
  org_id: OrgId,
  endpoint_url: Schema.String,
  events: Schema.Array(Schema.String),
  status: Schema.Literal("active", "disabled"),
  disabled_reason: Schema.NullOr(Schema.String),
  created_at: Schema.DateFromSelf,
  updated_at: Schema.DateFromSelf
})
export type Webhook = typeof Webhook.Type

/** Encrypted with the context of `secretContext`. */
const EncryptedSecrets = Schema.Struct({
  secret_sealed: Schema.String,
  /** The secret before the last rotation, valid until `previous_secret_until`. */
  previous_secret_sealed: Schema.NullOr(Schema.String),
  previous_secret_until: Schema.NullOr(Schema.DateFromSelf)
})

export interface StoredWebhook extends Webhook, Schema.Schema.Type<typeof EncryptedSecrets> {
  /** Time of the first failure since the last success. */
  readonly failing_since: Date | null
}

const StoredEvent = Schema.Struct({
  event_id: Schema.String,
  org_id: OrgId,
  event_type: Schema.String,
  payment_id: Schema.NullOr(PaymentId),
  /** The exact body of every delivery. */
  payload: Schema.String,
  created_at: Schema.DateFromSelf
})
export type StoredEvent = typeof StoredEvent.Type

export const WebhookEvent = Schema.Struct({
  ...StoredEvent.fields,
  /** Test events go to every active endpoint, whatever its filter. */
  test: Schema.Boolean,
  /** Trace of the request that caused the event, if it was traced. */
  traceparent: Schema.optionalWith(Schema.String, { exact: true })
})
export type WebhookEvent = typeof WebhookEvent.Type

export const deliveryStatuses = ["pending", "delivered", "dead"] as const
const DeliveryStatus = Schema.Literal(...deliveryStatuses)
export type DeliveryStatus = typeof DeliveryStatus.Type

export const StoredDelivery = Schema.Struct({
  delivery_id: Schema.String,
  org_id: OrgId,
  webhook_id: WebhookId,
  event_id: Schema.String,
  event_type: Schema.String,
  status: DeliveryStatus,
  attempts: Schema.Number,
  last_status_code: Schema.NullOr(Schema.Number),
  last_error: Schema.NullOr(Schema.String),
  created_at: Schema.DateFromSelf,
  updated_at: Schema.DateFromSelf
})
export type StoredDelivery = typeof StoredDelivery.Type

/** A pending delivery. The row is deleted when the delivery is delivered or dead. */
export interface QueuedDelivery {
  readonly delivery_id: string
  readonly org_id: OrgId
  readonly webhook_id: WebhookId
  /** Attempts since it was queued. */
  readonly attempt: number
  readonly next_at: Date
  readonly lease_token: string | null
}

/** Header values of an attempt that the event does not determine; all null if nothing was sent. */
const KeptHeaders = Schema.Struct({
  /** To the second. */
  signed_at: Schema.NullOr(Schema.DateFromSelf),
  /** Hex: the service's signature, then one of Standard Webhooks for each secret. */
  signatures: Schema.NullOr(Schema.String),
  traceparent: Schema.NullOr(Schema.String)
})
export type KeptHeaders = typeof KeptHeaders.Type

export const noHeaders: KeptHeaders = { signed_at: null, signatures: null, traceparent: null }

const Answer = Schema.Struct({
  ...KeptHeaders.fields,
  status_code: Schema.NullOr(Schema.Number),
  error: Schema.NullOr(Schema.String),
  /** Beginning of the response body. */
  answer: Schema.NullOr(Schema.String),
  latency_ms: Schema.Number
})
export type Answer = typeof Answer.Type

export const StoredAttempt = Schema.Struct({
  ...Answer.fields,
  delivery_id: Schema.String,
  attempt: Schema.Number,
  at: Schema.DateFromSelf
})
export type StoredAttempt = typeof StoredAttempt.Type
