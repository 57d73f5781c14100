/**
 * Forgets what is kept for a time only, so that no table grows for ever. Money is not among it: payments, attempts,
 * callbacks that were applied, the ledger, operator items and the audit log stay.
 */
import { Effect } from "effect"
import { retentionBatch, retentionPause } from "../domain/Policies.ts"
import { IdempotencyStore } from "../idempotency/IdempotencyStore.ts"
import { NotificationStore } from "../notifications/NotificationStore.ts"
import { StrayCallbackStore } from "../payments/StrayCallbackStore.ts"
import { RateLockStore } from "../rates/RateLockStore.ts"

/** Batch after batch, so that nobody waits behind a long statement, until one is not full. */
const allOf = (forgetOld: Effect.Effect<number>) =>
  Effect.repeat(forgetOld, { while: (forgotten) => forgotten >= retentionBatch })

export const forgetAll = Effect.gen(function* () {
  const keys = yield* IdempotencyStore
  const notifications = yield* NotificationStore
  const strays = yield* StrayCallbackStore
  const locks = yield* RateLockStore
  yield* Effect.forEach([keys, notifications, strays, locks], ({ forgetOld }) => allOf(forgetOld), { discard: true })
})

export const retention = Effect.forever(Effect.zipRight(forgetAll, Effect.sleep(retentionPause)))
