/** Locked rates in PostgreSQL. */
import { SqlClient } from "@effect/sql"
import { Duration, Effect, Layer, Option } from "effect"
import { rateLockRetention } from "../../domain/policies/Payments.ts"
import { retentionBatch } from "../../domain/policies/Server.ts"
import { rowAs } from "../../platform/database/Rows.ts"
import { RateLock, RateLockStore, ReadRateLock } from "./RateLockStore.ts"

const timesOf = rowAs(RateLock.pick("expires_at", "created_at"))
const lockOf = rowAs(ReadRateLock)

/** Every new lock looks at this many old ones, so that the table does not grow faster than the payments do. */
const PRUNED_AT_ONCE = 20

export const rateLockStoreSql = Layer.effect(
  RateLockStore,
  Effect.map(SqlClient.SqlClient, (sql) => ({
    insert: (lock, ttl) =>
      sql`with old as (
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
        Effect.flatMap(timesOf),
        Effect.map((written) => ({ ...lock, ...Option.getOrThrow(written) })),
        Effect.orDie
      ),
    find: (orgId, orgRateId) =>
      sql`select org_rate_id, org_id, from_currency, to_currency, trim_scale(rate)::text as rate,
            expires_at, created_at, now() as read_at
          from rate_locks where org_rate_id = ${orgRateId} and org_id = ${orgId}`.pipe(
        Effect.flatMap(lockOf),
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
