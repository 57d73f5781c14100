/**
 * Forgets what is kept for a time only, so that no table grows for ever. Money is not among it: payments, attempts,
 * callbacks that were applied, the ledger and operator items stay.
 */
import { Effect } from "effect"
import { retentionPause } from "../domain/policies/Server.ts"
import { AuditStore } from "../platform/audit/AuditStore.ts"
import { IdempotencyStore } from "../platform/idempotency/IdempotencyStore.ts"
import { Months } from "../platform/months/Months.ts"
import { NotificationStore } from "../platform/notifications/NotificationStore.ts"
import { UnmatchedCallbackStore } from "../payments/store/StrayCallbackStore.ts"
import { ProviderAccountStore } from "../providers/accounts/ProviderAccountStore.ts"
import { RateLockStore } from "../money/rates/RateLockStore.ts"
import { DeliveryStore } from "../webhooks/delivery/DeliveryStore.ts"
import { EventStore } from "../webhooks/EventStore.ts"
import type { Stored } from "../platform/database/DatabaseFailure.ts"

/** Batch after batch, so that nobody waits behind a long statement, until nothing is left. */
const allOf = (forgetOld: Stored<number>) => Effect.repeat(forgetOld, { while: (forgotten) => forgotten > 0 })

export const forgetAll = Effect.gen(function* () {
  const keys = yield* IdempotencyStore
  const notifications = yield* NotificationStore
  const strays = yield* UnmatchedCallbackStore
  const locks = yield* RateLockStore
  const deliveries = yield* DeliveryStore
  // An event is forgotten when no delivery of it is left.
  const events = yield* EventStore
  const credentials = yield* ProviderAccountStore
  const audit = yield* AuditStore
  const all = [keys, notifications, strays, locks, deliveries, events, credentials, audit]
  yield* Effect.forEach(all, ({ forgetOld }) => allOf(forgetOld), { discard: true })
})

export const retention = Effect.forever(Effect.zipRight(forgetAll, Effect.sleep(retentionPause)))

/** The next months' parts first: archives may take a while. */
export const months = Effect.flatMap(Months, ({ makeAhead, putAway }) =>
  Effect.forever(Effect.zipRight(Effect.zipRight(makeAhead, putAway), Effect.sleep(retentionPause)))
)
