/** Locked rates in memory. */
import { Clock, Duration, Effect, Either, Layer, Option } from "effect"
import { rateLockRetention } from "../../domain/policies/Payments.ts"
import { retentionBatch } from "../../domain/policies/Server.ts"
import { memoryTable, openTables } from "../../platform/database/MemoryDatabase.ts"
import { lockUseTables, spendInMemory } from "./LockUseMemory.ts"
import { type RateLock, RateLockStore } from "./RateLockStore.ts"

export const rateLockTables = { rateLocks: memoryTable<RateLock>("rateLocks") }

/** As far as they name the lock whose rate they were made at. */
const paymentsAtARate = memoryTable<{ readonly org_rate_id: string | null }>("payments")

export const rateLockStoreMemory = Layer.effect(
  RateLockStore,
  Effect.map(openTables({ ...rateLockTables, ...lockUseTables, payments: paymentsAtARate }), (tables) => ({
    insert: (lock, ttl) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const times = { created_at: new Date(now), expires_at: new Date(now + Duration.toMillis(ttl)) }
        tables.rateLocks.set(lock.org_rate_id, { ...lock, ...times })
        return { ...lock, ...times }
      }),
    find: (orgId, orgRateId) =>
      Effect.map(Clock.currentTimeMillis, (now) =>
        Option.fromNullable(tables.rateLocks.get(orgRateId)).pipe(
          Option.filter((lock) => lock.org_id === orgId),
          Option.map((lock) => ({ ...lock, read_at: new Date(now), is_used: tables.rateLockUses.has(orgRateId) }))
        )
      ),
    spend: (org_id, org_rate_id, used_by) =>
      Effect.map(Clock.currentTimeMillis, (now) =>
        Either.isRight(spendInMemory(tables, { org_rate_id, gain: "0", gain_bound: null }, { org_id, used_by }, now))
      ),
    forgetOld: Effect.map(Clock.currentTimeMillis, (now) => {
      const { payments, rateLocks, rateLockUses } = tables
      const before = now - Duration.toMillis(rateLockRetention)
      const used = new Set(Array.from(payments.values(), ({ org_rate_id }) => org_rate_id))
      const old = Array.from(rateLocks.values())
        .filter(({ expires_at, org_rate_id }) => expires_at.getTime() < before && !used.has(org_rate_id))
        .slice(0, retentionBatch)
      for (const { org_rate_id } of old) {
        rateLocks.delete(org_rate_id)
        rateLockUses.delete(org_rate_id)
      }
      return old.length
    })
  }))
)
