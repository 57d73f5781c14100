/** Counts and times deliveries, all receivers together: an endpoint is no label, since anybody can make one more. */
import { counter, histogram } from "../../platform/observability/Series.ts"
import type { Result } from "./Delivery.ts"

const deliveries = counter(
  "corridor_webhook_deliveries_total",
  "Attempts at webhook deliveries, by what came of them: delivered, failed (and to be repeated), or dead.",
  ["outcome"]
)

const seconds = histogram(
  "corridor_webhook_delivery_seconds",
  "Time that receivers of webhooks took.",
  [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  []
)

const outcomes = { delivered: "delivered", retry: "failed", dead: "dead" } as const

for (const outcome of Object.values(outcomes)) deliveries([outcome], 0)

export const countDelivery = ({ latency_ms, verdict }: Result): void => {
  deliveries([outcomes[verdict]])
  seconds([], latency_ms / 1000)
}
