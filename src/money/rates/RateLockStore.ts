/** Stores locked rates, by the database's clock. The lock of a payment is never deleted. */
import { Context, Duration, Option, Schema, BigDecimal, Data, Either, Effect, Layer } from "effect"
import { OrgId } from "../../domain/Ids.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"
import { toPlainText } from "../../domain/Decimal.ts"
import { RateMismatch } from "../../domain/Failure.ts"
import type { LockedRate } from "../../domain/LockedRate.ts"
import { Money } from "../../domain/Money.ts"
import { exceeds, type Rate } from "../../domain/Exchange.ts"
import { SqlClient, type SqlError } from "@effect/sql"
import { rateLockRetention } from "../../domain/policies/PaymentPolicies.ts"
import { retentionBatch } from "../../domain/policies/ServerPolicies.ts"
import { batched } from "../../platform/database/Batcher.ts"
import { ownedBy, violates, anyRow, deletedRows, query } from "../../platform/database/Query.ts"
import { extend } from "../../domain/Merge.ts"

export const RateLock = Schema.Struct({
  org_rate_id: Schema.String,
  org_id: OrgId,
  from_currency: Schema.String,
  to_currency: Schema.String,
  /** Decimal text, without trailing zeros. */
  rate: Schema.String,
  /** The only amount that the lock is valid for, as decimal text; null: any up to a limit. */
  amount: Schema.NullOr(Schema.String),
  expires_at: Schema.DateFromSelf,
  created_at: Schema.DateFromSelf
})
export type RateLock = typeof RateLock.Type

export type NewRateLock = Omit<RateLock, "expires_at" | "created_at">

/** With the time at which it was read, and whether it was used by then. */
const ReadRateLock = Schema.Struct({
  ...RateLock.fields,
  read_at: Schema.DateFromSelf,
  is_used: Schema.Boolean
})
type ReadRateLock = typeof ReadRateLock.Type

export class RateLockStore extends Context.Tag("corridor/RateLockStore")<
  RateLockStore,
  {
    readonly insert: (lock: NewRateLock, ttl: Duration.Duration) => Stored<RateLock>
    readonly find: (orgId: OrgId, orgRateId: string) => Stored<Option.Option<ReadRateLock>>
    /** Uses up a lock without a gain, inside the transaction of its use. False: it was used before. */
    readonly spend: (orgId: OrgId, orgRateId: string, usedBy: string) => Stored<boolean>
    /** Deletes a batch of expired locks without a payment; returns how many. */
    readonly forgetOld: Stored<number>
  }
>() {}

/** Live values to compare a lock with. */
export interface LiveValues {
  readonly live: Rate
  /** USD for one unit of each currency, before any spread. */
  readonly usdPerFrom: Rate
  readonly usdPerTo: Rate
}

/** In USD. */
export interface LockLimits {
  readonly rateLockMax: BigDecimal.BigDecimal
  readonly rateGainMax: BigDecimal.BigDecimal
}

/** A use as it is written with its payment. Amounts are decimal text, in USD. */
export interface LockUse {
  readonly org_rate_id: string
  readonly gain: string
  /** Limit of all gains within 24 hours, this one included; null: the lock is within 0.5 percent of the live rate. */
  readonly gain_bound: string | null
}

/** Refusal to spend a lock: it was used before, or the organisation's gains are at their bound. */
export class LockRefused extends Data.TaggedError("LockRefused")<{ readonly why: "used" | "gain" }> {}

const refused = (message: string) => Either.left(new RateMismatch({ message: `org_rate_id: ${message}` }))

export const lockUsed = (): RateMismatch =>
  new RateMismatch({
    message: "org_rate_id: was used already; a locked rate is good for one payment or transfer. Look the rate up again."
  })

export const lockRefusal = ({ why }: LockRefused): RateMismatch =>
  why === "used"
    ? lockUsed()
    : new RateMismatch({
        message:
          "org_rate_id: is more than 0.5 percent better than the live rate, and what this organisation gained by such rates in the last 24 hours is at its limit. Look the rate up again."
      })

/** An amount that is finer than its currency is shown as it was given. */
const shown = (amount: BigDecimal.BigDecimal, currency: Money["currency"]): string =>
  Either.match(Money.fromDecimal(amount, currency), {
    onLeft: () => `${toPlainText(amount)} ${currency}`,
    onRight: String
  })

/** Fails unless the lock is for this amount, or for any and this one is not too large. */
export const checkLockedAmount = (
  { amount: locked, from }: LockedRate,
  amount: Money,
  { usdPerFrom }: Pick<LiveValues, "usdPerFrom">,
  { rateLockMax }: Pick<LockLimits, "rateLockMax">
): Either.Either<void, RateMismatch> => {
  const wanted = amount.toDecimal()
  if (locked !== null) {
    return BigDecimal.equals(locked, wanted)
      ? Either.void
      : refused(`was locked for ${shown(locked, from)}, not for ${amount.toString()}; look that amount up.`)
  }
  return BigDecimal.greaterThan(BigDecimal.multiply(wanted, usdPerFrom), rateLockMax)
    ? refused(
        `was locked without an amount, which is good for at most ${toPlainText(rateLockMax)} USD worth; look the rate up with the amount.`
      )
    : Either.void
}

/** The use of a lock for an amount. The gain is its advantage over the live rate. */
export const useOf = (
  { orgRateId, rate }: LockedRate,
  amount: Money,
  { live, usdPerTo }: LiveValues,
  { rateGainMax }: LockLimits
): LockUse => {
  const better = BigDecimal.max(BigDecimal.subtract(rate, live), BigDecimal.make(0n, 0))
  const gain = BigDecimal.multiply(BigDecimal.multiply(amount.toDecimal(), better), usdPerTo)
  return {
    org_rate_id: orgRateId,
    gain: toPlainText(BigDecimal.normalize(gain)),
    gain_bound: exceeds(rate, live) ? toPlainText(BigDecimal.normalize(rateGainMax)) : null
  }
}

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
            return all.map(({ seconds: _seconds, ...lock }): RateLock => extend(lock, times.get(lock.org_rate_id)!))
          })
        ),
      { queueOf: ({ org_id }) => org_id }
    )

    const store: RateLockStore["Type"] = {
      insert: (lock, ttl) => insert({ seconds: Duration.toSeconds(ttl), ...lock }),
      find: (orgId, orgRateId) =>
        lockOf.first(sql`select org_rate_id, org_id, from_currency, to_currency, trim_scale(rate)::text as rate,
            trim_scale(amount)::text as amount, expires_at, created_at, now() as read_at,
            exists (select from rate_lock_uses u where u.org_rate_id = l.org_rate_id) as is_used
          from rate_locks l where org_rate_id = ${orgRateId} and ${ownedBy(sql, orgId)}`),
      spend: (orgId, orgRateId, usedBy) =>
        anyRow(sql`insert into rate_lock_uses (org_rate_id, org_id, used_by)
          values (${orgRateId}, ${orgId}, ${usedBy}) on conflict do nothing returning 1 as spent`),
      forgetOld: deletedRows(sql`delete from rate_locks where org_rate_id = any (array(
        select l.org_rate_id from rate_locks l
        where l.expires_at < now() - make_interval(secs => ${Duration.toSeconds(rateLockRetention)})
          and not exists (select 1 from payments p where p.org_rate_id = l.org_rate_id)
        limit ${retentionBatch})) returning 1 as forgotten`)
    }
    return store
  })
)

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
