/** Uses of locked rates in memory. */
import { BigDecimal, Duration, Either } from "effect"
import { rateGainWindow } from "../../domain/policies/Payments.ts"
import { memoryTable, type Opened } from "../../platform/database/MemoryDatabase.ts"
import { LockRefused, type LockUse } from "./LockUse.ts"

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
    const gains = Array.from(rateLockUses.values())
      .filter(({ org_id, used_at }) => org_id === by.org_id && used_at.getTime() > since)
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
