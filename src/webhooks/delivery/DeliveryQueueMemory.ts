/** The delivery queue in memory. */
import { Effect, Layer, Array as Arr, Clock, Order, Random, Duration } from "effect"
import { openTables, type MemoryDatabase, type Opened } from "../../platform/database/MemoryDatabase.ts"
import { webhookTables } from "../EventMemory.ts"
import {
  DeliveryQueueStore,
  type ClaimedDelivery,
  type ClaimOptions,
  type OrganizationQuota,
  type Claiming,
  neverSentError,
  type DisabledEndpoint,
  disabledReason,
  type AttemptResult,
  type Finishing
} from "./DeliveryQueueStore.ts"
import { type OrgId, type WebhookId, nilUuid, uuidv7 } from "../../domain/Ids.ts"
import {
  webhookEndpointConcurrency,
  webhookEndpointWalk,
  webhookWalk,
  webhookGivesUpAfter
} from "../../domain/policies/WebhookPolicies.ts"
import type { QueuedDelivery, StoredWebhook } from "../Webhook.ts"

const soonest = Order.mapInput(Order.Date, (row: QueuedDelivery) => row.next_at)

const freshToken = (now: number) =>
  Effect.map(Effect.replicateEffect(Random.nextIntBetween(0, 256), 10), (bytes) => uuidv7(now, Uint8Array.from(bytes)))

/** An endpoint with due deliveries, and its free slots. */
interface Open {
  readonly webhook: StoredWebhook
  readonly due: ReadonlyArray<QueuedDelivery>
  readonly own: number
}

const isFailing = ({ webhook }: Open): boolean => webhook.failing_since !== null

/** Gives every endpoint, in random order, an equal part of the quota. */
const spread = (endpoints: ReadonlyArray<Open>, { failingRoom, room }: OrganizationQuota) => {
  const failing = endpoints.filter(isFailing).slice(0, failingRoom)
  const placed = endpoints.filter((one) => !isFailing(one) || failing.includes(one))
  const part = Math.max(1, Math.trunc(room / placed.length))
  return placed.slice(0, room).flatMap((one) => {
    const limit = isFailing(one) ? failingRoom - failing.indexOf(one) * part : part
    const share = Math.max(0, Math.min(one.own, part, limit))
    return one.due.slice(0, share).map((row) => ({ webhook: one.webhook, row }))
  })
}

const claimingMemory = (
  tables: Opened<typeof webhookTables> & Pick<MemoryDatabase["Type"], "atomically">
): Claiming => {
  const { atomically, events, webhookDeliveries, webhookQueue, webhooks } = tables

  const take = Effect.fnUntraced(function* (webhook: StoredWebhook, row: QueuedDelivery, now: number, lease: number) {
    const attempt = row.attempt + 1
    const lease_token = yield* freshToken(now)
    const { delivery_id, org_id, webhook_id } = row
    webhookQueue.set(delivery_id, { ...row, attempt, lease_token, next_at: new Date(now + lease) })
    const event = events.get(webhookDeliveries.get(delivery_id)?.event_id ?? nilUuid)
    if (event === undefined) return yield* Effect.dieMessage(`delivery ${delivery_id} has no event`)
    const { endpoint_url, previous_secret_sealed, previous_secret_until, secret_sealed } = webhook
    const claimed: ClaimedDelivery = {
      delivery_id,
      org_id,
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

  const openOf = (
    [webhookId, waiting]: readonly [string, ReadonlyArray<QueuedDelivery>],
    { inFlight }: ClaimOptions,
    now: number
  ): ReadonlyArray<Open> => {
    const webhook = webhooks.get(webhookId)
    if (webhook?.status !== "active") return []
    const own = webhookEndpointConcurrency - (inFlight.get(webhook.webhook_id) ?? 0)
    if (own <= 0) return []
    const due = waiting.filter((row) => row.next_at.getTime() <= now).toSorted(soonest)
    return due.length > 0 ? [{ webhook, due, own }] : []
  }

  const claimQuota = Effect.fnUntraced(function* (quota: OrganizationQuota, options: ClaimOptions, now: number) {
    const rows = webhookQueue.all(({ org_id, webhook_id }) => org_id === quota.org_id && webhook_id > quota.after)
    const walked = Object.entries(Arr.groupBy(rows, ({ webhook_id }) => webhook_id))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .slice(0, webhookEndpointWalk)
    const drawn = yield* Random.shuffle(walked.flatMap((endpoint) => openOf(endpoint, options, now)))
    const deliveries = yield* Effect.forEach(spread(Array.from(drawn), quota), ({ row, webhook }) =>
      take(webhook, row, now, options.leaseMillis)
    )
    const last = walked.length === webhookEndpointWalk ? walked.at(-1)?.[1][0].webhook_id : undefined
    return { deliveries, next: last === undefined ? [] : [[quota.org_id, last] as const] }
  })

  return {
    due: (after) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const due = new Map<OrgId, boolean>()
        for (const { next_at, org_id } of webhookQueue.values()) {
          due.set(org_id, due.get(org_id) === true || next_at.getTime() <= now)
        }
        const walked = Array.from(due.keys())
          .filter((orgId) => orgId > after)
          .sort()
          .slice(0, webhookWalk)
        return {
          organizations: walked.filter((orgId) => due.get(orgId)),
          next: walked.length === webhookWalk ? (walked.at(-1) ?? null) : null
        }
      }),
    claim: (options) =>
      atomically(
        Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis
          const claims = yield* Effect.forEach(options.quotas, (quota) => claimQuota(quota, options, now))
          return {
            deliveries: claims.flatMap(({ deliveries }) => deliveries),
            next: new Map(claims.flatMap(({ next }) => next))
          }
        })
      )
  }
}

