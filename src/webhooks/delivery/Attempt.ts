/** One attempt at a delivery: signed, sent, and judged. Whatever is not an answer with 2xx has failed. */
import { Clock, Duration, Effect, Option } from "effect"
import { type Delays, nthDelay } from "../../domain/policies/Schedules.ts"
import { webhookRetry } from "../../domain/policies/Webhooks.ts"
import { asRun } from "../../platform/observability/Spans.ts"
import { currentTraceparent } from "../../platform/observability/TraceContext.ts"
import { redactText } from "../../platform/observability/Redaction.ts"
import type { VaultService } from "../../platform/secrets/Vault.ts"
import { secretContext } from "../Secret.ts"
import type { ClaimedDelivery, Result } from "./Delivery.ts"
import type { Answer } from "../Webhook.ts"
import type { HookClient, NotAnswered } from "./HookClient.ts"
import type { HookAnswer } from "./HookExchange.ts"
import { hookHeaders } from "./HookHeaders.ts"

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

const answered = ({ status, text }: HookAnswer): Omit<Answer, "latency_ms"> => ({
  status_code: status,
  error: refusalOf(status),
  answer: text === "" ? null : excerpt(text)
})

const failed = (error: string): Omit<Answer, "latency_ms"> => ({
  status_code: null,
  error: excerpt(error),
  answer: null
})

/** What it takes to make one. */
export interface Means {
  readonly client: HookClient["Type"]
  readonly vault: VaultService
  readonly retryDelays: Delays
}

const secretsOf = Effect.fnUntraced(function* (vault: VaultService, delivery: ClaimedDelivery) {
  const context = secretContext(delivery.webhook_id)
  const current = yield* vault.decrypt(delivery.secret_sealed, context)
  const sealed = delivery.previous_secret_sealed
  return { current, previous: sealed === null ? null : yield* vault.decrypt(sealed, context) }
})

const send = Effect.fnUntraced(
  function* ({ client, vault }: Means, delivery: ClaimedDelivery) {
    const secrets = yield* secretsOf(vault, delivery)
    const traceparent = (yield* currentTraceparent) ?? delivery.traceparent ?? undefined
    const headers = hookHeaders(delivery, secrets, yield* Clock.currentTimeMillis, traceparent)
    const answer = answered(yield* client.post({ url: delivery.endpoint_url, headers, body: delivery.payload }))
    yield* Effect.annotateCurrentSpan("http.response.status_code", answer.status_code)
    return answer
  },
  Effect.catchTags({
    NotAnswered: ({ message }: NotAnswered) => Effect.succeed(failed(message)),
    VaultError: ({ message }) =>
      Effect.as(
        Effect.logError(`The secret of a webhook endpoint cannot be opened: ${message}`),
        failed("its signing secret cannot be opened")
      )
  })
)

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

const judged = Effect.fnUntraced(function* (
  { attempt: nth, delivery_id, lease_token }: ClaimedDelivery,
  answer: Answer,
  retryDelays: Delays
) {
  const told = { delivery_id, lease_token, ...answer }
  if (answer.error === null) return { ...told, verdict: "delivered" } satisfies Result
  const delay = yield* nthDelay(webhookRetry(retryDelays), nth)
  return Option.match(delay, {
    onNone: (): Result => ({ ...told, verdict: "dead" }),
    onSome: (wait): Result => ({ ...told, verdict: "retry", delay_ms: Math.round(Duration.toMillis(wait)) })
  })
})

export const attempt = Effect.fnUntraced(function* (means: Means, delivery: ClaimedDelivery) {
  const { retryDelays } = means
  // Attempts that ended with their worker were counted too: the one after the last is not made.
  if (delivery.attempt > retryDelays.length + 1) {
    return yield* judged(delivery, { ...failed("no attempt came to its end"), latency_ms: 0 }, retryDelays)
  }
  const [taken, answer] = yield* Effect.timed(asRun(runOf(delivery))(send(means, delivery)))
  return yield* judged(delivery, { ...answer, latency_ms: Math.round(Duration.toMillis(taken)) }, retryDelays)
})
