import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { StoresLive } from "../../src/app/Stores.ts"
import { Ids, nilUuid } from "../../src/domain/Ids.ts"
import { type RateLock, RateLockStore } from "../../src/rates/RateLockStore.ts"
import { newMember, newOrganization, nextId } from "../stores/Fixtures.ts"
import { onBothStores } from "../support/Stores.ts"
import { TestDatabase } from "../support/TestDatabase.ts"
import { testSettings } from "../support/TestSettings.ts"

const now = new Date("2026-03-02T09:15:00.123Z")
const minutes = (count: number) => new Date(now.getTime() + count * 60_000)
const DAY = 24 * 60

const newLock = (org_id: string, about: Partial<RateLock> = {}) =>
  Effect.gen(function* () {
    const lock: RateLock = {
      org_rate_id: yield* nextId,
      org_id,
      from_currency: "USD",
      to_currency: "BTC",
      rate: "0.000014652014652",
      expires_at: minutes(15),
      created_at: now,
      ...about
    }
    yield* Effect.flatMap(RateLockStore, (store) => store.insert(lock))
    return lock
  })

onBothStores("RateLockStore", (it) => {
  it.effect("gives a lock back as it was made, to the millisecond and the last digit", () =>
    Effect.gen(function* () {
      const store = yield* RateLockStore
      const { org_id } = yield* newOrganization()
      const lock = yield* newLock(org_id)
      const other = yield* newLock(org_id, { rate: "1300", to_currency: "NGN" })
      expect(yield* store.find(org_id, lock.org_rate_id)).toEqual(Option.some(lock))
      expect(yield* store.find(org_id, other.org_rate_id)).toEqual(Option.some(other))
      expect(yield* store.find(org_id, nilUuid)).toEqual(Option.none())
    })
  )

  it.effect("shows nobody the lock of another organisation", () =>
    Effect.gen(function* () {
      const store = yield* RateLockStore
      const [mine, theirs] = yield* Effect.all([newOrganization(), newOrganization()])
      const lock = yield* newLock(theirs.org_id)
      expect(yield* store.find(mine.org_id, lock.org_rate_id)).toEqual(Option.none())
    })
  )

  it.effect("keeps an expired lock for a day", () =>
    Effect.gen(function* () {
      const store = yield* RateLockStore
      const { org_id } = yield* newOrganization()
      const old = yield* newLock(org_id, { expires_at: minutes(-DAY) })
      yield* newLock(org_id)
      expect(yield* store.find(org_id, old.org_rate_id)).toEqual(Option.some(old))
    })
  )
})

const database = StoresLive.pipe(
  Layer.provideMerge(TestDatabase),
  Layer.provideMerge(Ids.layer),
  Layer.provide(testSettings())
)

const payWith = (lock: RateLock) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { user_id } = yield* newMember(lock.org_id, "staff")
    const payment = {
      payment_id: yield* nextId,
      transaction_id: yield* nextId,
      org_id: lock.org_id,
      user_id,
      status: "initiated",
      direction: "inbound",
      payment_method: "card",
      country: "KE",
      amount: "10",
      currency: lock.from_currency,
      target_amount: "1",
      target_currency: lock.to_currency,
      org_rate_id: lock.org_rate_id,
      created_at: now,
      updated_at: now
    }
    yield* sql`insert into payments ${sql.insert(payment)}`
  })

layer(database, { excludeTestServices: true, timeout: "60 seconds" })("Pruning of rate locks", (it) => {
  it.effect("a new lock removes old ones that no payment was made with, a few at a time", () =>
    Effect.gen(function* () {
      const store = yield* RateLockStore
      const sql = yield* SqlClient.SqlClient
      const { org_id } = yield* newOrganization()
      const past = { created_at: minutes(-2 * DAY), expires_at: minutes(-DAY - 1) }
      const used = yield* newLock(org_id, past)
      yield* payWith(used)
      yield* Effect.replicateEffect(newLock(org_id, past), 30)
      const left = Effect.map(sql`select 1 from rate_locks`, (rows) => rows.length)
      expect(yield* left).toBe(31)
      yield* newLock(org_id)
      expect(yield* left).toBeLessThanOrEqual(13)
      expect(yield* left).toBeGreaterThanOrEqual(12)
      yield* newLock(org_id)
      expect(yield* left).toBe(3)
      expect(yield* store.find(org_id, used.org_rate_id)).toEqual(Option.some(used))
    })
  )
})