const finishingMemory = (
  tables: Opened<typeof webhookTables> & Pick<MemoryDatabase["Type"], "atomically">
): Finishing => {
  const { atomically, webhookAttempts, webhookDeliveries, webhookQueue, webhooks } = tables

  const isHeld = ({ delivery_id, lease_token }: Pick<AttemptResult, "delivery_id" | "lease_token">) =>
    webhookQueue.get(delivery_id)?.lease_token === lease_token

  const settle = (result: AttemptResult, now: number): void => {
    const row = webhookQueue.get(result.delivery_id)
    const delivery = webhookDeliveries.get(result.delivery_id)
    if (row === undefined || delivery === undefined) return
    const { delivery_id, error, latency_ms, status_code, outcome } = result
    const retry = outcome === "retry"
    if (retry) webhookQueue.set(delivery_id, { ...row, lease_token: null, next_at: new Date(now + result.delay_ms) })
    else webhookQueue.delete(delivery_id)
    const at = new Date(now - latency_ms)
    const { answer, signatures, signed_at, traceparent } = result
    const response = { status_code, error, answer, latency_ms, signed_at, signatures, traceparent }
    const attempt = { delivery_id, attempt: row.attempt, at, ...response }
    webhookAttempts.set(`${delivery_id} ${delivery.attempts}`, attempt)
    webhookDeliveries.set(delivery_id, {
      ...delivery,
      status: retry ? "pending" : outcome,
      attempts: delivery.attempts + 1,
      last_status_code: status_code,
      last_error: error,
      updated_at: new Date(now)
    })
  }

  /** Disables an endpoint; deliveries that wait for it die without an attempt. */
  const disable = (webhook: StoredWebhook, tried: ReadonlySet<string>, now: number): DisabledEndpoint => {
    const { org_id, webhook_id } = webhook
    webhooks.set(webhook_id, {
      ...webhook,
      status: "disabled",
      disabled_reason: disabledReason,
      updated_at: new Date(now)
    })
    const waiting = webhookQueue.all((row) => row.webhook_id === webhook_id)
    for (const { delivery_id } of waiting) {
      webhookQueue.delete(delivery_id)
      const delivery = webhookDeliveries.get(delivery_id)
      if (delivery === undefined) continue
      const last_error = delivery.last_error ?? neverSentError
      webhookDeliveries.set(delivery_id, { ...delivery, status: "dead", last_error, updated_at: new Date(now) })
    }
    const died = Array.from(tried).filter((id) => {
      const delivery = webhookDeliveries.get(id)
      return delivery?.webhook_id === webhook_id && delivery.status === "dead"
    })
    return { webhook_id, org_id, waiting: new Set([...died, ...waiting.map((row) => row.delivery_id)]).size }
  }

  const updateEndpoint = (
    webhookId: WebhookId,
    held: ReadonlyArray<AttemptResult>,
    now: number
  ): ReadonlyArray<DisabledEndpoint> => {
    const webhook = webhooks.get(webhookId)
    if (webhook === undefined) return []
    const mine = held.filter(({ delivery_id }) => webhookDeliveries.get(delivery_id)?.webhook_id === webhookId)
    if (mine.some(({ outcome }) => outcome === "delivered")) {
      webhooks.set(webhookId, { ...webhook, failing_since: null })
      return []
    }
    if (webhook.failing_since === null) {
      webhooks.set(webhookId, { ...webhook, failing_since: new Date(now) })
      return []
    }
    const tooLong = now - webhook.failing_since.getTime() >= Duration.toMillis(webhookGivesUpAfter)
    const tried = new Set(mine.map(({ delivery_id }) => delivery_id))
    return tooLong && webhook.status === "active" ? [disable(webhook, tried, now)] : []
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
            dead: held.flatMap(({ delivery_id, outcome }) => (outcome === "dead" ? [delivery_id] : [])),
            disabled: Array.from(endpoints).flatMap((id) => updateEndpoint(id, held, now))
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

export const deliveryQueueMemory = Layer.effect(
  DeliveryQueueStore,
  Effect.map(openTables(webhookTables), (tables) => ({ ...claimingMemory(tables), ...finishingMemory(tables) }))
)
