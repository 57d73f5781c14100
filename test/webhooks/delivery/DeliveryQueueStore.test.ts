/** Contract of the delivery queue: fair claims, leases, and results that count only from the holder of the lease. */
import { expect } from "@effect/vitest"
import { Effect, Option } from "effect"
import { type WebhookId, nilUuid } from "../../../src/domain/Ids.ts"
import {
  type Claim,
  type ClaimedDelivery,
  type AttemptResult,
  type DeliveryOutcome,
  DeliveryQueueStore
} from "../../../src/webhooks/delivery/DeliveryQueueStore.ts"
import { type Answer, noHeaders } from "../../../src/webhooks/Webhook.ts"
import { DeadLetterStore } from "../../../src/webhooks/delivery/DeadLetterStore.ts"
import { WebhookStore } from "../../../src/webhooks/WebhookStore.ts"
import { claimDue } from "./ClaimFixtures.ts"
import { deliveriesTo, Endpoints, newEndpoint, newEndpointOf, newEvents, onBothQueues } from "./DeliveryFixtures.ts"
import type { Stored } from "../../../src/platform/database/DatabaseFailure.ts"

const LONG = 60_000
const url = "http://127.0.0.1:1/hooks"

/** Claims deliveries of other tests of the suite away, so that a test sees only its own. */
const clear: Stored<void, never, DeliveryQueueStore> = Effect.flatMap(claimDue(), ({ deliveries }) =>
  deliveries.length === 0 ? Effect.void : clear
)

const okAnswer: Answer = { status_code: 200, error: null, answer: null, latency_ms: 12, ...noHeaders }
const refused: Answer = {
  status_code: 500,
  error: "answered with status 500",
  answer: "oops",
  latency_ms: 34,
  ...noHeaders
}

const finish = (answer: Answer, outcome: DeliveryOutcome, ...claimed: ReadonlyArray<ClaimedDelivery>) =>
  Effect.flatMap(DeliveryQueueStore, (queue) =>
    queue.finish(
      claimed.map(({ delivery_id, lease_token }): AttemptResult => ({
        delivery_id,
        lease_token,
        ...answer,
        ...outcome
      }))
    )
  )

const delivered = (...claimed: ReadonlyArray<ClaimedDelivery>) => finish(okAnswer, { outcome: "delivered" }, ...claimed)
const again = (...claimed: ReadonlyArray<ClaimedDelivery>) =>
  finish(refused, { outcome: "retry", delay_ms: 0 }, ...claimed)

const logOf = ({ delivery_id }: Pick<ClaimedDelivery, "delivery_id">) =>
  Effect.flatMap(DeadLetterStore, (store) => store.attempts(Option.none(), delivery_id))

const statusOf = (webhookId: WebhookId) =>
  Effect.map(
    Effect.flatMap(WebhookStore, (store) => store.find(Option.none(), webhookId)),
    Option.getOrThrow
  )

