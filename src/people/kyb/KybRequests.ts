/**
 * Tells the KYB provider about applications (`KYB_PROVIDER=webhook`), signed as its callbacks are. The row of an
 * application is the outbox: written with the application, sent until the provider answers with 2xx.
 */
import { Array as Arr, Context, Duration, Effect, Layer, Option, Redacted } from "effect"
import { serviceSignature } from "../../domain/Digest.ts"
import { kybRequestBatch } from "../../domain/policies/PeoplePolicies.ts"
import { nthDelay } from "../../domain/policies/Schedules.ts"
import { webhookLeaseMargin, webhookRetry } from "../../domain/policies/WebhookPolicies.ts"
import { Settings } from "../../platform/config/Settings.ts"
import { WorkQueues, workThrough } from "../../platform/database/WorkQueues.ts"
import { alertOperator } from "../../platform/observability/OperatorAlert.ts"
import { WebhookClient } from "../../webhooks/delivery/WebhookClient.ts"
import { makeKybDocuments } from "./Kyb.ts"
import { type DueKybRequest, KybStore } from "./KybStore.ts"

const make = Effect.gen(function* () {
  const store = yield* KybStore
  const client = yield* WebhookClient
  const { announce } = yield* WorkQueues
  const documents = yield* makeKybDocuments
  const { kybProvider, kybRequestUrl, kybWebhookSecret, publicUrl, webhookRetryDelays, webhookTimeout } =
    yield* Settings
  const lease = Duration.sum(webhookTimeout, webhookLeaseMargin)
  const target =
    kybProvider === "webhook" ? Option.all({ url: kybRequestUrl, secret: kybWebhookSecret }) : Option.none()

  const bodyOf = Effect.fnUntraced(function* (customerId: string) {
    const application = yield* store.find(customerId)
    if (Option.isNone(application)) return Option.none<string>()
    const { country, created_at, email, name, org_id } = application.value
    const request = {
      customer_id: customerId,
      organization: { org_id, name, country, email },
      documents: yield* documents.decrypt(application.value),
      callback_url: `${publicUrl}/v1/organizations/webhook/kyb`,
      requested_at: created_at.toISOString()
    }
    return Option.some(JSON.stringify(request))
  })

  /** After the last delay, every further attempt follows at that distance: the application waits for it. */
  const delayAfter = (attempts: number) =>
    Effect.map(
      nthDelay(webhookRetry(webhookRetryDelays), attempts),
      Option.getOrElse(() => Arr.lastNonEmpty(webhookRetryDelays))
    )

  const failed = Effect.fnUntraced(function* ({ attempts, customer_id, org_id }: DueKybRequest, message: string) {
    const delay = yield* delayAfter(attempts)
    yield* store.requestFailed(customer_id, message, delay)
    yield* announce("kyb_requests", Duration.toMillis(delay))
    if (attempts === webhookRetryDelays.length + 1) {
      const text = `A KYB application was not delivered to KYB_REQUEST_URL in ${attempts} attempts: ${message}.`
      yield* alertOperator("kyb_request_failed", text, { org_id })
    }
  })

  const send = (to: { readonly url: Redacted.Redacted; readonly secret: Redacted.Redacted }) =>
    Effect.fnUntraced(function* (due: DueKybRequest) {
      const body = yield* bodyOf(due.customer_id)
      if (Option.isNone(body)) return
      const signature = serviceSignature(Redacted.value(to.secret), body.value)
      const headers = { "content-type": "application/json", "x-kyb-signature": signature }
      const answer = yield* Effect.either(client.post({ url: Redacted.value(to.url), headers, body: body.value }))
      if (answer._tag === "Left")
        return yield* failed(due, answer.left.message.replace(/^endpoint_url/, "KYB_REQUEST_URL"))
      const { status } = answer.right
      if (status < 200 || status > 299) return yield* failed(due, `it answered with ${status}`)
      yield* store.requestSent(due.customer_id)
    })

  const sendDue = Option.match(target, {
    onNone: () => Effect.succeed(0),
    onSome: (to) =>
      Effect.gen(function* () {
        const due = yield* store.claimRequests(kybRequestBatch, lease)
        yield* Effect.forEach(due, send(to), { concurrency: "unbounded", discard: true })
        return due.length
      })
  })

  return {
    /** Sends what is due, once. */
    sendDue,
    worker: Option.isNone(target)
      ? Effect.never
      : workThrough(
          "kyb_requests",
          Effect.map(sendDue, (sent) => ({ foundAny: sent > 0 }))
        )
  }
})

export class KybRequests extends Context.Tag("corridor/KybRequests")<
  KybRequests,
  Effect.Effect.Success<typeof make>
>() {
  static readonly layer = Layer.effect(KybRequests, make)
}
