/** Locks a rate for an organisation: whoever names its id may use it until it expires. */
import { BigDecimal, type Duration, Effect } from "effect"
import { toPlainText } from "../../domain/Decimal.ts"
import type { Exchange } from "../../domain/Exchange.ts"
import { Ids } from "../../domain/Ids.ts"
import { RateLockStore } from "./RateLockStore.ts"

export const makeRateLock = Effect.gen(function* () {
  const locks = yield* RateLockStore
  const ids = yield* Ids
  return Effect.fn("RateLock.lock")(function* (org_id: string, { from, rate, to }: Exchange, ttl: Duration.Duration) {
    const lock = {
      org_rate_id: yield* ids.next,
      org_id,
      from_currency: from,
      to_currency: to,
      rate: toPlainText(BigDecimal.normalize(rate))
    }
    const { created_at, expires_at, org_rate_id } = yield* locks.insert(lock, ttl)
    return { orgRateId: org_rate_id, from, to, rate, expiresAt: expires_at, createdAt: created_at }
  })
})
