/** Results in the memory stores. */
import type { webhookTables } from "../MemoryTables.ts"
import type { MemoryDatabase, Opened } from "../../platform/database/MemoryDatabase.ts"
import { Clock, Duration, Effect } from "effect"
import type { WebhookId } from "../../domain/Identifiers.ts"
import { webhookGivesUpAfter } from "../../domain/policies/Webhooks.ts"
import type { StoredWebhook } from "../Webhook.ts"
import { buriedError, type GivenUp, givenUpReason, type Result } from "./Delivery.ts"
import type { Settling } from "./QueueStore.ts"

export const settlingMemory = (
  tables: Opened<typeof webhookTables> & Pick<MemoryDatabase["Type"], "atomically">
): Settling => {
  const { atomically, webhookAttempts, webhookDeliveries, webhookQueue, webhooks } = tables

  const waitingFor = (webhookId: WebhookId) =>
    Array.from(webhookQueue.values()).filter((row) => row.webhook_id === webhookId)

  const isHeld = ({ delivery_id, lease_token }: Pick<Result, "delivery_id" | "lease_token">) =>
    webhookQueue.get(delivery_id)?.lease_token === lease_token

  const settle = (result: Result, now: number): void => {
    const row = webhookQueue.get(result.delivery_id)
    const delivery = webhookDeliveries.get(result.delivery_id)
    if (row === undefined || delivery === undefined) return
    const { delivery_id, error, latency_ms, status_code, verdict } = result
    const retry = verdict === "retry"
    if (retry) webhookQueue.set(delivery_id, { ...row, lease_token: null, next_at: new Date(now + result.delay_ms) })
    else webhookQueue.delete(delivery_id)
    const at = new Date(now - latency_ms)
    const { answer, signatures, signed_at, traceparent } = result
    const said = { status_code, error, answer, latency_ms, signed_at, signatures, traceparent }
    const attempt = { delivery_id, attempt: row.attempt, at, ...said }
    webhookAttempts.set(`${delivery_id} ${delivery.attempts}`, attempt)
    webhookDeliveries.set(delivery_id, {
      ...delivery,
      status: retry ? "pending" : verdict,
      attempts: delivery.attempts + 1,
      last_status_code: status_code,
      last_error: error,
      updated_at: new Date(now)
    })
  }

  /** The deliveries of a batch count, dead or not; the others die untried. */
  const giveUp = (webhook: StoredWebhook, tried: ReadonlySet<string>, now: number): GivenUp => {
    const { org_id, webhook_id } = webhook
    webhooks.set(webhook_id, {
      ...webhook,
      status: "disabled",
      disabled_reason: givenUpReason,
      updated_at: new Date(now)
    })
    const waiting = waitingFor(webhook_id)
    for (const { delivery_id } of waiting) {
      webhookQueue.delete(delivery_id)
      const delivery = webhookDeliveries.get(delivery_id)
      if (delivery === undefined) continue
      const last_error = delivery.last_error ?? buriedError
      webhookDeliveries.set(delivery_id, { ...delivery, status: "dead", last_error, updated_at: new Date(now) })
    }
    const died = Array.from(tried).filter((id) => {
      const delivery = webhookDeliveries.get(id)
      return delivery?.webhook_id === webhook_id && delivery.status === "dead"
    })
    return { webhook_id, org_id, waiting: new Set([...died, ...waiting.map((row) => row.delivery_id)]).size }
  }

  const judge = (webhookId: WebhookId, held: ReadonlyArray<Result>, now: number): ReadonlyArray<GivenUp> => {
    const webhook = webhooks.get(webhookId)
    if (webhook === undefined) return []
    const mine = held.filter(({ delivery_id }) => webhookDeliveries.get(delivery_id)?.webhook_id === webhookId)
    if (mine.some(({ verdict }) => verdict === "delivered")) {
      webhooks.set(webhookId, { ...webhook, failing_since: null })
      return []
    }
    if (webhook.failing_since === null) {
      webhooks.set(webhookId, { ...webhook, failing_since: new Date(now) })
      return []
    }
    const tooLong = now - webhook.failing_since.getTime() >= Duration.toMillis(webhookGivesUpAfter)
    const tried = new Set(mine.map(({ delivery_id }) => delivery_id))
    return tooLong && webhook.status === "active" ? [giveUp(webhook, tried, now)] : []
  }

  return {
    finish: (results) =>
      atomically(
        Effect.map(Clock.currentTimeMillis, (now) => {
          const held = results.filter(isHeld)
          for (const result of held) settle(result, now)
          const endpoints = new Set(
            held.flatMap(({ delivery_id }) => webhookDeliveries.get(delivery_id)?.webhook_id ?? [])
          )
          return {
            dead: held.flatMap(({ delivery_id, verdict }) => (verdict === "dead" ? [delivery_id] : [])),
            givenUp: Array.from(endpoints).flatMap((id) => judge(id, held, now))
          }
        })
      ),
    release: (held) =>
      atomically(
        Effect.map(Clock.currentTimeMillis, (now) => {
          for (const { delivery_id } of held.filter(isHeld)) {
            const row = webhookQueue.get(delivery_id)
            if (row === undefined) continue
            webhookQueue.set(delivery_id, {
              ...row,
              attempt: row.attempt - 1,
              lease_token: null,
              next_at: new Date(now)
            })
          }
        })
      )
  }
}
