import { expect } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { type PromptLimit, PromptStore, secondsToWait } from "../../../src/payments/prompts/PhonePrompts.ts"
import { nextId } from "../../support/StoreFixtures.ts"
import { onBothStores } from "../../support/OnBothStores.ts"

const limit = (window: Duration.DurationInput, most: number): PromptLimit => ({ window: Duration.decode(window), most })

onBothStores("PromptStore", (it) => {
  it.effect("counts no more than each limit allows, of those that come at once", () =>
    Effect.gen(function* () {
      const store = yield* PromptStore
      const [phone, other] = [yield* nextId, yield* nextId]
      const limits = [limit("10 minutes", 3), limit("1 day", 5)] as const
      const all = yield* Effect.replicateEffect(store.count(phone, limits), 20, { concurrency: "unbounded" })
      expect(all.filter(({ allowed }) => allowed)).toHaveLength(3)
      for (const one of all) {
        if (one.allowed) continue
        expect(one.retryAfterSeconds).toBeGreaterThan(500)
        expect(one.retryAfterSeconds).toBeLessThanOrEqual(600)
      }
      const wider = [limit("10 minutes", 30), limit("1 day", 5)] as const
      const more = yield* Effect.replicateEffect(store.count(phone, wider), 20, { concurrency: "unbounded" })
      expect(more.filter(({ allowed }) => allowed)).toHaveLength(2)
      expect(more.find(({ allowed }) => !allowed)).toMatchObject({ retryAfterSeconds: expect.any(Number) })
      expect((yield* store.count(other, limits)).allowed, "each number has its own").toBe(true)
    })
  )

  it.effect("counts again as prompts pass out of their windows, one by one", () =>
    Effect.gen(function* () {
      const store = yield* PromptStore
      const phone = yield* nextId
      const limits = [limit("1 second", 1), limit("1 day", 2)] as const
      const once = store.count(phone, limits)
      expect((yield* once).allowed).toBe(true)
      expect(yield* once).toEqual({ allowed: false, retryAfterSeconds: 1 })
      yield* Effect.repeat(Effect.zipRight(Effect.sleep("20 millis"), once), { until: ({ allowed }) => allowed })
      expect((yield* store.count(phone, [limit("1 milli", 9), limit("1 day", 2)])).allowed, "the day is used up").toBe(
        false
      )
    })
  )

  it.effect("says when the limit that ends last has room again", () =>
    Effect.sync(() => {
      const limits = [limit("10 seconds", 2), limit("100 seconds", 3)]
      expect(secondsToWait([], limits, 0)).toBe(0)
      expect(secondsToWait([1000], limits, 2000)).toBe(0)
      expect(secondsToWait([1000, 1500], limits, 2000)).toBe(9)
      expect(secondsToWait([1000, 1500, 11_500], limits, 12_000)).toBe(89)
    })
  )
})
