/** The worker on the clock of the tests, with receivers that are a function. */
import { describe, expect, it } from "@effect/vitest"
import { Clock, Deferred, Duration, Effect, Fiber, Layer, Option, TestClock } from "effect"
import { Settings } from "../../../src/config/Settings.ts"
import { operatorPermit } from "../../../src/domain/Access.ts"
import { webhookRetry } from "../../../src/domain/Policies.ts"
import { DeadLetters } from "../../../src/webhooks/delivery/DeadLetters.ts"
import { DeadLetterStore } from "../../../src/webhooks/delivery/DeadLetterStore.ts"
import { deliveryWorker } from "../../../src/webhooks/delivery/DeliveryWorker.ts"
import { HookClient, NotAnswered } from "../../../src/webhooks/delivery/HookClient.ts"
import type { HookRequest } from "../../../src/webhooks/delivery/HookExchange.ts"
import { QueueStore } from "../../../src/webhooks/delivery/QueueStore.ts"
import { testSettings } from "../../support/TestSettings.ts"
import { deliveriesTo, Endpoints, newEndpoint, newEvents, onMemory } from "./Fixtures.ts"

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const url = "http://127.0.0.1:1/hooks"

const answering = (post: (request: HookRequest, nth: number) => Effect.Effect<number, NotAnswered>) => {
  const requests: Array<HookRequest & { readonly at: number }> = []
  const client = Layer.succeed(HookClient, {
    post: (request) =>
      Effect.flatMap(Clock.currentTimeMillis, (at) => {
        requests.push({ ...request, at })
        return Effect.map(post(request, requests.length), (status) => ({ status, text: "" }))
      })
  })
  return { requests, worker: Effect.provide(deliveryWorker, client) }
}

/** At the end the clock goes on, since a worker that is stopped waits a moment for what it has under way. */
const running = <R>(worker: Effect.Effect<never, never, R>) =>
  Effect.acquireRelease(Effect.forkDaemon(Effect.interruptible(worker)), (fiber) =>
    Effect.gen(function* () {
      const stopping = yield* Effect.fork(Fiber.interrupt(fiber))
      yield* TestClock.adjust("3 seconds")
      yield* Fiber.join(stopping)
    })
  )

const attemptsOf = (requests: ReadonlyArray<HookRequest>) => requests.map(({ headers }) => headers["x-service-attempt"])

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
      expect(yield* letters.replay(platform, {}, () => Effect.void)).toEqual({ replayed: 1, disabled: 0 })
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
        const waits = yield* Effect.replicateEffect(webhookRetry(webhookRetryDelays, index + 1), 200)
        const millis = waits.map((wait) => Duration.toMillis(Option.getOrThrow(wait)))
        expect(Math.min(...millis)).toBeGreaterThanOrEqual(wanted)
        expect(Math.max(...millis)).toBeLessThanOrEqual(wanted * 1.01)
        expect(Math.max(...millis) - Math.min(...millis)).toBeGreaterThan(wanted * 0.008)
      }
      expect(yield* webhookRetry(webhookRetryDelays, 7)).toEqual(Option.none())
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
      const client = Layer.succeed(HookClient, {
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
      const queue = yield* QueueStore
      const claim = queue.claim({ after: "", limit: 1, failingLimit: 1, underWay: new Map(), leaseMillis: 0 })
      for (let nth = 1; nth <= 7; nth += 1) {
        expect((yield* claim).deliveries).toMatchObject([{ attempt: nth }])
      }
      yield* running(worker)
      yield* TestClock.adjust("1 second")
      expect(requests).toEqual([])
      expect(yield* deliveriesTo(webhook_id)).toMatchObject([
        { status: "dead", last_error: "no attempt came to its end" }
      ])
    }).pipe(Effect.scoped, Effect.provide(onMemory()))
  )

  it.effect("has eight under way to an endpoint and 64 in all", () =>
    Effect.gen(function* () {
      const { requests, worker } = answering(() => Effect.never)
      const endpoints = yield* Effect.replicateEffect(newEndpoint(url), 20)
      yield* Effect.forEach(endpoints, ({ org_id }) => newEvents(org_id, 12), { discard: true })
      yield* running(worker)
      yield* TestClock.adjust("5 seconds")
      expect(requests).toHaveLength(64)
    }).pipe(Effect.scoped, Effect.provide(onMemory()))
  )

  it.effect("keeps half of its room from those that failed", () =>
    Effect.gen(function* () {
      const hung = new Set<string>()
      const { requests, worker } = answering(({ body }) =>
        hung.has((JSON.parse(body) as { org_id: string }).org_id)
          ? Effect.delay(Effect.fail(new NotAnswered({ message: "no answer" })), "10 seconds")
          : Effect.succeed(200)
      )
      const bad = yield* Effect.replicateEffect(newEndpoint(url), 8)
      for (const { org_id } of bad) hung.add(org_id)
      yield* Effect.forEach(bad, ({ org_id }) => newEvents(org_id, 60), { discard: true })
      yield* running(worker)
      yield* TestClock.adjust("15 seconds")
      const good = yield* newEndpoint(url)
      yield* newEvents(good.org_id, 100)
      const before = requests.length
      yield* TestClock.adjust("4 seconds")
      const since = requests.slice(before).filter(({ body }) => body.includes(good.org_id))
      expect(since, "while 32 hang").toHaveLength(100)
      expect(before).toBe(64 + 32)
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
      const all = { after: Option.none(), take: 5000 }
      expect(yield* letters.list(platform, {}, all)).toHaveLength(1203)
      expect(yield* letters.list(platform, { webhook_id: other.webhook_id }, all)).toEqual([])
      const progress: Array<readonly [number, number]> = []
      const tell = (done: number, total: number) => Effect.sync(() => progress.push([done, total]))
      const mine = { webhook_id: one.webhook_id }
      expect(yield* letters.replay(platform, { ...mine, since: new Date(Date.now() + HOUR) }, tell)).toEqual({
        replayed: 0,
        disabled: 0
      })
      expect(yield* letters.replay(platform, { ...mine, since: new Date(0) }, tell)).toEqual({
        replayed: 1203,
        disabled: 0
      })
      expect(progress).toEqual([
        [500, 1203],
        [1000, 1203],
        [1203, 1203]
      ])
      yield* age(one.webhook_id, 120)
      yield* TestClock.adjust("1 second")
      const dead = yield* letters.list(platform, {}, all)
      expect(dead).toHaveLength(1203)
      expect(yield* letters.replay(platform, {}, tell)).toEqual({ replayed: 0, disabled: 1203 })
      const { log, payload } = yield* letters.show(platform, dead.at(-1)!.delivery_id)
      expect(log.length).toBeGreaterThanOrEqual(1)
      expect(JSON.parse(payload)).toMatchObject({ event_id: dead.at(-1)!.event_id })
    }).pipe(Effect.scoped, Effect.provide(onMemory({ WEBHOOK_RETRY_DELAYS: "1 second" })))
  )
})
