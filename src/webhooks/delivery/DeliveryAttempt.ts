/** Makes one attempt at a delivery: sign, send, classify. Every response other than 2xx is a failure. */
import { Clock, Context, DefaultServices, Duration, Effect, Option } from "effect"
import { type Delays, nthDelay } from "../../domain/policies/Schedules.ts"
import { webhookRetry, webhookSecretsKept } from "../../domain/policies/WebhookPolicies.ts"
import { asRun, collectsSpans, currentTraceparent } from "../../platform/observability/Spans.ts"
import { redactText } from "../../platform/observability/Redaction.ts"
import type { VaultError, VaultService } from "../../platform/secrets/Vault.ts"
import type { ClaimedDelivery, AttemptResult } from "./DeliveryQueueStore.ts"
import { type Answer, noHeaders, type KeptHeaders } from "../Webhook.ts"
import type { WebhookClient, NotAnswered, WebhookResponse } from "./WebhookClient.ts"
import { serviceSignature, standardSignature } from "../../domain/Digest.ts"
import type { WebhookId } from "../../domain/Ids.ts"
import { setBounded } from "../../domain/BoundedMap.ts"
import { secretContext } from "../WebhookSecrets.ts"

type Headers = Readonly<Record<string, string>>

type Sent = Pick<ClaimedDelivery, "attempt" | "event_id" | "event_type" | "test">

/** The current secret, and the previous one during the overlap of a rotation. */
interface SigningSecrets {
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

/** Headers of a delivery, with its signatures. */
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

type EncryptedSecrets = Pick<ClaimedDelivery, "previous_secret_sealed" | "secret_sealed" | "webhook_id">

/** Caches decrypted signing secrets, since an endpoint's deliveries use the same one. */
export class SigningKeys {
  private readonly decrypted = new Map<string, string>()
  private readonly vault: VaultService

  constructor(vault: VaultService) {
    this.vault = vault
  }

  of({
    previous_secret_sealed,
    secret_sealed,
    webhook_id
  }: EncryptedSecrets): Effect.Effect<SigningSecrets, VaultError> {
    return Effect.all({
      current: this.decrypt(secret_sealed, webhook_id),
      previous:
        previous_secret_sealed === null ? Effect.succeed(null) : this.decrypt(previous_secret_sealed, webhook_id)
    })
  }

