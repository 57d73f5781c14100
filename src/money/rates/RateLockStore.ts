/** Rates that lookups locked, at rest, on the clock of the database. One that a payment was made with stays for good. */
import { Context, type Duration, type Option, Schema } from "effect"
import { OrgId } from "../../domain/Identifiers.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"

export const RateLock = Schema.Struct({
  org_rate_id: Schema.String,
  org_id: OrgId,
  from_currency: Schema.String,
  to_currency: Schema.String,
  /** Decimal text, without trailing zeros. */
  rate: Schema.String,
  /** The only amount that it is good for, as decimal text; null: any up to a limit. */
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
    /** From now on, for so long. */
    readonly insert: (lock: NewRateLock, ttl: Duration.Duration) => Stored<RateLock>
    readonly find: (orgId: OrgId, orgRateId: string) => Stored<Option.Option<ReadRateLock>>
    /** Spends a lock at no gain, inside the transaction of what it is used for. False when it was used before. */
    readonly spend: (orgId: OrgId, orgRateId: string, usedBy: string) => Stored<boolean>
    /** Of those that no payment was made with; answers with how many were forgotten, one batch at most. */
    readonly forgetOld: Stored<number>
  }
>() {}
