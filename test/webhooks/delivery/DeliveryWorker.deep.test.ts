/** Workers, receivers and a database, all real. */
import { createHmac } from "node:crypto"
import { expect, layer } from "@effect/vitest"
import { Effect, Fiber, Layer, Option } from "effect"
import type { WebhookId } from "../../../src/domain/Ids.ts"
import { Webhook } from "standardwebhooks"
import { WorkQueues } from "../../../src/platform/database/WorkQueues.ts"
import { Vault } from "../../../src/platform/secrets/Vault.ts"
import { DeadLetters } from "../../../src/webhooks/delivery/DeadLetters.ts"
import { deliveryWorker } from "../../../src/webhooks/delivery/DeliveryWorker.ts"
import { WebhookClient } from "../../../src/webhooks/delivery/WebhookClient.ts"
import { operatorPermit } from "../../../src/domain/Access.ts"
import { formatSecret, secretContext } from "../../../src/webhooks/WebhookSecrets.ts"
import { WebhookStore } from "../../../src/webhooks/WebhookStore.ts"
import { ownTime } from "../../support/OwnTime.ts"
import { deliveriesTo, Endpoints, newEndpoint, newEvents, onPostgreSQL } from "./DeliveryFixtures.ts"
import { eventIds, hanging, newReceiver, until, untilTrue, withStatus } from "./Receiver.ts"

const options = { excludeTestServices: true, timeout: "60 seconds" } as const

const platform = operatorPermit("platform", "olga")

const idsOf = (events: ReadonlyArray<{ readonly event_id: string }>) =>
  events.map(({ event_id }) => event_id).toSorted()

const isOver = (webhookId: WebhookId, status: string) =>
  until(deliveriesTo(webhookId), (all) => all.length > 0 && all.every((one) => one.status === status))

