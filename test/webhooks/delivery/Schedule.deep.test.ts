/** The worker on the clock of the tests, with receivers that are a function. */
import { describe, expect, it } from "@effect/vitest"
import { Clock, Deferred, Duration, Effect, Fiber, Layer, Option, TestClock } from "effect"
import { Settings } from "../../../src/platform/config/Settings.ts"
import { operatorPermit } from "../../../src/domain/Access.ts"
import type { WebhookId } from "../../../src/domain/Ids.ts"
import { nthDelay } from "../../../src/domain/policies/Schedules.ts"
import {
  webhookConcurrency,
  webhookEndpointConcurrency,
  webhookRetry,
  webhookShare,
  webhookUnknownConcurrency
} from "../../../src/domain/policies/WebhookPolicies.ts"
import { DeadLetters } from "../../../src/webhooks/delivery/DeadLetters.ts"
import { DeadLetterStore } from "../../../src/webhooks/delivery/DeadLetterStore.ts"
import { deliveryWorker } from "../../../src/webhooks/delivery/DeliveryWorker.ts"
import { WebhookClient, NotAnswered, type WebhookRequest } from "../../../src/webhooks/delivery/WebhookClient.ts"
import { newOrganization } from "../../support/StoreFixtures.ts"
import { testSettings } from "../../support/TestSettings.ts"
import { claimDue } from "./ClaimFixtures.ts"
import { deliveriesTo, Endpoints, newEndpoint, newEndpointOf, newEvents, onMemory } from "./DeliveryFixtures.ts"
import { running } from "./WorkerOnTestClock.ts"

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const url = "http://127.0.0.1:1/hooks"

const answering = (post: (request: WebhookRequest, nth: number) => Effect.Effect<number, NotAnswered>) => {
  const requests: Array<WebhookRequest & { readonly at: number }> = []
  const client = Layer.succeed(WebhookClient, {
    post: (request) =>
      Effect.flatMap(Clock.currentTimeMillis, (at) => {
        requests.push({ ...request, at })
        return Effect.map(post(request, requests.length), (status) => ({ status, text: "" }))
      })
  })
  return { requests, worker: Effect.provide(deliveryWorker, client) }
}

const attemptsOf = (requests: ReadonlyArray<WebhookRequest>) =>
  requests.map(({ headers }) => headers["x-service-attempt"])

const platform = operatorPermit("platform", "olga")

