/** More endpoints with work than one claim looks at. */
import { expect } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { nilUuid } from "../../../src/domain/Ids.ts"
import { webhookWalk } from "../../../src/domain/Policies.ts"
import { Vault } from "../../../src/secrets/Vault.ts"
import { deliveryWorker } from "../../../src/webhooks/delivery/DeliveryWorker.ts"
import { QueueStore } from "../../../src/webhooks/delivery/QueueStore.ts"
import { formatSecret, secretContext } from "../../../src/webhooks/Secret.ts"
import { WebhookStore } from "../../../src/webhooks/WebhookStore.ts"
import { newOrganization, nextId } from "../../stores/Fixtures.ts"
import { Endpoints, newEvents, onBothQueues } from "./Fixtures.ts"
import { newReceiver, until } from "./Receiver.ts"

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

  it.effect("are walked in turn, and none is left out or claimed twice", () =>
    Effect.gen(function* () {
      const { claim } = yield* QueueStore
      const { ids, org_id } = yield* newEndpoints(() => "http://127.0.0.1:1/hooks")
      yield* newEvents(org_id, 1)
      const claimed: Array<string> = []
      const from = (after: string) =>
        Effect.tap(
          claim({ after, limit: 64, failingLimit: 64, underWay: new Map(), leaseMillis: 60_000 }),
          ({ deliveries }) => void claimed.push(...deliveries.map(({ webhook_id }) => webhook_id))
        )
      const edge = ids[webhookWalk - 1]
      while (claimed.length < ENDPOINTS) {
        const before = claimed.length
        const first = yield* from(nilUuid)
        expect(first.next).toBe(edge)
        expect(first.deliveries.every(({ webhook_id }) => webhook_id <= edge!)).toBe(true)
        const second = yield* from(first.next!)
        expect(second.next).toBeNull()
        expect(second.deliveries.every(({ webhook_id }) => webhook_id > edge!)).toBe(true)
        if (claimed.length === before) break
      }
      expect(claimed.toSorted()).toEqual(ids)
    })
  )
})