layer(Layer.provideMerge(WebhookClient.layer, onPostgreSQL({ WEBHOOK_RETRY_DELAYS: "30 millis, 60 millis" })), options)(
  "deliveryWorker on PostgreSQL",
  (it) => {
    it.scoped("delivers what a receiver can verify in both ways", () =>
      Effect.gen(function* () {
        yield* Effect.forkScoped(deliveryWorker)
        const receiver = yield* newReceiver()
        const { org_id, secret, webhook_id } = yield* newEndpoint(receiver.url)
        const [event] = yield* newEvents(org_id, 1)
        yield* isOver(webhook_id, "delivered")
        const { body, headers } = receiver.hooks[0]!
        expect(body).toBe(event!.payload)
        const digest = createHmac("sha256", secret).update(body).digest("hex")
        expect(headers).toMatchObject({
          "content-type": "application/json",
          "user-agent": "Corridor-Webhooks/1.0",
          "x-service-signature": digest,
          "x-service-event-id": event!.event_id,
          "x-service-event-type": "payment.completed",
          "x-service-attempt": "1"
        })
        new Webhook(secret).verify(body, headers as Record<string, string>)
      })
    )

    it.scoped("takes any 2xx for an acknowledgement, whatever becomes of the body", () =>
      Effect.gen(function* () {
        yield* Effect.forkScoped(deliveryWorker)
        const receiver = yield* newReceiver((response) => response.writeHead(202).flushHeaders())
        const { org_id, webhook_id } = yield* newEndpoint(receiver.url)
        yield* newEvents(org_id, 20)
        const all = yield* isOver(webhook_id, "delivered")
        expect(
          all.map(({ attempts, last_error, last_status_code }) => [attempts, last_error, last_status_code])
        ).toEqual(all.map(() => [1, null, 202]))
        expect(receiver.hooks).toHaveLength(20)
      })
    )

    it.scoped("signs with both secrets for a while after a rotation", () =>
      Effect.gen(function* () {
        const receiver = yield* newReceiver()
        const { org_id, secret, webhook_id } = yield* newEndpoint(receiver.url)
        const [store, vault] = [yield* WebhookStore, yield* Vault]
        const fresh = formatSecret(Buffer.alloc(32, 1))
        const sealed = yield* vault.encrypt(fresh, secretContext(webhook_id))
        yield* store.replaceSecret(Option.none(), webhook_id, sealed, false)
        yield* Effect.forkScoped(deliveryWorker)
        yield* newEvents(org_id, 1)
        yield* isOver(webhook_id, "delivered")
        yield* store.replaceSecret(Option.none(), webhook_id, sealed, true)
        yield* newEvents(org_id, 1)
        yield* isOver(webhook_id, "delivered")
        const [during, after] = receiver.hooks
        const signature = (key: string, body: string) => createHmac("sha256", key).update(body).digest("hex")
        expect(during!.headers["x-service-signature"]).toBe(signature(secret, during!.body))
        for (const key of [secret, fresh])
          new Webhook(key).verify(during!.body, during!.headers as Record<string, string>)
        expect(after!.headers["x-service-signature"]).toBe(signature(fresh, after!.body))
        expect(() => new Webhook(secret).verify(after!.body, after!.headers as Record<string, string>)).toThrow()
      })
    )

    it.scoped("retries with the same bytes until the delivery is dead, and delivers it when it is replayed", () =>
      Effect.gen(function* () {
        yield* Effect.forkScoped(deliveryWorker)
        const receiver = yield* newReceiver(withStatus(503))
        const { org_id, webhook_id } = yield* newEndpoint(receiver.url)
        const [event] = yield* newEvents(org_id, 1)
        const [dead] = yield* isOver(webhook_id, "dead")
        expect(dead).toMatchObject({ attempts: 3, last_status_code: 503 })
        expect(receiver.hooks.map(({ headers }) => headers["x-service-attempt"])).toEqual(["1", "2", "3"])
        receiver.answer(withStatus(200))
        const letters = yield* DeadLetters
        const wanted = { webhook_id }
        expect(yield* letters.replay(platform, wanted)).toEqual({ replayed: 1, disabled: 0 })
        yield* isOver(webhook_id, "delivered")
        expect(receiver.hooks).toHaveLength(4)
        expect(new Set(receiver.hooks.map(({ body }) => body))).toEqual(new Set([event!.payload]))
        const { log } = yield* letters.show(platform, dead!.delivery_id)
        expect(log.map(({ attempt, status_code }) => [attempt, status_code])).toEqual([
          [1, 503],
          [2, 503],
          [3, 503],
          [1, 200]
        ])
        expect(yield* letters.replay(platform, wanted)).toEqual({ replayed: 0, disabled: 0 })
      })
    )

    it.scoped("keeps what every attempt was sent with, whatever becomes of the endpoint's secret", () =>
      Effect.gen(function* () {
        yield* Effect.forkScoped(deliveryWorker)
        const receiver = yield* newReceiver((response, _hook, nth) => response.writeHead(nth === 1 ? 503 : 200).end())
        const { org_id, webhook_id } = yield* newEndpoint(receiver.url)
        const [store, vault, letters] = [yield* WebhookStore, yield* Vault, yield* DeadLetters]
        const rotate = (byte: number, immediate: boolean) =>
          Effect.flatMap(vault.encrypt(formatSecret(Buffer.alloc(32, byte)), secretContext(webhook_id)), (sealed) =>
            store.replaceSecret(Option.none(), webhook_id, sealed, immediate)
          )
        yield* rotate(1, false)
        yield* newEvents(org_id, 1, { test: true })
        const [delivery] = yield* isOver(webhook_id, "delivered")
        yield* rotate(2, true)
        const { log } = yield* letters.show(platform, delivery!.delivery_id)
        expect(receiver.hooks).toHaveLength(2)
        expect(receiver.hooks[0]!.headers["webhook-signature"]).toMatch(/^v1,\S{44} v1,\S{44}$/)
        expect(log.map(({ headers }) => headers)).toEqual(
          receiver.hooks.map(({ headers: { connection: _1, "content-length": _2, host: _3, ...sent } }) => sent)
        )
      })
    )

    it.scoped("says of a name that cannot be looked up that it is this", () =>
      Effect.gen(function* () {
        yield* Effect.forkScoped(deliveryWorker)
        const { org_id, webhook_id } = yield* newEndpoint("https://nobody.invalid/hook")
        yield* newEvents(org_id, 1)
        const [dead] = yield* isOver(webhook_id, "dead")
        expect(dead).toMatchObject({ attempts: 3, last_status_code: null })
        expect(dead!.last_error).toMatch(/^the name nobody\.invalid cannot be resolved \([A-Z_]+\)$/)
      })
    )

    it.scoped("announces what it hands back when it is stopped, so that another instance sends it at once", () =>
      Effect.gen(function* () {
        const receiver = yield* newReceiver(hanging)
        const { org_id } = yield* newEndpoint(receiver.url)
        const worker = yield* Effect.fork(deliveryWorker)
        yield* newEvents(org_id, 1)
        yield* untilTrue(() => receiver.hooks.length === 1)
        const { attach } = yield* WorkQueues
        const announced: Array<readonly [string, number]> = []
        yield* attach((queue, inMillis) => announced.push([queue, inMillis]))
        yield* Fiber.interrupt(worker)
        expect(announced).toContainEqual(["webhooks", 0])
      })
    )

    it.scoped("disables an endpoint that failed for five days", () =>
      Effect.gen(function* () {
        const receiver = yield* newReceiver(withStatus(500))
        const { org_id, webhook_id } = yield* newEndpoint(receiver.url)
        const { age, failingSince } = yield* Endpoints
        const worker = yield* Effect.forkScoped(deliveryWorker)
        yield* newEvents(org_id, 1)
        yield* until(failingSince(webhook_id), (since) => since !== null)
        yield* Fiber.interrupt(worker)
        yield* age(webhook_id, 121)
        yield* newEvents(org_id, 30)
        yield* Effect.forkScoped(deliveryWorker)
        yield* isOver(webhook_id, "dead")
        const store = yield* WebhookStore
        const webhook = Option.getOrThrow(yield* store.find(Option.none(), webhook_id))
        expect(webhook).toMatchObject({ status: "disabled", disabled_reason: "It failed for 5 days in a row." })
        expect(yield* deliveriesTo(webhook_id)).toHaveLength(31)
        expect(receiver.hooks.length, "not all of them were tried").toBeLessThan(31)
      })
    )
  }
)

