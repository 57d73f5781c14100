/** Rates that lookups locked, at rest. One that a payment was made with stays for good. */
import { SqlClient } from "@effect/sql"
import { Context, Duration, Effect, Layer, Option } from "effect"
import { MemoryTables } from "../database/MemoryTables.ts"
import { firstRow } from "../database/Query.ts"
import { rateLockRetention } from "../domain/Policies.ts"

export interface RateLock {
  readonly org_rate_id: string
  readonly org_id: string
  readonly from_currency: string
  readonly to_currency: string
  /** Decimal text, without trailing zeros. */
  readonly rate: string
  readonly expires_at: Date
  readonly created_at: Date
}

interface Store {
  readonly insert: (lock: RateLock) => Effect.Effect<void>
  readonly find: (orgId: string, orgRateId: string) => Effect.Effect<Option.Option<RateLock>>
}

/** Every new lock looks at this many old ones, so that the table does not grow faster than the payments do. */
const PRUNED_AT_ONCE = 20

export class RateLockStore extends Context.Tag("corridor/RateLockStore")<RateLockStore, Store>() {
  static readonly layer = Layer.effect(
    RateLockStore,
    Effect.map(SqlClient.SqlClient, (sql): Store => ({
      insert: (lock) => {
        const forgotten = new Date(lock.created_at.getTime() - Duration.toMillis(rateLockRetention))
        return sql`with old as (
              select org_rate_id from rate_locks where expires_at < ${forgotten}
              order by expires_at desc limit ${PRUNED_AT_ONCE} for update skip locked
            ), pruned as (
              delete from rate_locks l using old where l.org_rate_id = old.org_rate_id
                and not exists (select 1 from payments p where p.org_rate_id = l.org_rate_id)
            )
            insert into rate_locks ${sql.insert({ ...lock })}`.pipe(Effect.orDie, Effect.asVoid)
      },
      find: (orgId, orgRateId) =>
        sql<RateLock>`select org_rate_id, org_id, from_currency, to_currency, trim_scale(rate)::text as rate,
              expires_at, created_at
            from rate_locks where org_rate_id = ${orgRateId} and org_id = ${orgId}`.pipe(
          Effect.map(firstRow),
          Effect.orDie
        )
    }))
  )

  static readonly layerMemory = Layer.effect(
    RateLockStore,
    Effect.map(MemoryTables, ({ rateLocks }): Store => ({
      insert: (lock) => Effect.sync(() => void rateLocks.set(lock.org_rate_id, lock)),
      find: (orgId, orgRateId) =>
        Effect.sync(() => Option.filter(Option.fromNullable(rateLocks.get(orgRateId)), (lock) => lock.org_id === orgId))
    }))
  )
}
