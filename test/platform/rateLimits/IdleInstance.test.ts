/** An instance without requests exchanges usage when another instance has stored some. */
import { describe, expect, it } from "@effect/vitest"
import { Clock, Effect, Layer, TestClock } from "effect"
import { Ids } from "../../../src/domain/Ids.ts"
import { MemoryDatabase } from "../../../src/platform/database/MemoryDatabase.ts"
import { WorkQueues } from "../../../src/platform/database/WorkQueues.ts"
import { rateLimitUsageMemory } from "../../../src/platform/rateLimits/RateLimitUsageMemory.ts"
import { RateLimits, RateLimitUsageStore } from "../../../src/platform/rateLimits/RateLimits.ts"

const nothing = { queue: "rate_limits", is_due: false, wait: null } as const

/** Instance whose worker runs, and rests while nothing is due. */
const restingInstance = (perMinute: number) =>
  Effect.gen(function* () {
    const queues = WorkQueues.make()
    const store = yield* RateLimitUsageStore
    let exchanges = 0
    const counted = RateLimitUsageStore.of({
      exchange: (...given) => Effect.suspend(() => ((exchanges += 1), store.exchange(...given)))
    })
    const limits = yield* RateLimits.pipe(
      Effect.provide(Layer.fresh(RateLimits.layer).pipe(Layer.provide(Layer.succeed(RateLimitUsageStore, counted)))),
      Effect.provideService(WorkQueues, queues)
    )
    const limiter = limits.limiter("requests", perMinute)
    yield* queues.read([nothing])
    yield* Effect.forkScoped(limits.worker)
    const take = (key: string) => Effect.map(Clock.currentTimeMillis, (now) => limiter.take(key, now).allowed)
    return { exchanges: () => exchanges, queues, take }
  })

describe("An instance without requests", () => {
  it.scoped("knows what others let through, in at most two exchanges a second, and wakes no instance", () =>
    Effect.gen(function* () {
      const busy = yield* restingInstance(60)
      const idle = yield* restingInstance(60)
      const clock = yield* Effect.clock
      yield* busy.queues.attach((queue, inMillis) => idle.queues.receive(queue, inMillis, clock))
      yield* idle.queues.attach((queue, inMillis) => busy.queues.receive(queue, inMillis, clock))
      for (let n = 0; n < 60; n++) expect(yield* busy.take("key")).toBe(true)
      yield* TestClock.adjust("1 second")
      expect(yield* idle.take("key"), "one token was refilled").toBe(true)
      expect(yield* idle.take("key")).toBe(false)

      const [before, after] = [idle.exchanges(), busy.exchanges()]
      for (let n = 0; n < 50; n++) {
        yield* busy.take(`key ${n}`)
        yield* TestClock.adjust("100 millis")
      }
      expect(idle.exchanges() - before).toBeGreaterThanOrEqual(5)
      expect(idle.exchanges() - before).toBeLessThanOrEqual(11)
      expect(busy.exchanges() - after).toBeLessThanOrEqual(11)

      yield* TestClock.adjust("2 seconds")
      const rested = [idle.exchanges(), busy.exchanges()]
      for (let n = 0; n < 10; n++) {
        for (const { queues } of [busy, idle]) yield* queues.read([nothing])
        yield* TestClock.adjust("1 second")
      }
      expect([idle.exchanges(), busy.exchanges()]).toEqual(rested)
    }).pipe(Effect.provide(Layer.merge(rateLimitUsageMemory.pipe(Layer.provide(MemoryDatabase.layer)), Ids.layer)))
  )
})
