import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Duration, Effect, Layer, Option } from "effect"
import { type OrgId, Ids, nilUuid } from "../../../src/domain/Ids.ts"
import { StoresLive } from "../../../src/app/Stores.ts"
import { type NewRateLock, type RateLock, RateLockStore } from "../../../src/money/rates/RateLockStore.ts"
import { newMember, newOrganization, nextId } from "../../support/StoreFixtures.ts"
import { onBothStores } from "../../support/OnBothStores.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { testSettings } from "../../support/TestSettings.ts"

const TTL = Duration.minutes(15)

const newLock = (org_id: OrgId, about: Partial<NewRateLock> = {}, ttl = TTL) =>
  Effect.gen(function* () {
    const lock: NewRateLock = {
      org_rate_id: yield* nextId,
      org_id,
      from_currency: "USD",
      to_currency: "BTC",
      rate: "0.000014652014652",
      amount: null,
      ...about
    }
    return yield* Effect.flatMap(RateLockStore, (store) => store.insert(lock, ttl))
  })

const found = (org_id: OrgId, { org_rate_id }: RateLock) =>
  Effect.map(
    Effect.flatMap(RateLockStore, (store) => store.find(org_id, org_rate_id)),
    Option.map(({ is_used: _used, read_at: _read, ...lock }) => lock)
  )

onBothStores("RateLockStore", (it) => {
  it.effect("gives a lock back as it was made, to the millisecond and the last digit", () =>
    Effect.gen(function* () {
      const store = yield* RateLockStore
      const { org_id } = yield* newOrganization()
      const lock = yield* newLock(org_id)
      const other = yield* newLock(org_id, { rate: "1300", to_currency: "NGN" })
      expect(lock.expires_at.getTime() - lock.created_at.getTime()).toBe(Duration.toMillis(TTL))
      expect(yield* found(org_id, lock)).toEqual(Option.some(lock))
      expect(yield* found(org_id, other)).toEqual(Option.some(other))
      expect(yield* store.find(org_id, nilUuid)).toEqual(Option.none())
    })
  )

  it.effect("reads the time by the clock of its expiry", () =>
    Effect.gen(function* () {
      const { org_id } = yield* newOrganization()
      const store = yield* RateLockStore
      const readAt = (lock: RateLock) =>
        Effect.map(Effect.flatMap(store.find(org_id, lock.org_rate_id), Effect.orDie), ({ read_at }) => read_at)
      const lock = yield* newLock(org_id)
      const over = yield* newLock(org_id, {}, Duration.zero)
      expect(yield* readAt(lock)).toSatisfy((at: Date) => at >= lock.created_at && at < lock.expires_at)
      expect(yield* readAt(over)).toSatisfy((at: Date) => at >= over.expires_at)
    })
  )

  it.effect("does not find the lock of another organisation", () =>
    Effect.gen(function* () {
      const [mine, theirs] = yield* Effect.all([newOrganization(), newOrganization()])
      const lock = yield* newLock(theirs.org_id)
      expect(yield* found(mine.org_id, lock)).toEqual(Option.none())
    })
  )

  it.effect("spends a lock once, and says so", () =>
    Effect.gen(function* () {
      const store = yield* RateLockStore
      const { org_id } = yield* newOrganization()
      const lock = yield* newLock(org_id, { amount: "100.5" })
      const isUsed = Effect.map(
        Effect.flatMap(store.find(org_id, lock.org_rate_id), Effect.orDie),
        (one) => one.is_used
      )
      expect(yield* isUsed).toBe(false)
      const spend = Effect.flatMap(nextId, (id) => store.spend(org_id, lock.org_rate_id, id))
      const all = yield* Effect.all([spend, spend, spend, spend], { concurrency: "unbounded" })
      expect(all.filter((spent) => spent)).toHaveLength(1)
      expect(yield* isUsed).toBe(true)
      expect(yield* found(org_id, lock)).toEqual(Option.some(lock))
    })
  )

  it.effect("keeps an expired lock when others come", () =>
    Effect.gen(function* () {
      const { org_id } = yield* newOrganization()
      const old = yield* newLock(org_id, {}, Duration.zero)
      yield* newLock(org_id)
      expect(yield* found(org_id, old)).toEqual(Option.some(old))
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
      created_at: lock.created_at,
      updated_at: lock.created_at
    }
    yield* sql`insert into payments ${sql.insert(payment)}`
  })

const age = (hours: number) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`update rate_locks set expires_at = now() - make_interval(hours => ${hours}, secs => 1)`
  )

layer(database, { excludeTestServices: true, timeout: "60 seconds" })("Pruning of rate locks", (it) => {
  it.effect("a new lock removes those that ended a day ago and no payment was made with, a few at a time", () =>
    Effect.gen(function* () {
      const store = yield* RateLockStore
      const sql = yield* SqlClient.SqlClient
      const { org_id } = yield* newOrganization()
      const used = yield* newLock(org_id)
      yield* payWith(used)
      yield* Effect.replicateEffect(newLock(org_id), 30)
      const left = Effect.map(sql`select 1 from rate_locks`, (rows) => rows.length)
      yield* age(23)
      yield* newLock(org_id)
      expect(yield* left).toBe(32)
      yield* age(24)
      yield* newLock(org_id)
      expect(yield* left).toBeLessThanOrEqual(14)
      expect(yield* left).toBeGreaterThanOrEqual(13)
      yield* newLock(org_id)
      expect(yield* left).toBe(3)
      expect(Option.isSome(yield* store.find(org_id, used.org_rate_id))).toBe(true)
    })
  )
})
