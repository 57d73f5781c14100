/** Stores locked rates, by the database's clock. The lock of a payment is never deleted. */
import { Context, type Duration, type Option, Schema, BigDecimal, Data, Either } from "effect"
import { OrgId } from "../../domain/Ids.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"
import { toPlainText } from "../../domain/Decimal.ts"
import { RateMismatch } from "../../domain/Failure.ts"
import type { LockedRate } from "../../domain/LockedRate.ts"
import type { Money } from "../../domain/Money.ts"
import { exceeds, type Rate } from "../../domain/Exchange.ts"

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
export const ReadRateLock = Schema.Struct({
  ...RateLock.fields,
  read_at: Schema.DateFromSelf,
  is_used: Schema.Boolean
})
export type ReadRateLock = typeof ReadRateLock.Type

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
      : refused(`was locked for ${toPlainText(locked)} ${from}, not for ${amount.toString()}; look that amount up.`)
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
