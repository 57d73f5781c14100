/** Locked rates in PostgreSQL. */
import { SqlClient, type SqlError } from "@effect/sql"
import { Duration, Effect, Layer, Option } from "effect"
import { rateLockRetention } from "../../domain/policies/PaymentPolicies.ts"
import { retentionBatch } from "../../domain/policies/ServerPolicies.ts"
import { orDatabaseFailure } from "../../platform/database/DatabaseFailure.ts"
import { batched } from "../../platform/database/Batcher.ts"
import { ownedBy, violates, anyRow, query } from "../../platform/database/Query.ts"
import { type NewRateLock, RateLock, RateLockStore, ReadRateLock, LockRefused } from "./RateLockStore.ts"

const timesOf = query(RateLock.pick("org_rate_id", "expires_at", "created_at"))
const lockOf = query(ReadRateLock)

/** Every new lock deletes up to this many expired ones, so that the table does not outgrow the payments. */
const PRUNED_AT_ONCE = 20

interface Wanted extends NewRateLock {
  readonly seconds: number
}

export const rateLockStoreSql = Layer.scoped(
  RateLockStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    // Repeatable: an insert whose connection broke may have been committed.
    const insert = yield* batched(
      (all: ReadonlyArray<Wanted>) =>
        sql`with old as (
            select org_rate_id from rate_locks
            where expires_at < now() - make_interval(secs => ${Duration.toSeconds(rateLockRetention)})
            order by expires_at desc limit ${PRUNED_AT_ONCE} for update skip locked
          ), pruned as (
            delete from rate_locks l using old where l.org_rate_id = old.org_rate_id
              and not exists (select 1 from payments p where p.org_rate_id = l.org_rate_id)
          )
          insert into rate_locks (org_rate_id, org_id, from_currency, to_currency, rate, amount, created_at, expires_at)
          select org_rate_id, org_id, from_currency, to_currency, rate, amount, now(), now() + make_interval(secs => seconds)
          from jsonb_to_recordset(${JSON.stringify(all)}::jsonb)
            as i (org_rate_id uuid, org_id uuid, from_currency text, to_currency text, rate numeric, amount numeric,
              seconds float8)
          on conflict (org_rate_id) do update set org_rate_id = excluded.org_rate_id
          returning org_rate_id, expires_at, created_at`.pipe(
          timesOf.all,
          Effect.map((written) => {
            const times = new Map(written.map(({ org_rate_id, ...row }) => [org_rate_id, row]))
            return all.map(({ seconds: _seconds, ...lock }): RateLock => ({ ...lock, ...times.get(lock.org_rate_id)! }))
          })
        ),
      { queueOf: ({ org_id }) => org_id }
    )

    const store: RateLockStore["Type"] = {
      insert: (lock, ttl) => insert({ ...lock, seconds: Duration.toSeconds(ttl) }),
      find: (orgId, orgRateId) =>
        lockOf.first(sql`select org_rate_id, org_id, from_currency, to_currency, trim_scale(rate)::text as rate,
            trim_scale(amount)::text as amount, expires_at, created_at, now() as read_at,
            exists (select from rate_lock_uses u where u.org_rate_id = l.org_rate_id) as is_used
          from rate_locks l where org_rate_id = ${orgRateId} and ${ownedBy(sql, orgId)}`),
      spend: (orgId, orgRateId, usedBy) =>
        anyRow(sql`insert into rate_lock_uses (org_rate_id, org_id, used_by)
          values (${orgRateId}, ${orgId}, ${usedBy}) on conflict do nothing returning 1 as spent`),
      forgetOld: sql`delete from rate_locks where org_rate_id = any (array(
        select l.org_rate_id from rate_locks l
        where l.expires_at < now() - make_interval(secs => ${Duration.toSeconds(rateLockRetention)})
          and not exists (select 1 from payments p where p.org_rate_id = l.org_rate_id)
        limit ${retentionBatch})) returning 1 as forgotten`.pipe(
        Effect.map((rows) => rows.length),
        orDatabaseFailure
      )
    }
    return store
  })
)

/** Parts of the payments' statements that spend locked rates and give them back. */

/**
 * Spends the lock of each new payment in `input` that has one; a second use violates the primary key. Reads `keyed`, so
 * that an idempotency key that is taken is found first.
 */
export const spendLocks = `
  insert into rate_lock_uses (org_rate_id, org_id, used_by, gain, gain_bound)
  select u.org_rate_id, c.org_id, c.payment_id, u.gain, u.gain_bound
  from input
  cross join lateral jsonb_to_record(lock) as u (org_rate_id uuid, gain numeric, gain_bound numeric)
  join created c on c.payment_id = (payment ->> 'payment_id')::uuid
  left join keyed k on k.payment_id = c.payment_id
  where jsonb_typeof(lock) = 'object'`

/** Gives back the lock of each payment in `changed` that no provider took. */
export const freeLocks = `
  delete from rate_lock_uses u using changed c where u.org_rate_id = c.frees_lock and u.used_by = c.payment_id`

export const lockRefusedOf = (error: SqlError.SqlError): Option.Option<LockRefused> => {
  if (violates(error, "rate_lock_uses_pkey")) return Option.some(new LockRefused({ why: "used" }))
  return violates(error, "rate_lock_uses_gain_bound") ? Option.some(new LockRefused({ why: "gain" })) : Option.none()
}