describe("the delivery worker", () => {
  it.effect("tries again after each delay and then lets go; a replay begins anew", () =>
    Effect.gen(function* () {
      const { requests, worker } = answering(() => Effect.succeed(500))
      const { org_id, webhook_id } = yield* newEndpoint(url)
      const [event] = yield* newEvents(org_id, 1)
      yield* running(worker)
      yield* TestClock.adjust("100 millis")
      expect(requests).toHaveLength(1)
      yield* TestClock.adjust("20 seconds")
      expect(attemptsOf(requests)).toEqual(["1", "2", "3", "4"])
      const gaps = requests.slice(1).map(({ at }, index) => at - requests[index]!.at)
      for (const [index, wanted] of [1000, 3000, 7000].entries()) {
        expect(gaps[index]).toBeGreaterThanOrEqual(wanted)
        // One percent of jitter, and the worker's poll.
        expect(gaps[index]).toBeLessThanOrEqual(wanted * 1.01 + 300)
      }
      expect(new Set(requests.map(({ body }) => body))).toEqual(new Set([event!.payload]))
      expect(new Set(requests.map(({ headers }) => headers["x-service-signature"])).size).toBe(1)
      expect(yield* deliveriesTo(webhook_id)).toMatchObject([
        { status: "dead", attempts: 4, last_status_code: 500, last_error: "answered with status 500" }
      ])

      const letters = yield* DeadLetters
      expect(yield* letters.replay(platform, { webhook_id })).toEqual({ replayed: 1, disabled: 0 })
      yield* TestClock.adjust("300 millis")
      expect(attemptsOf(requests).slice(4)).toEqual(["1"])
      expect(yield* deliveriesTo(webhook_id)).toMatchObject([{ status: "pending", attempts: 5 }])
    }).pipe(Effect.scoped, Effect.provide(onMemory({ WEBHOOK_RETRY_DELAYS: "1 second, 3 seconds, 7 seconds" })))
  )

  it.effect("has seven attempts within a day to make, each a little later than planned", () =>
    Effect.gen(function* () {
      const { webhookRetryDelays } = yield* Settings
      const table = [MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 6 * HOUR, 15 * HOUR]
      for (const [index, wanted] of table.entries()) {
        const waits = yield* Effect.replicateEffect(nthDelay(webhookRetry(webhookRetryDelays), index + 1), 200)
        const millis = waits.map((wait) => Duration.toMillis(Option.getOrThrow(wait)))
        expect(Math.min(...millis)).toBeGreaterThanOrEqual(wanted)
        expect(Math.max(...millis)).toBeLessThanOrEqual(wanted * 1.01)
        expect(Math.max(...millis) - Math.min(...millis)).toBeGreaterThan(wanted * 0.008)
      }
      expect(yield* nthDelay(webhookRetry(webhookRetryDelays), 7)).toEqual(Option.none())
      expect(table.reduce((sum, wait) => sum + wait, 0) * 1.01).toBeLessThan(24 * HOUR)
    }).pipe(Effect.provide(testSettings()))
  )

  it.effect("counts whatever is not 2xx as failed", () =>
    Effect.gen(function* () {
      const outcomes = [
        Effect.succeed(301),
        Effect.succeed(410),
        Effect.succeed(199),
        new NotAnswered({ message: "no answer within 10s" }),
        Effect.succeed(204)
      ]
      const { requests, worker } = answering((_, nth) => outcomes[nth - 1]!)
      const { org_id, webhook_id } = yield* newEndpoint(url)
      yield* newEvents(org_id, 1)
      yield* running(worker)
      yield* TestClock.adjust("6 seconds")
      expect(requests).toHaveLength(5)
      const [delivery] = yield* deliveriesTo(webhook_id)
      expect(delivery).toMatchObject({ status: "delivered", attempts: 5 })
      const store = yield* DeadLetterStore
      const log = yield* store.attempts(Option.none(), delivery!.delivery_id)
      expect(log.map(({ error, status_code }) => [status_code, error])).toEqual([
        [301, "answered with status 301; redirects are not followed"],
        [410, "answered with status 410"],
        [199, "answered with status 199"],
        [null, "no answer within 10s"],
        [204, null]
      ])
    }).pipe(Effect.scoped, Effect.provide(onMemory({ WEBHOOK_RETRY_DELAYS: "1 second, 1 second, 1 second, 1 second" })))
  )

  it.effect("keeps the beginning of what the receiver said, without secrets", () =>
    Effect.gen(function* () {
      const client = Layer.succeed(WebhookClient, {
        post: () => Effect.succeed({ status: 500, text: `card 4111 1111 1111 1111 \0 ${"☃😀".repeat(400)}` })
      })
      const { org_id, webhook_id } = yield* newEndpoint(url)
      yield* newEvents(org_id, 1)
      yield* running(Effect.provide(deliveryWorker, client))
      yield* TestClock.adjust("1 second")
      const [delivery] = yield* deliveriesTo(webhook_id)
      const store = yield* DeadLetterStore
      const [attempt] = yield* store.attempts(Option.none(), delivery!.delivery_id)
      expect(Array.from(attempt!.answer!)).toHaveLength(500)
      expect(attempt!.answer).toMatch(/^card \[card\] {2}☃😀☃/)
    }).pipe(Effect.scoped, Effect.provide(onMemory()))
  )

  it.effect("signs a test as a test", () =>
    Effect.gen(function* () {
      const { requests, worker } = answering(() => Effect.succeed(200))
      const { org_id } = yield* newEndpoint(url)
      yield* newEvents(org_id, 1, { test: true })
      yield* running(worker)
      yield* TestClock.adjust("1 second")
      expect(requests.map(({ headers }) => headers["x-service-test"])).toEqual(["true"])
    }).pipe(Effect.scoped, Effect.provide(onMemory()))
  )

  it.effect("lets a delivery die that no worker survives", () =>
    Effect.gen(function* () {
      const { requests, worker } = answering(() => Effect.succeed(200))
      const { org_id, webhook_id } = yield* newEndpoint(url)
      yield* newEvents(org_id, 1)
      for (let nth = 1; nth <= 7; nth += 1) {
        expect((yield* claimDue({ leaseMillis: 0 })).deliveries).toMatchObject([{ attempt: nth }])
      }
      yield* running(worker)
      yield* TestClock.adjust("1 second")
      expect(requests).toEqual([])
      expect(yield* deliveriesTo(webhook_id)).toMatchObject([
        { status: "dead", last_error: "no attempt was completed" }
      ])
    }).pipe(Effect.scoped, Effect.provide(onMemory()))
  )

  it.effect("has eight under way to an endpoint, and a quarter of its room to an organisation that is alone", () =>
    Effect.gen(function* () {
      const { requests, worker } = answering(() => Effect.never)
      const one = yield* newEndpoint(url)
      yield* newEvents(one.org_id, 12)
      yield* running(worker)
      yield* TestClock.adjust("1 second")
      expect(requests).toHaveLength(webhookEndpointConcurrency)
      const { org_id } = yield* newOrganization()
      yield* Effect.replicateEffect(newEndpointOf(org_id, url), 20)
      yield* newEvents(org_id, 12)
      yield* TestClock.adjust("1 second")
      // Unknown organisations share a part of the room, of which eight are taken.
      expect(requests.length - webhookEndpointConcurrency).toBe((webhookUnknownConcurrency - 8) / (webhookShare + 1))
    }).pipe(Effect.scoped, Effect.provide(onMemory()))
  )

  it.effect("has no more under way than it has room for, however many wait", () =>
    Effect.gen(function* () {
      const { requests, worker } = answering((_, nth) => (nth <= 300 ? Effect.succeed(200) : Effect.never))
      const endpoints = yield* Effect.replicateEffect(newEndpoint(url), 100)
      // Hangs only after a first answer, so that all of the room is theirs.
      yield* Effect.forEach(endpoints, ({ org_id }) => newEvents(org_id, 3), { discard: true })
      yield* running(worker)
      yield* TestClock.adjust("1 second")
      expect(requests).toHaveLength(300)
      yield* Effect.forEach(endpoints, ({ org_id }) => newEvents(org_id, 8), { discard: true })
      yield* TestClock.adjust("1 second")
      const underWay = requests.length - 300
      expect(underWay).toBeLessThanOrEqual(webhookConcurrency)
      expect(underWay, "and nearly all of it is used").toBeGreaterThan(webhookConcurrency - 10)
    }).pipe(Effect.scoped, Effect.provide(onMemory()))
  )

  it.effect("waits a moment for what is under way when it is stopped, and frees the rest", () =>
    Effect.gen(function* () {
      const reached = yield* Deferred.make<void>()
      const { requests, worker } = answering((_, nth) =>
        nth === 1
          ? Effect.delay(Effect.succeed(200), "1 second")
          : Effect.zipRight(Deferred.succeed(reached, undefined), Effect.never)
      )
      const { org_id, webhook_id } = yield* newEndpoint(url)
      yield* newEvents(org_id, 2)
      const stopped = yield* Effect.fork(worker)
      yield* TestClock.adjust("20 millis")
      yield* Deferred.await(reached)
      const stopping = yield* Effect.fork(Fiber.interrupt(stopped))
      yield* TestClock.adjust("1100 millis")
      expect((yield* deliveriesTo(webhook_id)).map(({ status }) => status).toSorted()).toEqual(["delivered", "pending"])
      expect(Option.isNone(yield* Fiber.poll(stopping)), "it still waits for the other").toBe(true)
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(stopping)
      const { queued } = yield* Endpoints
      expect(yield* queued).toBe(1)

      const next = answering(() => Effect.succeed(200))
      yield* running(next.worker)
      yield* TestClock.adjust("20 millis")
      expect(attemptsOf(next.requests), "at once, and as the same attempt").toEqual(["1"])
      expect(requests).toHaveLength(2)
      expect(yield* queued).toBe(0)
    }).pipe(Effect.scoped, Effect.provide(onMemory()))
  )

  it.effect("replays what an active endpoint is to have, and leaves a disabled one's", () =>
    Effect.gen(function* () {
      const { worker } = answering(() => Effect.succeed(500))
      const one = yield* newEndpoint(url)
      const other = yield* newEndpoint(url)
      yield* newEvents(one.org_id, 1203)
      yield* running(worker)
      yield* TestClock.adjust("10 seconds")
      const { age } = yield* Endpoints
      const letters = yield* DeadLetters
      const deadTo = (webhook_id: WebhookId) =>
        Effect.map(deliveriesTo(webhook_id), (all) => all.filter(({ status }) => status === "dead"))
      expect(yield* deadTo(one.webhook_id)).toHaveLength(1203)
      expect(yield* deadTo(other.webhook_id)).toEqual([])
      const mine = { webhook_id: one.webhook_id }
      expect(yield* letters.replay(platform, { ...mine, since: new Date(Date.now() + HOUR) })).toEqual({
        replayed: 0,
        disabled: 0
      })
      expect(yield* letters.replay(platform, { ...mine, since: new Date(0) })).toEqual({
        replayed: 1203,
        disabled: 0
      })
      yield* age(one.webhook_id, 120)
      yield* TestClock.adjust("1 second")
      const dead = yield* deadTo(one.webhook_id)
      expect(dead).toHaveLength(1203)
      expect(yield* letters.replay(platform, mine)).toEqual({ replayed: 0, disabled: 1203 })
      const { log, payload } = yield* letters.show(platform, dead.at(-1)!.delivery_id)
      expect(log.length).toBeGreaterThanOrEqual(1)
      expect(JSON.parse(payload)).toMatchObject({ event_id: dead.at(-1)!.event_id })
    }).pipe(Effect.scoped, Effect.provide(onMemory({ WEBHOOK_RETRY_DELAYS: "1 second" })))
  )
})
