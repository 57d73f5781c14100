/** The headers of a delivery: what it is, which attempt, and the signatures that prove where it comes from. */
import { serviceSignature, standardSignature } from "../../domain/WebhookSignature.ts"
import type { ClaimedDelivery } from "./Delivery.ts"

/** The secret in force, and the one before it for as long as a receiver may still have that. */
export interface SigningSecrets {
  readonly current: string
  readonly previous: string | null
}

export const hookHeaders = (
  delivery: Pick<ClaimedDelivery, "attempt" | "event_id" | "event_type" | "payload" | "test">,
  { current, previous }: SigningSecrets,
  nowMillis: number,
  traceparent?: string
): Readonly<Record<string, string>> => {
  const { attempt, event_id, event_type, payload, test } = delivery
  const timestamp = String(Math.floor(nowMillis / 1000))
  const secrets = previous === null ? [current] : [current, previous]
  return {
    "content-type": "application/json",
    "user-agent": "Corridor-Webhooks/1.0",
    // A single value cannot serve both secrets: receivers have until the end of the old one to change over.
    "x-service-signature": serviceSignature(previous ?? current, payload),
    "x-service-event-id": event_id,
    "x-service-event-type": event_type,
    "x-service-attempt": String(attempt),
    ...(test ? { "x-service-test": "true" } : {}),
    ...(traceparent === undefined ? {} : { traceparent }),
    "webhook-id": event_id,
    "webhook-timestamp": timestamp,
    "webhook-signature": standardSignature(secrets, { id: event_id, timestamp, body: payload })
  }
}