layer(Layer.provideMerge(WebhookClient.layer, onPostgreSQL()), options)("deliveryWorker among many", (it) => {
  it.scoped("serves ten receivers within seconds while a backlog waits for one that never answers", () =>
    Effect.gen(function* () {
      const dead = yield* newReceiver(hanging)
      const stuck = yield* newEndpoint(dead.url)
      yield* newEvents(stuck.org_id, 300)
      const receivers = yield* Effect.replicateEffect(newReceiver(), 10)
      const sent = yield* Effect.forEach(receivers, (receiver) =>
        Effect.flatMap(newEndpoint(receiver.url), ({ org_id }) => newEvents(org_id, 20))
      )
      const took = ownTime()
      yield* Effect.forkScoped(deliveryWorker)
      yield* untilTrue(() => receivers.every(({ hooks }) => hooks.length >= 20))
      // Less than the ten seconds after which the first that hang are given up.
      expect(took()).toBeLessThan(8_000)
      for (const [nth, receiver] of receivers.entries()) {
        expect(eventIds(receiver.hooks).toSorted()).toEqual(idsOf(sent[nth]!))
      }
      expect(dead.hooks.length, "no more than its share").toBeLessThanOrEqual(8)
      yield* untilTrue(() => dead.hooks.length === 8)
    })
  )

  it.scoped("shares the work with another worker, and nothing is sent twice", () =>
    Effect.gen(function* () {
      const receiver = yield* newReceiver()
      const endpoints = yield* Effect.replicateEffect(newEndpoint(receiver.url), 10)
      const events = (yield* Effect.forEach(endpoints, ({ org_id }) => newEvents(org_id, 50))).flat()
      const one = yield* Effect.forkScoped(deliveryWorker)
      const other = yield* Effect.forkScoped(deliveryWorker)
      yield* Effect.forEach(endpoints, ({ webhook_id }) => isOver(webhook_id, "delivered"))
      yield* Fiber.interruptAll([one, other])
      expect(eventIds(receiver.hooks).toSorted()).toEqual(idsOf(events))
    })
  )
})
