/** More endpoints, and more organisations, with work than one claim looks at. */
import { expect } from "@effect/vitest"
import { Effect, Fiber, Schedule } from "effect"
import { nilUuid } from "../../../src/domain/Ids.ts"
import { webhookEndpointWalk, webhookWalk } from "../../../src/domain/policies/WebhookPolicies.ts"
import { WorkQueues } from "../../../src/platform/database/WorkQueues.ts"
import { Vault } from "../../../src/platform/secrets/Vault.ts"
import { deliveryWorker } from "../../../src/webhooks/delivery/DeliveryWorker.ts"
import { DeliveryQueueStore } from "../../../src/webhooks/delivery/DeliveryQueueStore.ts"
import { formatSecret, secretContext } from "../../../src/webhooks/WebhookSecrets.ts"
import { WebhookStore } from "../../../src/webhooks/WebhookStore.ts"
import { newOrganization, nextId } from "../../support/StoreFixtures.ts"
import { Endpoints, newEndpoint, newEvents, onBothQueues } from "./DeliveryFixtures.ts"
import { newReceiver, until } from "./Receiver.ts"
import type { Stored } from "../../../src/platform/database/DatabaseFailure.ts"

const ENDPOINTS = webhookWalk + 20

/** All of one organisation, so that a single event has a delivery to each. */
const newEndpoints = (urlOf: (nth: number) => string) =>
  Effect.gen(function* () {
    const { org_id } = yield* newOrganization()
    const store = yield* WebhookStore
    const vault = yield* Vault
    const secret = formatSecret(new Uint8Array(32))
    const ids = yield* Effect.forEach(
      Array.from({ length: ENDPOINTS }, (_, nth) => nth),
      (nth) =>
        Effect.gen(function* () {
          const webhook_id = yield* nextId
          const secret_sealed = yield* vault.encrypt(secret, secretContext(webhook_id))
          yield* store.insert({ webhook_id, org_id, endpoint_url: urlOf(nth), events: ["*"], secret_sealed })
          return webhook_id
        }),
      { concurrency: 8 }
    )
    return { org_id, ids: ids.toSorted() }
  })

onBothQueues("More endpoints than one claim looks at", (it) => {
  it.scoped("are each sent what waits for them", () =>
    Effect.gen(function* () {
      const receiver = yield* newReceiver()
      const { org_id } = yield* newEndpoints((nth) => `${receiver.url}/${nth}`)
      yield* newEvents(org_id, 1)
      const worker = yield* Effect.fork(deliveryWorker)
      const { queued } = yield* Endpoints
      yield* until(queued, (left) => left === 0)
      yield* Fiber.interrupt(worker)
      expect(new Set(receiver.hooks.map(({ path }) => path)).size).toBe(ENDPOINTS)
      expect(receiver.hooks).toHaveLength(ENDPOINTS)
    })
  )

  it.scoped("are sent what waits for them though nothing wakes the worker while it walks", () =>
    Effect.gen(function* () {
      const receiver = yield* newReceiver()
      const { claim } = yield* DeliveryQueueStore
      const { ids, org_id } = yield* newEndpoints((nth) => `${receiver.url}/${nth}`)
      yield* newEvents(org_id, 1)
      // Another instance sends to all of the first endpoints.
      const looks = 5
      for (let look = 0; look < looks; look += 1) {
        const after = look === 0 ? nilUuid : ids[look * webhookEndpointWalk - 1]!
        const room = webhookEndpointWalk
        const { deliveries } = yield* claim({
          quotas: [{ org_id, after, room, failingRoom: room }],
          inFlight: new Map(),
          leaseMillis: 600_000
        })
        expect(deliveries).toHaveLength(webhookEndpointWalk)
      }
      const queues = WorkQueues.make()
      yield* Effect.forkScoped(Effect.repeat(queues.read([]), Schedule.spaced("1 second")))
      const worker = yield* Effect.fork(Effect.provideService(deliveryWorker, WorkQueues, queues))
      yield* until(
        Effect.sync(() => receiver.hooks.length),
        (sent) => sent === ENDPOINTS - looks * webhookEndpointWalk
      )
      yield* Fiber.interrupt(worker)
    })
  )

  it.effect("are walked in turn, and none is left out or claimed twice", () =>
    Effect.gen(function* () {
      const { claim } = yield* DeliveryQueueStore
      const { ids, org_id } = yield* newEndpoints(() => "http://127.0.0.1:1/hooks")
      yield* newEvents(org_id, 1)
      const claimed: Array<string> = []
      const from = (after: string): Stored<number> =>
        Effect.gen(function* () {
          const quotas = [{ org_id, after, room: 16, failingRoom: 16 }]
          const { deliveries, next } = yield* claim({ quotas, inFlight: new Map(), leaseMillis: 60_000 })
          const behind = ids.filter((id) => id > after)
          const edge = behind[webhookEndpointWalk - 1]
          expect(next).toEqual(new Map(edge === undefined ? [] : [[org_id, edge]]))
          for (const { webhook_id } of deliveries) {
            expect(behind.slice(0, webhookEndpointWalk)).toContain(webhook_id)
            claimed.push(webhook_id)
          }
          return deliveries.length + (edge === undefined ? 0 : yield* from(edge))
        })
      while ((yield* from(nilUuid)) > 0);
      expect(claimed.toSorted()).toEqual(ids)
    })
  )
})

onBothQueues("More organisations than one claim looks at", (it) => {
  it.effect("are walked in turn, and none is left out", () =>
    Effect.gen(function* () {
      const { due } = yield* DeliveryQueueStore
      const endpoints = yield* Effect.replicateEffect(newEndpoint("http://127.0.0.1:1/hooks"), webhookWalk + 20)
      yield* Effect.forEach(endpoints, ({ org_id }) => newEvents(org_id, 1), { concurrency: 8 })
      const ids = endpoints.map(({ org_id }) => org_id).toSorted()
      const first = yield* due(nilUuid)
      expect(first).toEqual({ organizations: ids.slice(0, webhookWalk), next: ids[webhookWalk - 1] })
      expect(yield* due(first.next!)).toEqual({ organizations: ids.slice(webhookWalk), next: null })
    })
  )
})
