/** Rates that lookups locked, at rest, on the clock of the database. One that a payment was made with stays for good. */
import { SqlClient } from "@effect/sql"
import { Clock, Context, Duration, Effect, Layer, Option } from "effect"
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

export type NewRateLock = Omit<RateLock, "expires_at" | "created_at">

/** With the time at which it was read. */
export interface ReadRateLock extends RateLock {
  readonly read_at: Date
}

interface Store {
  /** From now on, for so long. */
  readonly insert: (lock: NewRateLock, ttl: Duration.Duration) => Effect.Effect<RateLock>
  readonly find: (orgId: string, orgRateId: string) => Effect.Effect<Option.Option<ReadRateLock>>
}

/** Every new lock looks at this many old ones, so that the table does not grow faster than the payments do. */
const PRUNED_AT_ONCE = 20

export class RateLockStore extends Context.Tag("corridor/RateLockStore")<RateLockStore, Store>() {
  static readonly layer = Layer.effect(
    RateLockStore,
    Effect.map(SqlClient.SqlClient, (sql): Store => ({
      insert: (lock, ttl) =>
        sql<Pick<RateLock, "expires_at" | "created_at">>`with old as (
              select org_rate_id from rate_locks
              where expires_at < now() - make_interval(secs => ${Duration.toSeconds(rateLockRetention)})
              order by expires_at desc limit ${PRUNED_AT_ONCE} for update skip locked
            ), pruned as (
              delete from rate_locks l using old where l.org_rate_id = old.org_rate_id
                and not exists (select 1 from payments p where p.org_rate_id = l.org_rate_id)
            )
            insert into rate_locks (org_rate_id, org_id, from_currency, to_currency, rate, created_at, expires_at)
            values (${lock.org_rate_id}, ${lock.org_id}, ${lock.from_currency}, ${lock.to_currency}, ${lock.rate},
              now(), now() + make_interval(secs => ${Duration.toSeconds(ttl)}))
            returning expires_at, created_at`.pipe(
          Effect.map(([times]) => ({ ...lock, ...times! })),
          Effect.orDie
        ),
      find: (orgId, orgRateId) =>
        sql<ReadRateLock>`select org_rate_id, org_id, from_currency, to_currency, trim_scale(rate)::text as rate,
              expires_at, created_at, now() as read_at
            from rate_locks where org_rate_id = ${orgRateId} and org_id = ${orgId}`.pipe(
          Effect.map(firstRow),
          Effect.orDie
        )
    }))
  )

  static readonly layerMemory = Layer.effect(
    RateLockStore,
    Effect.map(MemoryTables, ({ rateLocks }): Store => ({
      insert: (lock, ttl) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          const times = { created_at: new Date(now), expires_at: new Date(now + Duration.toMillis(ttl)) }
          rateLocks.set(lock.org_rate_id, { ...lock, ...times })
          return { ...lock, ...times }
        }),
      find: (orgId, orgRateId) =>
        Effect.map(Clock.currentTimeMillis, (now) =>
          Option.fromNullable(rateLocks.get(orgRateId)).pipe(
            Option.filter((lock) => lock.org_id === orgId),
            Option.map((lock) => ({ ...lock, read_at: new Date(now) }))
          )
        )
    }))
  )
}
