/** Deliveries of an endpoint by hour or day, and how fast it answers. Pure. */
import type { DeliveryTrends } from "../../contract/api/WebhookLogApi.ts"
import type { DeliveryStatus } from "../Webhook.ts"

export type Trends = typeof DeliveryTrends.Type
export type Period = Trends["per"]

/** Deliveries that were created in one hour or day and have this status now. */
export interface DeliveryCount {
  readonly at: Date
  readonly status: DeliveryStatus
  readonly count: number
}

/** Answers of so many of the newest deliveries give the latency. */
export const LATENCY_SAMPLE = 200

const HOUR = 3_600_000

const lengths: Readonly<Record<Period, number>> = { hour: HOUR, day: 24 * HOUR }
/** Milliseconds. */
export const lengthOf = (per: Period): number => lengths[per]

const counts: Readonly<Record<Period, number>> = { hour: 24, day: 30 }

/** Start of the UTC hour or day that a time is in. */
export const startOf = (per: Period, at: Date): Date => new Date(Math.floor(at.getTime() / lengths[per]) * lengths[per])

/** Starts of the periods up to now, oldest first. */
export const periodsOf = (per: Period, now: Date): ReadonlyArray<Date> => {
  const last = startOf(per, now).getTime()
  return Array.from({ length: counts[per] }, (_, index) => new Date(last - (counts[per] - 1 - index) * lengths[per]))
}

/** The smallest value that so large a share of the values does not exceed. */
const quantile = (sorted: ReadonlyArray<number>, share: number): number =>
  sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)]!

const latencyOf = (latencies: ReadonlyArray<number>): Trends["latency"] => {
  if (latencies.length === 0) return null
  const sorted = latencies.toSorted((a, b) => a - b)
  return { attempts: sorted.length, median_ms: quantile(sorted, 0.5), p95_ms: quantile(sorted, 0.95) }
}

export const trendsOf = (
  per: Period,
  periods: ReadonlyArray<Date>,
  found: ReadonlyArray<DeliveryCount>,
  latencies: ReadonlyArray<number>
): Trends => {
  const countAt = (at: Date, status: DeliveryStatus): number =>
    found.find((one) => one.at.getTime() === at.getTime() && one.status === status)?.count ?? 0
  return {
    per,
    periods: periods.map((at) => ({
      at,
      delivered: countAt(at, "delivered"),
      dead: countAt(at, "dead"),
      pending: countAt(at, "pending")
    })),
    latency: latencyOf(latencies)
  }
}
