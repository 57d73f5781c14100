/** One attempt at a delivery: signed, sent, and judged. Whatever is not an answer with 2xx has failed. */
import { Clock, Context, DefaultServices, Duration, Effect, Option } from "effect"
import { type Delays, nthDelay } from "../../domain/policies/Schedules.ts"
import { webhookRetry } from "../../domain/policies/WebhookPolicies.ts"
import { asRun, collectsSpans, currentTraceparent } from "../../platform/observability/Spans.ts"
import { redactText } from "../../platform/observability/Redaction.ts"
import type { VaultError } from "../../platform/secrets/Vault.ts"
import type { ClaimedDelivery, AttemptResult } from "./DeliveryQueueStore.ts"
import { type Answer, noHeaders } from "../Webhook.ts"
import type { WebhookClient, NotAnswered, WebhookResponse } from "./WebhookClient.ts"
import { deliveryHeaders, headersToKeep, type SigningSecrets, type SigningKeys } from "./SignedHeaders.ts"

const KEPT_CHARACTERS = 500

/** More than is kept, so that a secret at the end of what is kept is still recognised, but no more than that. */
const READ_CHARACTERS = 4 * KEPT_CHARACTERS

/** The database takes no NUL; whole characters only. */
const excerpt = (text: string): string =>
  Array.from(redactText(text.slice(0, READ_CHARACTERS)).replaceAll("\0", ""))
    .slice(0, KEPT_CHARACTERS)
    .join("")
    .replace(/\p{Surrogate}/gu, "\ufffd")

const refusalOf = (status: number): string | null => {
  if (status >= 200 && status < 300) return null
  return status >= 300 && status < 400
    ? `answered with status ${status}; redirects are not followed`
    : `answered with status ${status}`
}

type Outcome = Omit<Answer, "latency_ms">
type Said = Pick<Answer, "status_code" | "error" | "answer">

const answered = ({ status, text }: WebhookResponse): Said => ({
  status_code: status,
  error: refusalOf(status),
  answer: text === "" ? null : excerpt(text)
})

const failed = (error: string): Said => ({
  status_code: null,
  error: excerpt(error),
  answer: null
})

/** What it takes to make one. */
export interface AttemptContext {
  readonly client: WebhookClient["Type"]
  readonly keys: SigningKeys
  readonly retryDelays: Delays
}

const notSent = (error: string): Outcome => ({ ...failed(error), ...noHeaders })

const unopened = ({ message }: VaultError) =>
  Effect.as(
    Effect.logError(`The secret of a webhook endpoint cannot be opened: ${message}`),
    notSent("its signing secret cannot be opened")
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

/** One of very many that nobody traces: as few steps as it takes. */
const sent = (means: AttemptContext, delivery: ClaimedDelivery): Effect.Effect<Outcome> =>
  Effect.matchEffect(means.keys.of(delivery), {
    onFailure: unopened,
    onSuccess: (secrets) => send(means, delivery, secrets)
  })

const sentTraced = (means: AttemptContext, delivery: ClaimedDelivery): Effect.Effect<Outcome> =>
  Effect.matchEffect(means.keys.of(delivery), {
    onFailure: unopened,
    onSuccess: (secrets) =>
      Effect.flatMap(currentTraceparent, (span) => send(means, delivery, secrets, span)).pipe(
        Effect.tap(({ status_code }) => Effect.annotateCurrentSpan("http.response.status_code", status_code))
      )
  }).pipe(asRun(runOf(delivery)))

/** Its receiver goes on with the trace of the request that caused it. */
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

const judged = (
  { attempt: nth, delivery_id, lease_token }: ClaimedDelivery,
  outcome: Outcome,
  latency_ms: number,
  retryDelays: Delays
): Effect.Effect<AttemptResult> => {
  const { error } = outcome
  const told = { delivery_id, lease_token, ...outcome, latency_ms }
  if (error === null) return Effect.succeed({ ...told, verdict: "delivered" })
  return Effect.map(
    nthDelay(webhookRetry(retryDelays), nth),
    Option.match({
      onNone: (): AttemptResult => ({ ...told, verdict: "dead" }),
      onSome: (wait): AttemptResult => ({ ...told, verdict: "retry", delay_ms: Math.round(Duration.toMillis(wait)) })
    })
  )
}

const nanosPerMilli = 1_000_000

export const attemptDelivery = (means: AttemptContext, delivery: ClaimedDelivery): Effect.Effect<AttemptResult> =>
  Effect.withFiberRuntime((fiber) => {
    const { retryDelays } = means
    // Attempts that ended with their worker were counted too: the one after the last is not made.
    if (delivery.attempt > retryDelays.length + 1) {
      return judged(delivery, notSent("no attempt came to its end"), 0, retryDelays)
    }
    const clock = Context.get(fiber.getFiberRef(DefaultServices.currentServices), Clock.Clock)
    const began = clock.unsafeCurrentTimeNanos()
    const sending = fiber.getFiberRef(collectsSpans) ? sentTraced(means, delivery) : sent(means, delivery)
    return Effect.flatMap(sending, (outcome) => {
      const taken = Number(clock.unsafeCurrentTimeNanos() - began) / nanosPerMilli
      return judged(delivery, outcome, Math.round(taken), retryDelays)
    })
  })
