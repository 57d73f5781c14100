/** Payins with a reserve, in memory. */
import { Clock, Duration, Effect, Layer } from "effect"
import { dateOf } from "../../domain/CalendarDate.ts"
import { Money } from "../../domain/Money.ts"
import { releaseDaysShown, releaseRetry } from "../../domain/policies/PaymentPolicies.ts"
import { standingParts } from "../../domain/Reserve.ts"
import { openTables } from "../../platform/database/MemoryDatabase.ts"
import { reserveTables } from "../../money/ledger/LedgerMemory.ts"
import { booksIn, paymentTables } from "../store/AttemptQueueMemory.ts"
import { ReserveStore, type UpcomingRelease } from "./Reserves.ts"

export const reserveStoreMemory = Layer.effect(
  ReserveStore,
  Effect.map(openTables({ ...paymentTables, ...reserveTables }), (tables) => {
    const { payments, reserves } = tables
    return {
      due: (most) =>
        Effect.map(Clock.currentTimeMillis, (now) =>
          Array.from(reserves)
            .flatMap(([id, { release_at }]) =>
              release_at !== null && release_at.getTime() <= now ? [{ payment: payments.get(id)!, release_at }] : []
            )
            .toSorted((a, b) => a.release_at.getTime() - b.release_at.getTime())
            .slice(0, most)
            .map(({ payment }) => ({ payment, ...booksIn(tables, payment.payment_id) }))
        ),
      postpone: ({ payment_id, version }) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          const row = reserves.get(payment_id)
          if (row === undefined || payments.get(payment_id)?.version !== version) return
          reserves.set(payment_id, { ...row, release_at: new Date(now + Duration.toMillis(releaseRetry)) })
        }),
      upcoming: (orgId) =>
        Effect.sync(() => {
          const sums = new Map<string, UpcomingRelease>()
          for (const [id, { held, org_id, release_at }] of reserves) {
            if (org_id !== orgId || release_at === null) continue
            for (const { left, part } of standingParts(payments.get(id)?.reserve?.parts ?? [], held.minor)) {
              const date = dateOf(part.release_at.getTime())
              const key = `${date} ${held.currency}`
              const minor = (sums.get(key)?.amount.minor ?? 0n) + left
              if (minor > 0n) sums.set(key, { date, amount: new Money({ currency: held.currency, minor }) })
            }
          }
          return Array.from(sums)
            .toSorted(([a], [b]) => (a < b ? -1 : 1))
            .map(([, release]) => release)
            .slice(0, releaseDaysShown)
        })
    }
  })
)
