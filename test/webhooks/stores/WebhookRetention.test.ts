/** Retention of events and deliveries: what is deleted, when, and what never is. */
import { expect, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { type OrgId, Ids } from "../../../src/domain/Ids.ts"
import { webhookRetentionBatch } from "../../../src/domain/policies/WebhookPolicies.ts"
import { type DeliveryOutcome, DeliveryQueueStore } from "../../../src/webhooks/delivery/DeliveryQueueStore.ts"
import { DeadLetterStore } from "../../../src/webhooks/delivery/DeadLetterStore.ts"
import { noHeaders } from "../../../src/webhooks/Webhook.ts"
import { DeliveryStore } from "../../../src/webhooks/delivery/DeliveryStore.ts"
import { EventStore } from "../../../src/webhooks/EventStore.ts"
import { WebhookStore } from "../../../src/webhooks/WebhookStore.ts"
import { openStoresOn } from "../../payments/support/PaymentServices.ts"
import { newOrganization, nextId } from "../../support/StoreFixtures.ts"
import { backends } from "../../support/OnBothStores.ts"
import { testSettings } from "../../support/TestSettings.ts"
import { attemptsKept, daysPass } from "../DeliveryRows.ts"
import { claimDue } from "../delivery/ClaimFixtures.ts"
import type { Stored } from "../../../src/platform/database/DatabaseFailure.ts"

const all = { after: Option.none(), take: 5000 }

const newHook = (org_id: OrgId) =>
  Effect.gen(function* () {
    const webhook_id = yield* nextId
    const store = yield* WebhookStore
    return yield* store.insert({
      webhook_id,
      org_id,
      endpoint_url: "https://shop.example/",
      events: ["*"],
      secret_sealed: "s"
    })
  })

const send = (org_id: OrgId) =>
  Effect.gen(function* () {
    const store = yield* EventStore
    const event = { org_id, event_type: "kyb.approved", payment_id: null, payload: "{}", test: false }
    yield* store.insert({ ...event, event_id: yield* nextId, created_at: new Date() })
  })

const sendMany = (org_id: OrgId, count: number) =>
  Effect.replicateEffect(send(org_id), count, { concurrency: 8, discard: true })

/** What the receivers make of all that is due. */
const answer = (outcome: DeliveryOutcome): Stored<void, never, DeliveryQueueStore> =>
  Effect.gen(function* () {
    const { deliveries } = yield* claimDue()
    if (deliveries.length === 0) return
    const queue = yield* DeliveryQueueStore
    const okAnswer = { status_code: 200, error: null, answer: null, latency_ms: 1, ...noHeaders }
    yield* queue.finish(
      deliveries.map(({ delivery_id, lease_token }) => ({ delivery_id, lease_token, ...okAnswer, ...outcome }))
    )
    yield* answer(outcome)
  })

const delivered = answer({ outcome: "delivered" })
const dead = answer({ outcome: "dead" })

/** Deletes like the worker: until nothing is left to delete. */
const forgetAll: Stored<number, never, DeliveryStore | EventStore> = Effect.gen(function* () {
  const [deliveries, events] = [yield* DeliveryStore, yield* EventStore]
  const forgotten = (yield* deliveries.forgetOld) + (yield* events.forgetOld)
  return forgotten === 0 ? 0 : forgotten + (yield* forgetAll)
})

const kept = (org_id: OrgId) =>
  Effect.gen(function* () {
    const [deliveries, events] = [yield* DeliveryStore, yield* EventStore]
    const scope = Option.some(org_id)
    return {
      events: (yield* events.list(scope, {}, all)).length,
      deliveries: (yield* deliveries.list(scope, {}, all)).map(({ status }) => status).toSorted()
    }
  })

const newOwner = Effect.gen(function* () {
  const { org_id } = yield* newOrganization()
  return { org_id, scope: Option.some(org_id), hook: yield* newHook(org_id) }
})

for (const backend of backends) {
  const services = openStoresOn(backend).pipe(Layer.provideMerge(Ids.layer), Layer.provide(testSettings()))
  layer(services, { excludeTestServices: true, timeout: "60 seconds" })(`Retention on ${backend}`, (it) => {
    it.effect("forgets what was delivered after 30 days, with its attempts and its event", () =>
      Effect.gen(function* () {
        const { org_id } = yield* newOwner
        yield* send(org_id)
        yield* delivered
        yield* daysPass(29)
        yield* forgetAll
        expect(yield* kept(org_id)).toEqual({ events: 1, deliveries: ["delivered"] })
        const attempts = yield* attemptsKept
        yield* daysPass(2)
        yield* forgetAll
        expect(yield* kept(org_id)).toEqual({ events: 0, deliveries: [] })
        expect(yield* attemptsKept).toBe(attempts - 1)
      })
    )

    it.effect("forgets an event that had no receiver", () =>
      Effect.gen(function* () {
        const { org_id } = yield* newOrganization()
        yield* send(org_id)
        yield* daysPass(29)
        yield* forgetAll
        expect((yield* kept(org_id)).events).toBe(1)
        yield* daysPass(2)
        yield* forgetAll
        expect((yield* kept(org_id)).events).toBe(0)
      })
    )

    it.effect("never forgets what has not reached an endpoint, nor its event", () =>
      Effect.gen(function* () {
        const { org_id } = yield* newOwner
        yield* send(org_id)
        yield* delivered
        yield* newHook(org_id)
        yield* send(org_id)
        const [one] = (yield* claimDue({ room: 1, leaseMillis: 0 })).deliveries
        const queue = yield* DeliveryQueueStore
        const okAnswer = { status_code: 200, error: null, answer: null, latency_ms: 1, ...noHeaders }
        const { delivery_id, lease_token } = one!
        yield* queue.finish([{ delivery_id, lease_token, ...okAnswer, outcome: "delivered" }])
        expect(yield* kept(org_id)).toEqual({ events: 2, deliveries: ["delivered", "delivered", "pending"] })
        yield* daysPass(400)
        yield* forgetAll
        expect(yield* kept(org_id)).toEqual({ events: 1, deliveries: ["pending"] })
        expect((yield* claimDue()).deliveries, "it is still to be sent").toMatchObject([{ org_id, payload: "{}" }])
      })
    )

    it.effect("keeps a dead letter for 90 days, with its event, and one that is replayed as any other", () =>
      Effect.gen(function* () {
        const { org_id, scope } = yield* newOwner
        yield* send(org_id)
        yield* dead
        yield* daysPass(89)
        yield* forgetAll
        expect(yield* kept(org_id)).toEqual({ events: 1, deliveries: ["dead"] })
        const letters = yield* DeadLetterStore
        const [letter] = yield* Effect.flatMap(DeliveryStore, (store) => store.list(scope, { status: "dead" }, all))
        expect(Option.getOrThrow(yield* letters.find(scope, letter!.delivery_id)).payload).toBe("{}")
        expect(yield* letters.replay(scope, { webhook_id: letter!.webhook_id }, yield* letters.now, 10)).toBe(1)
        yield* daysPass(400)
        yield* forgetAll
        expect(yield* kept(org_id)).toEqual({ events: 1, deliveries: ["pending"] })
        yield* delivered
        yield* forgetAll
        expect(yield* kept(org_id), "delivered only now").toEqual({ events: 1, deliveries: ["delivered"] })
        yield* daysPass(31)
        yield* forgetAll
        expect(yield* kept(org_id)).toEqual({ events: 0, deliveries: [] })

        yield* send(org_id)
        yield* dead
        yield* daysPass(91)
        yield* forgetAll
        expect(yield* kept(org_id)).toEqual({ events: 0, deliveries: [] })
      })
    )

    it.effect("forgets a batch at a time", () =>
      Effect.gen(function* () {
        const { forgetOld } = yield* EventStore
        yield* forgetAll
        const { org_id } = yield* newOrganization()
        yield* sendMany(org_id, webhookRetentionBatch + 5)
        yield* daysPass(31)
        const [first, second, third] = [yield* forgetOld, yield* forgetOld, yield* forgetOld]
        expect(first).toBeLessThanOrEqual(webhookRetentionBatch)
        expect(first + second).toBe(webhookRetentionBatch + 5)
        expect(third).toBe(0)
      })
    )

    it.effect("goes past those that stay", () =>
      Effect.gen(function* () {
        const [deliveries, events, hooks] = [yield* DeliveryStore, yield* EventStore, yield* WebhookStore]
        yield* forgetAll
        const { hook, org_id, scope } = yield* newOwner
        yield* sendMany(org_id, webhookRetentionBatch + 5)
        yield* hooks.update(scope, hook.webhook_id, { status: "disabled" })
        yield* daysPass(1)
        yield* newHook(org_id)
        yield* sendMany(org_id, 3)
        yield* delivered
        yield* daysPass(40)
        expect(yield* deliveries.forgetOld).toBe(3)
        expect(yield* events.forgetOld).toBe(3)
        const left = yield* kept(org_id)
        expect(left.events).toBe(webhookRetentionBatch + 5)
        expect(new Set(left.deliveries)).toEqual(new Set(["pending"]))
      })
    )
  })
}
