/** Retention: rows are deleted after their time, and no others. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Duration, Effect, Layer, Option } from "effect"
import { type PaymentId, Ids } from "../../src/domain/Ids.ts"
import { deleteExpired } from "../../src/app/BackgroundWorkers.ts"
import { MemoryDatabase } from "../../src/platform/database/MemoryDatabase.ts"
import { rateLockTables } from "../../src/money/rates/RateLockMemory.ts"
import { notificationTables } from "../../src/platform/notifications/NotificationMemory.ts"
import { IdempotencyStore } from "../../src/platform/idempotency/IdempotencyStore.ts"
import { NotificationStore } from "../../src/platform/notifications/NotificationStore.ts"
import { PaymentStore } from "../../src/payments/store/PaymentStore.ts"
import { RateLockStore } from "../../src/money/rates/RateLockStore.ts"
import { makePayment, newOwner } from "../payments/support/NewPayment.ts"
import { openStoresOn } from "../payments/support/PaymentServices.ts"
import { age } from "../platform/idempotency/AgeKeys.ts"
import { nextId } from "../support/StoreFixtures.ts"
import { backends } from "../support/OnBothStores.ts"
import { testSettings } from "../support/TestSettings.ts"

const DAY = 24 * 60 * 60 * 1000

const ago = (days: number) => new Date(Date.now() - days * DAY)

/** Dates the outbox back by so many days. */
const ageOutbox = (id: string, days: number) =>
  Effect.gen(function* () {
    const sql = yield* Effect.serviceOption(SqlClient.SqlClient)
    if (Option.isSome(sql)) {
      yield* sql.value`update notifications set created_at = ${ago(days)} where notification_id = ${id}`
      return
    }
    const { notifications } = (yield* Effect.serviceOptional(MemoryDatabase)).open(notificationTables)
    notifications.set(id, { ...notifications.get(id)!, created_at: ago(days) })
  }).pipe(Effect.orDie)

const ageLock = (id: string, days: number) =>
  Effect.gen(function* () {
    const sql = yield* Effect.serviceOption(SqlClient.SqlClient)
    if (Option.isSome(sql)) {
      yield* sql.value`update rate_locks set expires_at = ${ago(days)} where org_rate_id = ${id}`
      return
    }
    const { rateLocks } = (yield* Effect.serviceOptional(MemoryDatabase)).open(rateLockTables)
    rateLocks.set(id, { ...rateLocks.get(id)!, expires_at: ago(days) })
  }).pipe(Effect.orDie)

for (const backend of backends) {
  const services = openStoresOn(backend).pipe(Layer.provideMerge(Ids.layer), Layer.provideMerge(testSettings()))
  layer(services, { excludeTestServices: true, timeout: "60 seconds" })(`Retention on ${backend}`, (it) => {
    it.effect("deletes old messages and keeps recent ones", () =>
      Effect.gen(function* () {
        const store = yield* NotificationStore
        const { org_id } = yield* newOwner
        const written = (days: number) =>
          Effect.gen(function* () {
            const notification_id = yield* nextId
            const message = {
              to: "a@example.com",
              subject: "s",
              text: "t",
              kind: "invitation",
              priority: "low"
            } as const
            yield* store.insert({ ...message, notification_id, org_id })
            yield* ageOutbox(notification_id, days)
            return notification_id
          })
        const old = yield* written(31)
        const young = yield* written(29)
        expect(yield* store.forgetOld).toBe(1)
        expect(yield* store.find(Option.some(org_id), old)).toEqual(Option.none())
        expect(Option.isSome(yield* store.find(Option.some(org_id), young))).toBe(true)
      })
    )

    it.effect("deletes old rate locks without a payment", () =>
      Effect.gen(function* () {
        const store = yield* RateLockStore
        const owner = yield* newOwner
        const { org_id } = owner
        const locked = (days: number) =>
          Effect.gen(function* () {
            const org_rate_id = yield* nextId
            const pair = { from_currency: "USD", to_currency: "KES", rate: "129.35", amount: null }
            yield* store.insert({ org_rate_id, org_id, ...pair }, Duration.zero)
            yield* ageLock(org_rate_id, days)
            return org_rate_id
          })
        const used = yield* locked(9)
        const payment = yield* makePayment(owner, { org_rate_id: used })
        yield* Effect.flatMap(PaymentStore, ({ create }) => create({ payment, attempt: null }))
        const [young, old] = [yield* locked(0.9), yield* locked(1.1)]
        expect(yield* store.forgetOld).toBe(1)
        const left = yield* Effect.forEach([young, used, old], (id) => store.find(org_id, id))
        expect(left.map(Option.isSome)).toEqual([true, true, false])
      })
    )

    it.effect("deletes all old unmatched callbacks, and keeps matched ones", () =>
      Effect.gen(function* () {
        const store = yield* PaymentStore
        const keys = yield* IdempotencyStore
        const owner = yield* newOwner
        const payment = yield* makePayment(owner)
        yield* store.create({ payment, attempt: null })
        const stored = (payment_id: PaymentId | null, days: number) =>
          Effect.gen(function* () {
            const event_key = yield* nextId
            const callback_id = yield* nextId
            const org_id = payment_id === null ? null : owner.org_id
            const words = { provider: "stripe", report: "completed", effect: "unknown payment" } as const
            const about = { callback_id, event_key, payment_id, attempt_id: null, org_id, received_at: ago(days) }
            yield* store.storeCallback({ ...words, ...about })
            return event_key
          })
        const all = [yield* stored(null, 89), yield* stored(payment.payment_id, 400), yield* stored(null, 91)]
        const claimed = (by: Duration.DurationInput) =>
          Effect.gen(function* () {
            const name = { org_id: owner.org_id, operation: "a test", key: yield* nextId }
            yield* keys.claim(null, { ...name, body_digest: "digest", claim: yield* nextId })
            yield* age(name.key, by)
            return name
          })
        yield* claimed("25 hours")
        const young = yield* claimed("23 hours")
        yield* deleteExpired
        const seen = yield* Effect.forEach(all, (key) => store.callbackSeen("stripe", key))
        expect(seen).toEqual([true, true, false])
        expect(yield* keys.forgetOld, "keys that were left to forget").toBe(0)
        expect(Option.isSome(yield* keys.find(young))).toBe(true)
        expect(Option.isSome(yield* store.find(Option.some(owner.org_id), payment.payment_id))).toBe(true)
      })
    )
  })
}
