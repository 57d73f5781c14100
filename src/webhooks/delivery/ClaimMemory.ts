/** Claims in the memory stores. */
import type { webhookTables } from "../MemoryTables.ts"
import type { MemoryDatabase, Opened } from "../../platform/database/MemoryDatabase.ts"
import { Array as Arr, Clock, Effect, Order, Random } from "effect"
import type { OrgId } from "../../domain/Identifiers.ts"
import { nilUuid, uuidv7 } from "../../domain/Ids.ts"
import { webhookEndpointConcurrency, webhookEndpointWalk, webhookWalk } from "../../domain/policies/Webhooks.ts"
import type { QueuedDelivery, StoredWebhook } from "../Webhook.ts"
import type { ClaimedDelivery, ClaimOptions, Lane } from "./Delivery.ts"
import type { Claiming } from "./QueueStore.ts"

const soonest = Order.mapInput(Order.Date, (row: QueuedDelivery) => row.next_at)

const freshToken = (now: number) =>
  Effect.map(Effect.replicateEffect(Random.nextIntBetween(0, 256), 10), (bytes) => uuidv7(now, Uint8Array.from(bytes)))

/** An endpoint with what is due for it, and how many more it may have under way. */
interface Open {
  readonly webhook: StoredWebhook
  readonly due: ReadonlyArray<QueuedDelivery>
  readonly own: number
}

const isFailing = ({ webhook }: Open): boolean => webhook.failing_since !== null

/** In the order of their lots, each gets an equal part of the room. */
const spread = (endpoints: ReadonlyArray<Open>, { failingRoom, room }: Lane) => {
  const failing = endpoints.filter(isFailing).slice(0, failingRoom)
  const placed = endpoints.filter((one) => !isFailing(one) || failing.includes(one))
  const part = Math.max(1, Math.trunc(room / placed.length))
  return placed.slice(0, room).flatMap((one) => {
    const limit = isFailing(one) ? failingRoom - failing.indexOf(one) * part : part
    const share = Math.max(0, Math.min(one.own, part, limit))
    return one.due.slice(0, share).map((row) => ({ webhook: one.webhook, row }))
  })
}

export const claimingMemory = (
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
    { underWay }: ClaimOptions,
    now: number
  ): ReadonlyArray<Open> => {
    const webhook = webhooks.get(webhookId)
    if (webhook?.status !== "active") return []
    const own = webhookEndpointConcurrency - (underWay.get(webhook.webhook_id) ?? 0)
    if (own <= 0) return []
    const due = waiting.filter((row) => row.next_at.getTime() <= now).toSorted(soonest)
    return due.length > 0 ? [{ webhook, due, own }] : []
  }

  const claimLane = Effect.fnUntraced(function* (lane: Lane, options: ClaimOptions, now: number) {
    const rows = Array.from(webhookQueue.values()).filter(
      ({ org_id, webhook_id }) => org_id === lane.org_id && webhook_id > lane.after
    )
    const walked = Object.entries(Arr.groupBy(rows, ({ webhook_id }) => webhook_id))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .slice(0, webhookEndpointWalk)
    const drawn = yield* Random.shuffle(walked.flatMap((endpoint) => openOf(endpoint, options, now)))
    const deliveries = yield* Effect.forEach(spread(Array.from(drawn), lane), ({ row, webhook }) =>
      take(webhook, row, now, options.leaseMillis)
    )
    const last = walked.length === webhookEndpointWalk ? walked.at(-1)?.[1][0].webhook_id : undefined
    return { deliveries, next: last === undefined ? [] : [[lane.org_id, last] as const] }
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
          const lanes = yield* Effect.forEach(options.lanes, (lane) => claimLane(lane, options, now))
          return {
            deliveries: lanes.flatMap(({ deliveries }) => deliveries),
            next: new Map(lanes.flatMap(({ next }) => next))
          }
        })
      )
  }
}
