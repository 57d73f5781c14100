/** Parts of the payments' statements that spend locked rates and give them back. */
import type { SqlError } from "@effect/sql"
import { Option } from "effect"
import { violates } from "../../platform/database/Query.ts"
import { LockRefused } from "./LockUse.ts"

/**
 * Spends the lock of each new payment in `input` that has one; a second use violates the primary key. Reads `keyed`, so
 * that an idempotency key that is taken is found first.
 */
export const spendLocks = `
  insert into rate_lock_uses (org_rate_id, org_id, used_by, gain, gain_bound)
  select u.org_rate_id, c.org_id, c.payment_id, u.gain, u.gain_bound
  from input
  cross join lateral jsonb_to_record(body -> 'lock') as u (org_rate_id uuid, gain numeric, gain_bound numeric)
  join created c on c.payment_id = (body ->> 'payment_id')::uuid
  left join keyed k on k.payment_id = c.payment_id
  where jsonb_typeof(body -> 'lock') = 'object'`

/** Gives back the lock of each payment in `changed` that no provider took. */
export const freeLocks = `
  delete from rate_lock_uses u using changed c where u.org_rate_id = c.frees_lock and u.used_by = c.payment_id`

export const lockRefusedOf = (error: SqlError.SqlError): Option.Option<LockRefused> => {
  if (violates(error, "rate_lock_uses_pkey")) return Option.some(new LockRefused({ why: "used" }))
  return violates(error, "rate_lock_uses_gain_bound") ? Option.some(new LockRefused({ why: "gain" })) : Option.none()
}
