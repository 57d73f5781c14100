/** Locked rates in memory. */
import { Clock, Duration, Effect, Either, Layer, Option, BigDecimal } from "effect"
import { rateLockRetention, rateGainWindow } from "../../domain/policies/PaymentPolicies.ts"
import { retentionBatch } from "../../domain/policies/ServerPolicies.ts"
import { memoryTable, openTables, type Opened } from "../../platform/database/MemoryDatabase.ts"
import { type RateLock, RateLockStore, LockRefused, type LockUse } from "./RateLockStore.ts"

/** Uses of locked rates in memory. */
interface StoredUse extends LockUse {
  readonly org_id: string
  readonly used_by: string
  readonly used_at: Date
}

export const lockUseTables = { rateLockUses: memoryTable<StoredUse>("rateLockUses") }

type Tables = Opened<typeof lockUseTables>

export const spendInMemory = (
  { rateLockUses }: Tables,
  use: LockUse,
  by: Pick<StoredUse, "org_id" | "used_by">,
  now: number
): Either.Either<void, LockRefused> => {
  if (rateLockUses.has(use.org_rate_id)) return Either.left(new LockRefused({ why: "used" }))
  if (use.gain_bound !== null) {
    const since = now - Duration.toMillis(rateGainWindow)
    const gains = rateLockUses
      .all(({ org_id, used_at }) => org_id === by.org_id && used_at.getTime() > since)
      .map(({ gain }) => BigDecimal.unsafeFromString(gain))
    const total = BigDecimal.sum(BigDecimal.sumAll(gains), BigDecimal.unsafeFromString(use.gain))
    if (BigDecimal.greaterThan(total, BigDecimal.unsafeFromString(use.gain_bound))) {
      return Either.left(new LockRefused({ why: "gain" }))
    }
  }
  rateLockUses.set(use.org_rate_id, { ...use, ...by, used_at: new Date(now) })
  return Either.void
}

export const freeInMemory = ({ rateLockUses }: Tables, orgRateId: string, usedBy: string): void => {
  if (rateLockUses.get(orgRateId)?.used_by === usedBy) rateLockUses.delete(orgRateId)
}

export const rateLockTables = { rateLocks: memoryTable<RateLock>("rateLocks") }

/** Payments, by the lock that they used. */
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
        Option.map(
          tables.rateLocks.one(orgRateId, (lock) => lock.org_id === orgId),
          (lock) => ({ ...lock, read_at: new Date(now), is_used: tables.rateLockUses.has(orgRateId) })
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
      const old = rateLocks
        .all(({ expires_at, org_rate_id }) => expires_at.getTime() < before && !used.has(org_rate_id))
        .slice(0, retentionBatch)
      for (const { org_rate_id } of old) {
        rateLocks.delete(org_rate_id)
        rateLockUses.delete(org_rate_id)
      }
      return old.length
    })
  }))
)
