/** Builds the headers of a delivery, with its signatures. */
import { serviceSignature, standardSignature } from "../../domain/Digest.ts"
import type { KeptHeaders } from "../Webhook.ts"
import type { ClaimedDelivery } from "./DeliveryQueueStore.ts"
import { Effect } from "effect"
import type { WebhookId } from "../../domain/Ids.ts"
import { webhookSecretsKept } from "../../domain/policies/WebhookPolicies.ts"
import { setBounded } from "../../domain/BoundedMap.ts"
import type { VaultError, VaultService } from "../../platform/secrets/Vault.ts"
import { secretContext } from "../WebhookSecrets.ts"

type Headers = Readonly<Record<string, string>>

type Sent = Pick<ClaimedDelivery, "attempt" | "event_id" | "event_type" | "test">

/** The current secret, and the previous one during the overlap of a rotation. */
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

export const deliveryHeaders = (
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
    // Holds one signature only: the previous secret's until its overlap ends.
    service: serviceSignature(previous ?? current, payload),
    standard: standardSignature(secrets, { id: event_id, timestamp, body: payload }),
    traceparent
  })
}

const SIGNATURE_DIGITS = 64
const VERSION = "v1,"

const toHex = (signature: string): string => Buffer.from(signature.slice(VERSION.length), "base64").toString("hex")

const fromHex = (digits: string): string => `${VERSION}${Buffer.from(digits, "hex").toString("base64")}`

/** Values to store, from which `shownHeaders` rebuilds the headers. */
export const headersToKeep = (headers: Headers): KeptHeaders => ({
  signed_at: new Date(Number(headers["webhook-timestamp"]) * 1000),
  signatures: `${headers["x-service-signature"]}${headers["webhook-signature"]?.split(" ").map(toHex).join("")}`,
  traceparent: headers["traceparent"] ?? null
})

/** Null if none were stored. */
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

type Sealed = Pick<ClaimedDelivery, "previous_secret_sealed" | "secret_sealed" | "webhook_id">

/** Includes the endpoint: a secret decrypts for one endpoint only, also from the cache. */
const cacheKey = (sealed: string, webhookId: WebhookId): string => `${webhookId} ${sealed}`

/** Caches decrypted signing secrets, since an endpoint's deliveries use the same one. */
export class SigningKeys {
  private readonly decrypted = new Map<string, string>()
  private readonly vault: VaultService

  constructor(vault: VaultService) {
    this.vault = vault
  }

  of({ previous_secret_sealed, secret_sealed, webhook_id }: Sealed): Effect.Effect<SigningSecrets, VaultError> {
    return Effect.all({
      current: this.decrypt(secret_sealed, webhook_id),
      previous:
        previous_secret_sealed === null ? Effect.succeed(null) : this.decrypt(previous_secret_sealed, webhook_id)
    })
  }

  private decrypt(sealed: string, webhookId: WebhookId): Effect.Effect<string, VaultError> {
    const key = cacheKey(sealed, webhookId)
    const cached = this.decrypted.get(key)
    if (cached !== undefined) return Effect.succeed(cached)
    return Effect.map(this.vault.decrypt(sealed, secretContext(webhookId)), (secret) => {
      setBounded(this.decrypted, webhookSecretsKept, key, secret)
      return secret
    })
  }
}
