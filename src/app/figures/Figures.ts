/** Keeps the metrics of what waits in the database up to date, at a rest. */
import { Effect } from "effect"
import type { AnyCurrencyCode } from "../../domain/CryptoAsset.ts"
import { providerNames } from "../../domain/Corridor.ts"
import { figuresRest } from "../../domain/policies/Server.ts"
import { moneyOf } from "../../platform/database/StoredMoney.ts"
import { exactGauge, gauge } from "../../platform/observability/Series.ts"
import { type Figures, FiguresStore, operatorItemKinds } from "./FiguresStore.ts"

const unknown = gauge("corridor_unknown_outcomes", "Attempts of which nobody knows what came of them, by provider.", [
  "provider"
])
const unknownOldest = gauge(
  "corridor_unknown_outcome_oldest_seconds",
  "How long ago the oldest attempt began of which nobody knows what came of it, by provider; 0 where there is none.",
  ["provider"]
)
const strays = gauge(
  "corridor_stray_callbacks",
  "Proved callbacks of the last three days whose payment was not found within ten minutes, by provider.",
  ["provider"]
)
const items = gauge("corridor_operator_items", "What waits for a person, by kind.", ["kind"])
const itemsOldest = gauge(
  "corridor_operator_item_oldest_seconds",
  "For how long the oldest item has waited for a person, by kind; 0 where there is none.",
  ["kind"]
)
const queueDepth = gauge(
  "corridor_webhook_queue_depth",
  "Webhook deliveries that are left to be sent (10000: or more).",
  []
)
const queueOldest = gauge(
  "corridor_webhook_queue_oldest_seconds",
  "The age of the oldest webhook delivery that is left to be sent; 0 where there is none.",
  []
)
const queueOverdue = gauge(
  "corridor_webhook_queue_overdue_seconds",
  "For how long the webhook delivery that is longest overdue could have been sent; 0 where none is.",
  []
)
const suspense = exactGauge(
  "corridor_suspense_minor_units",
  "Money in suspense, in the currency's minor unit: what came in for which there is no place, less what went out.",
  ["currency"]
)

/** Once shown, a currency stays, at nothing. */
const shownCurrencies = new Set<AnyCurrencyCode>()

const show = (figures: Figures): void => {
  for (const provider of providerNames) {
    const found = figures.unknown.find((one) => one.provider === provider)
    unknown([provider], found?.count ?? 0)
    unknownOldest([provider], found?.oldest ?? 0)
    strays([provider], figures.strays?.find((one) => one.provider === provider)?.count ?? 0)
  }
  for (const kind of operatorItemKinds) {
    const found = figures.items.find((one) => one.kind === kind)
    items([kind], found?.count ?? 0)
    itemsOldest([kind], found?.oldest ?? 0)
  }
  queueDepth([], figures.queue.count)
  queueOldest([], figures.queue.oldest)
  queueOverdue([], figures.queue.overdue)
  const waiting = new Map(figures.suspense.map(({ amount, currency }) => [currency, moneyOf(amount, currency)]))
  for (const currency of waiting.keys()) shownCurrencies.add(currency)
  for (const currency of shownCurrencies) suspense([currency], waiting.get(currency)?.minor ?? 0n)
}

export const figures = Effect.flatMap(FiguresStore, ({ current }) =>
  Effect.forever(Effect.zipRight(Effect.map(current, show), Effect.sleep(figuresRest)))
)
