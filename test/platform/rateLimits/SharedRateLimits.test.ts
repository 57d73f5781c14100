/** Limits that several instances share: three of them over one store, each with its own memory. */
import { expect } from "@effect/vitest"
import { Clock, Effect, Exit, Layer } from "effect"
import { RateLimits, RateLimitUsageStore } from "../../../src/platform/rateLimits/RateLimits.ts"
import { onBothStores } from "../../support/OnBothStores.ts"
import { nextId } from "../../support/StoreFixtures.ts"

const instance = (perMinute: number) =>
  Effect.gen(function* () {
    const store = yield* RateLimitUsageStore
    const limits = yield* RateLimits.pipe(
      Effect.provide(Layer.fresh(RateLimits.layer).pipe(Layer.provide(Layer.succeed(RateLimitUsageStore, store))))
    )
    const limiter = limits.limiter("requests", perMinute)
    const take = (key: string) => Effect.map(Clock.currentTimeMillis, (now) => limiter.take(key, now).allowed)
    return { exchange: limits.exchange, take }
  })

onBothStores("Limits across instances", (it) => {
  it.effect("count what every instance has let through", () =>
    Effect.gen(function* () {
      const key = yield* nextId
      const all = yield* Effect.replicateEffect(instance(3), 3)
      for (const { take } of all) expect(yield* take(key)).toBe(true)
      for (const { exchange } of all) yield* exchange
      for (const { exchange } of all) yield* exchange
      for (const { take } of all) expect(yield* take(key)).toBe(false)
      const [first] = all
      expect(yield* first!.take(yield* nextId), "of others nothing").toBe(true)
    })
  )

  it.effect("are known to an instance that starts later, also from one that is gone", () =>
    Effect.gen(function* () {
      const key = yield* nextId
      const gone = yield* instance(2)
      for (let i = 0; i < 2; i++) yield* gone.take(key)
      yield* gone.exchange
      const late = yield* instance(2)
      yield* late.exchange
      expect(yield* late.take(key)).toBe(false)
    })
  )

  it.effect("count a batch once, however often it is sent and received", () =>
    Effect.gen(function* () {
      const store = yield* RateLimitUsageStore
      const [me, other, key] = [yield* nextId, yield* nextId, yield* nextId]
      const batch = { number: 7, spent: [["requests", key, 3] as const] }
      yield* store.exchange(other, batch, new Map())
      yield* store.exchange(other, batch, new Map())
      const ofOther = (known: ReadonlyMap<string, number>) =>
        Effect.map(store.exchange(me, undefined, known), (usages) => usages.filter(({ instance: by }) => by === other))
      expect(yield* ofOther(new Map())).toEqual([{ ...batch, instance: other, ageMillis: expect.any(Number) }])
      expect(yield* ofOther(new Map([[other, 7]]))).toEqual([])
      expect(yield* ofOther(new Map([[other, 6]]))).toHaveLength(1)
      expect(
        yield* Effect.map(store.exchange(other, undefined, new Map()), (usages) => usages.map((one) => one.instance)),
        "not its own"
      ).not.toContain(other)
    })
  )

  it.effect("report again what may not have been written down", () =>
    Effect.gen(function* () {
      const store = yield* RateLimitUsageStore
      const key = yield* nextId
      let broken = true
      const breaking = RateLimitUsageStore.of({
        exchange: (...given) =>
          Effect.zipRight(
            store.exchange(...given),
            Effect.suspend(() => (broken ? Effect.die("lost") : store.exchange(...given)))
          )
      })
      const limits = yield* RateLimits.pipe(
        Effect.provide(Layer.fresh(RateLimits.layer).pipe(Layer.provide(Layer.succeed(RateLimitUsageStore, breaking))))
      )
      limits.limiter("requests", 10).spend(key, yield* Clock.currentTimeMillis)
      expect(Exit.isFailure(yield* Effect.exit(limits.exchange))).toBe(true)
      broken = false
      yield* limits.exchange
      const tokens = Effect.map(store.exchange(yield* nextId, undefined, new Map()), (usages) =>
        usages.flatMap(({ spent }) => spent).filter(([, of]) => of === key)
      )
      expect(yield* tokens).toEqual([["requests", key, 1]])
    })
  )
})
