/** Queue metrics in memory, computed at each read. */
import { BigDecimal, Clock, Duration, Effect, Layer } from "effect"
import type { AnyCurrencyCode } from "../domain/CryptoAsset.ts"
import { providerNames } from "../domain/Corridor.ts"
import { toPlainText } from "../domain/Decimal.ts"
import { strayGrace, strayPatience } from "../domain/policies/PaymentPolicies.ts"
import { currencyOf, kindOf } from "../domain/Ledger.ts"
import { ledgerTables } from "../money/ledger/PostInMemory.ts"
import { lastReportedAt, suspenseSumsOf } from "../payments/store/SuspenseSums.ts"
import { booksIn, paymentTables } from "../payments/store/AttemptQueueMemory.ts"
import { openTables } from "../platform/database/MemoryDatabase.ts"
import { escrowPayoutTables } from "../treasury/escrow/EscrowPayoutMemory.ts"
import { webhookTables } from "../webhooks/EventMemory.ts"
import { type QueueMetrics, QueueMetricsStore, operatorItemKinds } from "./QueueMetrics.ts"

const secondsSince = (times: ReadonlyArray<Date>, now: number): number =>
  times.length === 0 ? 0 : Math.max(0, now - Math.min(...times.map((at) => at.getTime()))) / 1000

const waitingSince = (times: ReadonlyArray<Date>, now: number) => ({
  count: times.length,
  oldest: secondsSince(times, now)
})

export const queueMetricsMemory = Layer.effect(
  QueueMetricsStore,
  Effect.map(openTables({ ...escrowPayoutTables, ...ledgerTables, ...paymentTables, ...webhookTables }), (tables) => {
    const { attempts, callbacks, escrowPayouts, ledgerPostings, operatorItems, webhookDeliveries, webhookQueue } =
      tables

    const sumsOf = (kind: "clearing" | "fx"): QueueMetrics["suspense"] => {
      const sums = new Map<AnyCurrencyCode, BigDecimal.BigDecimal>()
      for (const { account, amount } of ledgerPostings.values()) {
        if (kindOf(account) !== kind) continue
        const currency = currencyOf(account)
        sums.set(currency, BigDecimal.sum(sums.get(currency) ?? BigDecimal.make(0n, 0), amount.toDecimal()))
      }
      return Array.from(sums).flatMap(([currency, sum]) =>
        BigDecimal.isZero(sum) ? [] : [{ currency, amount: toPlainText(sum) }]
      )
    }

    const unknown = (now: number): QueueMetrics["unknown"] =>
      providerNames.flatMap((provider) => {
        const ofProvider = Array.from(attempts.values()).filter(
          (row) => row.outcome === "unknown" && row.provider === provider
        )
        const since = ofProvider.map(({ started_at }) => started_at)
        return since.length === 0 ? [] : [{ provider, ...waitingSince(since, now) }]
      })

    const strays = (now: number): QueueMetrics["strays"] =>
      providerNames.flatMap((provider) => {
        const since = Array.from(callbacks.values()).flatMap((one) => {
          const age = now - one.received_at.getTime()
          const isOld = age >= Duration.toMillis(strayGrace) && age <= Duration.toMillis(strayPatience)
          return one.provider === provider && one.payment_id === null && isOld ? [one.received_at] : []
        })
        return since.length === 0 ? [] : [{ provider, ...waitingSince(since, now) }]
      })

    /** Time of the last report about each sum in suspense. */
    const waitingSums = (): ReadonlyArray<Date> =>
      Array.from(tables.payments.values()).flatMap((payment) => {
        const books = booksIn(tables, payment.payment_id)
        return suspenseSumsOf(payment, books).map(() => lastReportedAt(payment, books))
      })

    const items = (now: number): QueueMetrics["items"] =>
      operatorItemKinds.flatMap((kind) => {
        const open = Array.from(operatorItems.values()).filter((row) => row.closed_at === null && row.kind === kind)
        const blocked = kind === "escrow_payout" ? Array.from(escrowPayouts.values()) : []
        const waiting = kind === "suspense" ? waitingSums() : []
        const since = [
          ...waiting,
          ...open.map(({ opened_at }) => opened_at),
          ...blocked.flatMap((row) => (row.status === "blocked" ? [row.updated_at] : []))
        ]
        return since.length === 0 ? [] : [{ kind, ...waitingSince(since, now) }]
      })

    const queue = (now: number): QueueMetrics["queue"] => {
      const queued = Array.from(webhookQueue.values())
      const [first] = queued.map(({ delivery_id }) => delivery_id).sort()
      const oldest = first === undefined ? undefined : webhookDeliveries.get(first)
      return {
        count: queued.length,
        oldest: secondsSince(oldest === undefined ? [] : [oldest.created_at], now),
        overdue: secondsSince(
          queued.map(({ next_at }) => next_at),
          now
        )
      }
    }

    return {
      current: Effect.map(Clock.currentTimeMillis, (now) => ({
        unknown: unknown(now),
        strays: strays(now),
        items: items(now),
        queue: queue(now),
        suspense: sumsOf("clearing"),
        fx: sumsOf("fx")
      }))
    }
  })
)