onBothQueues("DeliveryQueueStore", (it) => {
  it.effect("gives out what an event brought, once, with all that it takes to send it", () =>
    Effect.gen(function* () {
      yield* clear
      const { org_id, webhook_id } = yield* newEndpoint(url)
      const [event] = yield* newEvents(org_id, 1)
      const { deliveries, next } = yield* claimDue()
      expect(next).toEqual(new Map())
      expect(deliveries).toMatchObject([
        {
          ...event,
          org_id,
          webhook_id,
          event_type: "payment.completed",
          test: false,
          endpoint_url: url,
          previous_secret_sealed: null,
          failing: false,
          attempt: 1
        }
      ])
      expect((yield* claimDue()).deliveries).toEqual([])
    })
  )

  it.effect("writes down a delivery and is done with it", () =>
    Effect.gen(function* () {
      yield* clear
      const { org_id, webhook_id } = yield* newEndpoint(url)
      yield* newEvents(org_id, 1)
      const { queued } = yield* Endpoints
      const before = yield* queued
      const [one] = (yield* claimDue()).deliveries
      expect(yield* delivered(one!)).toEqual({ dead: [], disabled: [] })
      expect(yield* queued).toBe(before - 1)
      expect(yield* deliveriesTo(webhook_id)).toMatchObject([
        { status: "delivered", attempts: 1, last_status_code: 200, last_error: null, next_attempt_at: null }
      ])
      expect(yield* logOf(one!)).toMatchObject([{ attempt: 1, status_code: 200, error: null, latency_ms: 12 }])
    })
  )

  it.effect("gives a failed one out again when its time has come, and lets it die in the end", () =>
    Effect.gen(function* () {
      yield* clear
      const { org_id, webhook_id } = yield* newEndpoint(url)
      yield* newEvents(org_id, 1)
      const [first] = (yield* claimDue()).deliveries
      yield* again(first!)
      expect(yield* deliveriesTo(webhook_id)).toMatchObject([
        { status: "pending", attempts: 1, last_status_code: 500, last_error: "answered with status 500" }
      ])
      const [second] = (yield* claimDue()).deliveries
      expect(second).toMatchObject({
        attempt: 2,
        delivery_id: first!.delivery_id,
        failing: true,
        payload: first!.payload
      })
      yield* finish(refused, { outcome: "retry", delay_ms: LONG }, second!)
      expect((yield* claimDue()).deliveries).toEqual([])
      const [waiting] = yield* deliveriesTo(webhook_id)
      const wait = waiting!.next_attempt_at!.getTime() - Date.now()
      expect(wait).toBeGreaterThan(LONG - 5_000)
      expect(wait).toBeLessThanOrEqual(LONG + 1_000)

      yield* newEvents(org_id, 1)
      const [other] = (yield* claimDue()).deliveries
      expect(yield* finish(refused, { outcome: "dead" }, other!)).toEqual({ dead: [other!.delivery_id], disabled: [] })
      const [dead] = yield* deliveriesTo(webhook_id)
      expect(dead).toMatchObject({ status: "dead", attempts: 1, next_attempt_at: null })
      expect(yield* logOf(other!)).toMatchObject([{ status_code: 500, answer: "oops" }])
    })
  )

  it.effect("takes no result from a worker whose lease went to another", () =>
    Effect.gen(function* () {
      yield* clear
      const { org_id, webhook_id } = yield* newEndpoint(url)
      yield* newEvents(org_id, 1)
      const [late] = (yield* claimDue({ leaseMillis: 0 })).deliveries
      const [holder] = (yield* claimDue()).deliveries
      expect(holder).toMatchObject({ delivery_id: late!.delivery_id, attempt: 2 })
      yield* delivered(late!)
      expect(yield* finish(refused, { outcome: "dead" }, late!), "nobody died of it").toEqual({
        dead: [],
        disabled: []
      })
      yield* Effect.flatMap(DeliveryQueueStore, (queue) => queue.release([late!]))
      expect(yield* deliveriesTo(webhook_id)).toMatchObject([
        { status: "pending", attempts: 0, last_status_code: null }
      ])
      expect(yield* logOf(late!)).toEqual([])
      expect((yield* claimDue()).deliveries, "the holder still holds it").toEqual([])
      yield* delivered(holder!)
      expect(yield* deliveriesTo(webhook_id)).toMatchObject([{ status: "delivered", attempts: 1 }])
      yield* again(holder!)
      expect(yield* deliveriesTo(webhook_id)).toMatchObject([{ status: "delivered", attempts: 1 }])
    })
  )

  it.effect("takes back what was not tried, as if it had never been given out", () =>
    Effect.gen(function* () {
      yield* clear
      const { org_id } = yield* newEndpoint(url)
      yield* newEvents(org_id, 3)
      const first = yield* claimDue()
      yield* Effect.flatMap(DeliveryQueueStore, (queue) => queue.release(first.deliveries))
      const second = yield* claimDue()
      expect(second.deliveries.map(({ attempt }) => attempt)).toEqual([1, 1, 1])
    })
  )

  it.effect("gives one endpoint no more than eight at a time, whatever waits for it", () =>
    Effect.gen(function* () {
      yield* clear
      const busy = yield* newEndpoint(url)
      const other = yield* newEndpoint(url)
      yield* newEvents(busy.org_id, 30)
      yield* newEvents(other.org_id, 2)
      const first = (yield* claimDue()).deliveries.map(({ webhook_id }) => webhook_id)
      expect(first.filter((id) => id === busy.webhook_id)).toHaveLength(8)
      expect(first.filter((id) => id === other.webhook_id)).toHaveLength(2)
      expect((yield* claimDue({ inFlight: new Map([[busy.webhook_id, 5]]) })).deliveries).toHaveLength(3)
      expect((yield* claimDue({ inFlight: new Map([[busy.webhook_id, 8]]) })).deliveries).toEqual([])
      expect((yield* claimDue({ room: 4 })).deliveries).toHaveLength(4)
    })
  )

  it.effect("holds those that fail to their share, and no others", () =>
    Effect.gen(function* () {
      yield* clear
      const failing = yield* newEndpoint(url)
      const fine = yield* newEndpoint(url)
      yield* newEvents(failing.org_id, 10)
      const [one] = (yield* claimDue({ room: 1 })).deliveries
      yield* again(one!)
      yield* newEvents(fine.org_id, 5)
      const some = (yield* claimDue({ failingRoom: 2 })).deliveries
      expect(some.filter(({ failing: fails }) => fails)).toHaveLength(2)
      expect(some.filter(({ webhook_id }) => webhook_id === fine.webhook_id)).toHaveLength(5)
      expect((yield* claimDue({ failingRoom: 0 })).deliveries).toEqual([])
      expect((yield* claimDue()).deliveries).toHaveLength(8)
    })
  )

  it.effect("spreads what an organisation may have over its endpoints", () =>
    Effect.gen(function* () {
      yield* clear
      const { org_id, webhook_id } = yield* newEndpoint(url)
      const others = yield* Effect.replicateEffect(newEndpointOf(org_id, url), 3)
      yield* newEvents(org_id, 10)
      const counted = ({ deliveries }: Claim) =>
        [webhook_id, ...others.map((one) => one.webhook_id)].map(
          (id) => deliveries.filter((one) => one.webhook_id === id).length
        )
      expect(counted(yield* claimDue({ room: 12 }))).toEqual([3, 3, 3, 3])
      expect(counted(yield* claimDue({ room: 2 })).toSorted()).toEqual([0, 0, 1, 1])
      const failing = (yield* claimDue({ room: 4 })).deliveries.filter((one) => one.webhook_id !== webhook_id)
      yield* again(...failing)
      const spread = counted(yield* claimDue({ room: 4, failingRoom: 1 }))
      expect(spread[0]).toBe(2)
      expect(spread.slice(1).toSorted()).toEqual([0, 0, 1])
    })
  )

  it.effect("takes from no other organisation than it is asked to", () =>
    Effect.gen(function* () {
      yield* clear
      const [mine, theirs] = [yield* newEndpoint(url), yield* newEndpoint(url)]
      for (const { org_id } of [mine, theirs]) yield* newEvents(org_id, 3)
      const queue = yield* DeliveryQueueStore
      expect((yield* queue.due(nilUuid)).organizations).toEqual([mine.org_id, theirs.org_id].toSorted())
      const quotas = [{ org_id: mine.org_id, after: nilUuid, room: 64, failingRoom: 64 }]
      const { deliveries } = yield* queue.claim({ quotas, inFlight: new Map(), leaseMillis: LONG })
      expect(deliveries.map((one) => one.org_id)).toEqual(Array(3).fill(mine.org_id))
      expect(yield* queue.due(nilUuid), "what is leased is not due").toEqual({
        organizations: [theirs.org_id],
        next: null
      })
      expect((yield* queue.due(theirs.org_id)).organizations).not.toContain(theirs.org_id)
    })
  )

  it.effect("leaves a disabled endpoint alone until it is active again", () =>
    Effect.gen(function* () {
      yield* clear
      const { org_id, webhook_id } = yield* newEndpoint(url)
      const store = yield* WebhookStore
      yield* newEvents(org_id, 1)
      yield* store.update(Option.none(), webhook_id, { status: "disabled" })
      expect((yield* claimDue()).deliveries).toEqual([])
      yield* store.update(Option.none(), webhook_id, { status: "active" })
      expect((yield* claimDue()).deliveries).toHaveLength(1)
    })
  )

  it.effect("knows since when an endpoint fails, until it receives something", () =>
    Effect.gen(function* () {
      yield* clear
      const { org_id, webhook_id } = yield* newEndpoint(url)
      const { failingSince } = yield* Endpoints
      yield* newEvents(org_id, 3)
      const [a, b, c] = (yield* claimDue()).deliveries
      yield* again(a!)
      const first = yield* failingSince(webhook_id)
      expect(Math.abs(first!.getTime() - Date.now())).toBeLessThan(10_000)
      yield* again(b!)
      expect(yield* failingSince(webhook_id)).toEqual(first)
      yield* delivered(c!)
      expect(yield* failingSince(webhook_id)).toBeNull()
    })
  )

  it.effect("disables an endpoint at a failure after five days of them, and buries what waits for it", () =>
    Effect.gen(function* () {
      yield* clear
      const { org_id, webhook_id } = yield* newEndpoint(url)
      const other = yield* newEndpoint(url)
      const { age } = yield* Endpoints
      yield* newEvents(org_id, 20)
      yield* newEvents(other.org_id, 3)
      const mine = (yield* claimDue()).deliveries.filter((one) => one.webhook_id === webhook_id)
      yield* again(mine[0]!)
      yield* age(webhook_id, 119)
      expect((yield* again(mine[1]!)).disabled).toEqual([])
      expect(yield* statusOf(webhook_id)).toMatchObject({ status: "active", disabled_reason: null })
      yield* age(webhook_id, 2)
      expect(yield* again(mine[2]!, mine[3]!)).toEqual({ dead: [], disabled: [{ webhook_id, org_id, waiting: 20 }] })
      expect(yield* statusOf(webhook_id)).toMatchObject({
        status: "disabled",
        disabled_reason: "It failed for 5 days in a row."
      })
      const all = yield* deliveriesTo(webhook_id)
      expect(all.map(({ status }) => status)).toEqual(Array(20).fill("dead"))
      expect(all.filter(({ last_error }) => last_error === "answered with status 500")).toHaveLength(4)
      expect(all.every(({ next_attempt_at }) => next_attempt_at === null)).toBe(true)
      expect((yield* deliveriesTo(other.webhook_id)).map(({ status }) => status)).toEqual(Array(3).fill("pending"))
      yield* delivered(mine[4]!)
      expect((yield* deliveriesTo(webhook_id)).every(({ status }) => status === "dead")).toBe(true)
    })
  )

  it.effect("forgives five days of failures at a success", () =>
    Effect.gen(function* () {
      yield* clear
      const { org_id, webhook_id } = yield* newEndpoint(url)
      const { age } = yield* Endpoints
      yield* newEvents(org_id, 3)
      const [a, b, c] = (yield* claimDue()).deliveries
      yield* again(a!)
      yield* age(webhook_id, 200)
      yield* delivered(b!)
      expect((yield* again(c!)).disabled).toEqual([])
      expect(yield* statusOf(webhook_id)).toMatchObject({ status: "active" })
    })
  )
})
