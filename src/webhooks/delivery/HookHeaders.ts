/** The headers of a delivery: what it is, which attempt, and the signatures that prove where it comes from. */
import { serviceSignature, standardSignature } from "../../domain/WebhookSignature.ts"
import type { KeptHeaders } from "../Webhook.ts"
import type { ClaimedDelivery } from "./Delivery.ts"

type Headers = Readonly<Record<string, string>>

/** What all headers but the signatures are about. */
type Sent = Pick<ClaimedDelivery, "attempt" | "event_id" | "event_type" | "test">

/** The secret in force, and the one before it for as long as a receiver may still have that. */
export interface SigningSecrets {
  readonly current: string
  readonly previous: string | null
}

interface Signed {
  readonly timestamp: string
  readonly service: string
  readonly standard: string
  readonly traceparent: string | undefined
}

const headersOf = (
  { attempt, event_id, event_type, test }: Sent,
  { service, standard, timestamp, traceparent }: Signed
): Headers => ({
  "content-type": "application/json",
  "user-agent": "Corridor-Webhooks/1.0",
  "x-service-signature": service,
  "x-service-event-id": event_id,
  "x-service-event-type": event_type,
  "x-service-attempt": String(attempt),
  ...(test ? { "x-service-test": "true" } : {}),
  ...(traceparent === undefined ? {} : { traceparent }),
  "webhook-id": event_id,
  "webhook-timestamp": timestamp,
  "webhook-signature": standard
})

export const hookHeaders = (
  delivery: Sent & Pick<ClaimedDelivery, "payload">,
  { current, previous }: SigningSecrets,
  nowMillis: number,
  traceparent?: string
): Headers => {
  const { event_id, payload } = delivery
  const timestamp = String(Math.floor(nowMillis / 1000))
  const secrets = previous === null ? [current] : [current, previous]
  return headersOf(delivery, {
    timestamp,
    // A single value cannot serve both secrets: receivers have until the end of the old one to change over.
    service: serviceSignature(previous ?? current, payload),
    standard: standardSignature(secrets, { id: event_id, timestamp, body: payload }),
    traceparent
  })
}

const SIGNATURE_DIGITS = 64
const VERSION = "v1,"

const toHex = (signature: string): string => Buffer.from(signature.slice(VERSION.length), "base64").toString("hex")

const fromHex = (digits: string): string => `${VERSION}${Buffer.from(digits, "hex").toString("base64")}`

/** What it takes to tell these headers again: the event says the rest. */
export const keptOf = (headers: Headers): KeptHeaders => ({
  signed_at: new Date(Number(headers["webhook-timestamp"]) * 1000),
  signatures: `${headers["x-service-signature"]}${headers["webhook-signature"]?.split(" ").map(toHex).join("")}`,
  traceparent: headers["traceparent"] ?? null
})

/** null where none were made, or none were kept. */
export const shownHeaders = (sent: Sent, { signatures, signed_at, traceparent }: KeptHeaders): Headers | null => {
  if (signatures === null || signed_at === null) return null
  const [service = "", ...standard] = signatures.match(new RegExp(`.{${SIGNATURE_DIGITS}}`, "g")) ?? []
  return headersOf(sent, {
    timestamp: String(signed_at.getTime() / 1000),
    service,
    standard: standard.map(fromHex).join(" "),
    traceparent: traceparent ?? undefined
  })
}