  private decrypt(sealed: string, webhookId: WebhookId): Effect.Effect<string, VaultError> {
    // Includes the endpoint: a secret decrypts for one endpoint only, also from the cache.
    const key = `${webhookId} ${sealed}`
    const cached = this.decrypted.get(key)
    if (cached !== undefined) return Effect.succeed(cached)
    return Effect.map(this.vault.decrypt(sealed, secretContext(webhookId)), (secret) => {
      setBounded(this.decrypted, webhookSecretsKept, key, secret)
      return secret
    })
  }
}

const KEPT_CHARACTERS = 500

/** Redacts more text than it keeps, so that a secret at the end of the excerpt is recognised. */
const READ_CHARACTERS = 4 * KEPT_CHARACTERS

/** Without NUL, which PostgreSQL refuses, and without halves of characters. */
const excerpt = (text: string): string =>
  Array.from(redactText(text.slice(0, READ_CHARACTERS)).replaceAll("\0", ""))
    .slice(0, KEPT_CHARACTERS)
    .join("")
    .replace(/\p{Surrogate}/gu, "\ufffd")

const errorOf = (status: number): string | null => {
  if (status >= 200 && status < 300) return null
  return status >= 300 && status < 400
    ? `answered with status ${status}; redirects are not followed`
    : `answered with status ${status}`
}

type Outcome = Omit<Answer, "latency_ms">
type Response = Pick<Answer, "status_code" | "error" | "answer">

const answered = ({ status, text }: WebhookResponse): Response => ({
  status_code: status,
  error: errorOf(status),
  answer: text === "" ? null : excerpt(text)
})

const failed = (error: string): Response => ({
  status_code: null,
  error: excerpt(error),
  answer: null
})

interface AttemptContext {
  readonly client: WebhookClient["Type"]
  readonly keys: SigningKeys
  readonly retryDelays: Delays
}

const notSent = (error: string): Outcome => ({ ...failed(error), ...noHeaders })

const undecryptable = ({ message }: VaultError) =>
  Effect.as(
    Effect.logError(`The secret of a webhook endpoint cannot be decrypted: ${message}`),
    notSent("the signing secret cannot be decrypted")
  )

const send = ({ client }: AttemptContext, delivery: ClaimedDelivery, secrets: SigningSecrets, span?: string) =>
  Effect.clockWith((clock) => {
    const traceparent = span ?? delivery.traceparent ?? undefined
    const headers = deliveryHeaders(delivery, secrets, clock.unsafeCurrentTimeMillis(), traceparent)
    const request = { url: delivery.endpoint_url, headers, body: delivery.payload }
    return Effect.match(client.post(request), {
      onFailure: ({ message }: NotAnswered): Outcome => ({ ...failed(message), ...headersToKeep(headers) }),
      onSuccess: (answer): Outcome => ({ ...answered(answer), ...headersToKeep(headers) })
    })
  })

/** Without a span: most deliveries are not traced. */
const sendUntraced = (context: AttemptContext, delivery: ClaimedDelivery): Effect.Effect<Outcome> =>
  Effect.matchEffect(context.keys.of(delivery), {
    onFailure: undecryptable,
    onSuccess: (secrets) => send(context, delivery, secrets)
  })

const sendTraced = (context: AttemptContext, delivery: ClaimedDelivery): Effect.Effect<Outcome> =>
  Effect.matchEffect(context.keys.of(delivery), {
    onFailure: undecryptable,
    onSuccess: (secrets) =>
      Effect.flatMap(currentTraceparent, (span) => send(context, delivery, secrets, span)).pipe(
        Effect.tap(({ status_code }) => Effect.annotateCurrentSpan("http.response.status_code", status_code))
      )
  }).pipe(asRun(runOf(delivery)))

/** Continues the trace of the request that caused the event. */
const runOf = ({
  attempt: nth,
  delivery_id,
  event_id,
  event_type,
  org_id,
  traceparent,
  webhook_id
}: ClaimedDelivery) => ({
  name: "Webhook delivery",
  traceparent,
  continues: true,
  kind: "client" as const,
  attributes: {
    "corridor.org_id": org_id,
    "corridor.webhook_id": webhook_id,
    "corridor.delivery_id": delivery_id,
    "corridor.event_id": event_id,
    "corridor.event_type": event_type,
    attempt: nth
  }
})

const resultOf = (
  { attempt: nth, delivery_id, lease_token }: ClaimedDelivery,
  outcome: Outcome,
  latency_ms: number,
  retryDelays: Delays
): Effect.Effect<AttemptResult> => {
  const { error } = outcome
  const answer = { delivery_id, lease_token, ...outcome, latency_ms }
  if (error === null) return Effect.succeed({ ...answer, outcome: "delivered" })
  return Effect.map(
    nthDelay(webhookRetry(retryDelays), nth),
    Option.match({
      onNone: (): AttemptResult => ({ ...answer, outcome: "dead" }),
      onSome: (wait): AttemptResult => ({ ...answer, outcome: "retry", delay_ms: Math.round(Duration.toMillis(wait)) })
    })
  )
}

const nanosPerMilli = 1_000_000

export const attemptDelivery = (context: AttemptContext, delivery: ClaimedDelivery): Effect.Effect<AttemptResult> =>
  Effect.withFiberRuntime((fiber) => {
    const { retryDelays } = context
    // Attempts that were lost with their worker count too: none is made beyond the last.
    if (delivery.attempt > retryDelays.length + 1) {
      return resultOf(delivery, notSent("no attempt was completed"), 0, retryDelays)
    }
    const clock = Context.get(fiber.getFiberRef(DefaultServices.currentServices), Clock.Clock)
    const began = clock.unsafeCurrentTimeNanos()
    const sending = fiber.getFiberRef(collectsSpans) ? sendTraced(context, delivery) : sendUntraced(context, delivery)
    return Effect.flatMap(sending, (outcome) => {
      const taken = Number(clock.unsafeCurrentTimeNanos() - began) / nanosPerMilli
      return resultOf(delivery, outcome, Math.round(taken), retryDelays)
    })
  })
