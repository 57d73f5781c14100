/** The queue of the memory stores. */
import { Array as Arr, Clock, Duration, Effect, Order, Random } from "effect"
import type { MemoryTables } from "../../database/MemoryTables.ts"
import { nilUuid, uuidv7 } from "../../domain/Ids.ts"
import { webhookEndpointConcurrency, webhookGivesUpAfter, webhookLanes, webhookWalk } from "../../domain/Policies.ts"
import type { QueuedDelivery, StoredWebhook } from "../Webhook.ts"
import {
  buriedError,
  type ClaimedDelivery,
  type ClaimOptions,
  type GivenUp,
  givenUpReason,
  type Result
} from "./Delivery.ts"
import type { QueueStoreService } from "./QueueStore.ts"

const soonest = Order.mapInput(Order.Date, (row: QueuedDelivery) => row.next_at)

const freshToken = (now: number) =>
  Effect.map(Effect.replicateEffect(Random.nextIntBetween(0, 256), 10), (bytes) => uuidv7(now, Uint8Array.from(bytes)))

interface Lane {
  readonly webhook: StoredWebhook
  readonly due: ReadonlyArray<QueuedDelivery>
}

export const makeQueueMemory = (tables: MemoryTables["Type"]): QueueStoreService => {
  const { atomically, events, webhookAttempts, webhookDeliveries, webhookQueue, webhooks } = tables

  const waitingFor = (webhookId: string) =>
    Array.from(webhookQueue.values())
      .filter((row) => row.webhook_id === webhookId)
      .sort(soonest)

  const walk = (after: string) =>
    Object.entries(Arr.groupBy(webhookQueue.values(), (row) => row.webhook_id))
      .filter(([id]) => id > after)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .slice(0, webhookWalk)

  const laneOf = (
    [webhookId, waiting]: readonly [string, ReadonlyArray<QueuedDelivery>],
    { failingLimit, underWay }: ClaimOptions,
    now: number
  ): ReadonlyArray<Lane> => {
    const webhook = webhooks.get(webhookId)
    if (webhook === undefined || webhook.status !== "active") return []
    if (webhook.failing_since !== null && failingLimit === 0) return []
    const room = webhookEndpointConcurrency - (underWay.get(webhookId) ?? 0)
    const due = waiting.filter((row) => row.next_at.getTime() <= now).toSorted(soonest)
    return [{ webhook, due: due.slice(0, Math.max(0, room)) }]
  }

  const take = Effect.fnUntraced(function* (webhook: StoredWebhook, row: QueuedDelivery, now: number, lease: number) {
    const attempt = row.attempt + 1
    const lease_token = yield* freshToken(now)
    const { delivery_id, webhook_id } = row
    webhookQueue.set(delivery_id, { ...row, attempt, lease_token, next_at: new Date(now + lease) })
    const event = events.get(webhookDeliveries.get(delivery_id)?.event_id ?? nilUuid)
    if (event === undefined) return yield* Effect.dieMessage(`delivery ${delivery_id} has no event`)
    const { endpoint_url, previous_secret_sealed, previous_secret_until, secret_sealed } = webhook
    const claimed: ClaimedDelivery = {
      delivery_id,
      webhook_id,
      event_id: event.event_id,
      event_type: event.event_type,
      test: event.test,
      payload: event.payload,
      endpoint_url,
      secret_sealed,
      previous_secret_sealed: (previous_secret_until?.getTime() ?? 0) > now ? previous_secret_sealed : null,
      failing: webhook.failing_since !== null,
      attempt,
      lease_token
    }
    return claimed
  })

  const claim = Effect.fnUntraced(function* (options: ClaimOptions) {
    const now = yield* Clock.currentTimeMillis
    const walked = walk(options.after)
    const lanes = walked.flatMap((lane) => laneOf(lane, options, now)).filter(({ due }) => due.length > 0)
    const drawn = Array.from(yield* Random.shuffle(lanes)).slice(0, webhookLanes)
    const rows = drawn.flatMap(({ due, webhook }) => due.map((row) => ({ webhook, row })))
    const failing = rows.filter(({ webhook }) => webhook.failing_since !== null).slice(0, options.failingLimit)
    const picked = rows.filter((one) => one.webhook.failing_since === null || failing.includes(one))
    return {
      deliveries: yield* Effect.forEach(picked.slice(0, options.limit), ({ row, webhook }) =>
        take(webhook, row, now, options.leaseMillis)
      ),
      next: walked.length === webhookWalk ? (walked.at(-1)?.[0] ?? null) : null
    }
  })

  const isHeld = ({ delivery_id, lease_token }: Pick<Result, "delivery_id" | "lease_token">) =>
    webhookQueue.get(delivery_id)?.lease_token === lease_token

  const settle = (result: Result, now: number): void => {
    const row = webhookQueue.get(result.delivery_id)
    const delivery = webhookDeliveries.get(result.delivery_id)
    if (row === undefined || delivery === undefined) return
    const { answer, delivery_id, error, latency_ms, status_code, verdict } = result
    const retry = verdict === "retry"
    if (retry) webhookQueue.set(delivery_id, { ...row, lease_token: null, next_at: new Date(now + result.delay_ms) })
    else webhookQueue.delete(delivery_id)
    const at = new Date(now - latency_ms)
    const attempt = { delivery_id, attempt: row.attempt, at, status_code, error, answer, latency_ms }
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

  const judge = (webhookId: string, held: ReadonlyArray<Result>, now: number): ReadonlyArray<GivenUp> => {
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
    claim: (options) => atomically(claim(options)),
    finish: (results) =>
      atomically(
        Effect.map(Clock.currentTimeMillis, (now) => {
          const held = results.filter(isHeld)
          for (const result of held) settle(result, now)
          const endpoints = new Set(
            held.flatMap(({ delivery_id }) => webhookDeliveries.get(delivery_id)?.webhook_id ?? [])
          )
          return Array.from(endpoints).flatMap((id) => judge(id, held, now))
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
