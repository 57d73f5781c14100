import { expect } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { messageWindow } from "../../../src/domain/policies/PeoplePolicies.ts"
import { MessageCounts } from "../../../src/platform/notifications/NotificationStore.ts"
import { nextId } from "../../support/StoreFixtures.ts"
import { onBothStores } from "../../support/Stores.ts"

onBothStores("MessageCounts", (it) => {
  it.effect("counts as many as are allowed, however many come at once, and says when to come again", () =>
    Effect.gen(function* () {
      const counts = yield* MessageCounts
      const [name, other] = [yield* nextId, yield* nextId]
      const all = yield* Effect.replicateEffect(counts.count(name, 5), 12, { concurrency: "unbounded" })
      expect(all.filter(({ allowed }) => allowed)).toHaveLength(5)
      for (const refused of all.filter((one) => !one.allowed)) {
        expect(refused).toEqual({ allowed: false, retryAfterSeconds: expect.any(Number) })
        const { retryAfterSeconds } = refused as { readonly retryAfterSeconds: number }
        expect(retryAfterSeconds).toBeGreaterThanOrEqual(1)
        expect(retryAfterSeconds).toBeLessThanOrEqual(Duration.toSeconds(messageWindow))
      }
      expect(yield* counts.count(other, 5), "by name").toEqual({ allowed: true })
      expect(yield* counts.count(name, 6), "up to what is allowed now").toEqual({ allowed: true })
    })
  )
})
