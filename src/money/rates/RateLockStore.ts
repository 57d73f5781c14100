/** Rates that lookups locked, at rest, on the clock of the database. One that a payment was made with stays for good. */
import { SqlClient } from "@effect/sql"
import { Clock, Context, Duration, Effect, Layer, Option } from "effect"
import { memoryTable, openTables } from "../../platform/database/MemoryDatabase.ts"
import { rateTables } from "./MemoryTables.ts"
import { firstRow } from "../../platform/database/Query.ts"
import { rateLockRetention, retentionBatch } from "../../domain/Policies.ts"

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
  /** Of those that nobody used; answers with how many were forgotten, one batch at most. */
  readonly forgetOld: Effect.Effect<number>
}

/** Every new lock looks at this many old ones, so that the table does not grow faster than the payments do. */
const PRUNED_AT_ONCE = 20

/** As far as they name the lock whose rate they were made at. */
const paymentsAtARate = memoryTable<{ readonly org_rate_id: string | null }>("payments")

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
        ),
      forgetOld: sql`delete from rate_locks where org_rate_id = any (array(
          select l.org_rate_id from rate_locks l
          where l.expires_at < now() - make_interval(secs => ${Duration.toSeconds(rateLockRetention)})
            and not exists (select 1 from payments p where p.org_rate_id = l.org_rate_id)
          limit ${retentionBatch})) returning 1 as forgotten`.pipe(
        Effect.map((rows) => rows.length),
        Effect.orDie
      )
    }))
  )

  static readonly layerMemory = Layer.effect(
    RateLockStore,
    Effect.map(openTables({ ...rateTables, payments: paymentsAtARate }), ({ payments, rateLocks }): Store => ({
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
        ),
      forgetOld: Effect.map(Clock.currentTimeMillis, (now) => {
        const before = now - Duration.toMillis(rateLockRetention)
        const used = new Set(Array.from(payments.values(), ({ org_rate_id }) => org_rate_id))
        const old = Array.from(rateLocks.values())
          .filter(({ expires_at, org_rate_id }) => expires_at.getTime() < before && !used.has(org_rate_id))
          .slice(0, retentionBatch)
        for (const { org_rate_id } of old) rateLocks.delete(org_rate_id)
        return old.length
      })
    }))
  )
}
