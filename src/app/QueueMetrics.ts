/**
 * Metrics of work that waits in the database: unknown outcomes, operator items, webhook queue, suspense, FX position.
 */
import { BigDecimal, Context, Duration, Effect, Layer, Option, Schema } from "effect"
import { AnyCurrencyCode, CurrencyCode } from "../domain/Currency.ts"
import { ProviderName, providerNames } from "../domain/Corridor.ts"
import { type Stored, catchRefusal } from "../platform/database/DatabaseFailure.ts"
import { moneyOf } from "../platform/database/Query.ts"
import { RateQuote } from "../money/rates/RateQuote.ts"
import { unspanned } from "../platform/observability/Spans.ts"
import { beforeScrape, exactGauge, gauge } from "../platform/observability/Metrics.ts"

/** Number of items, and age of the oldest in seconds. */
const waiting = { count: Schema.Number, oldest: Schema.Number }

const operatorItemKinds = [
  "unknown_outcome",
  "suspense",
  "review",
  "resolution",
  "escrow_payout",
  "incoming_transfer"
] as const

export const QueueMetrics = Schema.Struct({
  unknown: Schema.Array(Schema.Struct({ provider: ProviderName, ...waiting })),
  items: Schema.Array(Schema.Struct({ kind: Schema.Literal(...operatorItemKinds), ...waiting })),
  /** Verified callbacks without a payment after ten minutes. Absent if an older version took the snapshot. */
  strays: Schema.optional(Schema.Array(Schema.Struct({ provider: ProviderName, ...waiting }))),
  queue: Schema.Struct({
    ...waiting,
    /** Seconds since the delivery that is longest overdue became due. */
    overdue: Schema.Number
  }),
  /** Clearing balance of each currency. */
  suspense: Schema.Array(Schema.Struct({ currency: AnyCurrencyCode, amount: Schema.String })),
  /** FX balance of each currency. Absent if an older version took the snapshot. */
  fx: Schema.optional(Schema.Array(Schema.Struct({ currency: AnyCurrencyCode, amount: Schema.String })))
})
export type QueueMetrics = typeof QueueMetrics.Type

export class QueueMetricsStore extends Context.Tag("corridor/QueueMetricsStore")<
  QueueMetricsStore,
  /** The snapshot of any instance if it is recent enough, otherwise a new one. */
  { readonly current: Stored<QueueMetrics> }
>() {}

/** Empty: tests on memory stores read no queue metrics. */
export const queueMetricsMemory = Layer.succeed(QueueMetricsStore, {
  current: Effect.succeed({ unknown: [], items: [], queue: { count: 0, oldest: 0, overdue: 0 }, suspense: [] })
})

const unknownOutcomes = gauge("corridor_unknown_outcomes", "Attempts with an unknown outcome, by provider.", [
  "provider"
])
const unknownOutcomeAge = gauge(
  "corridor_unknown_outcome_oldest_seconds",
  "Age of the oldest attempt with an unknown outcome, by provider; 0 if there is none.",
  ["provider"]
)
const unmatchedCallbacks = gauge(
  "corridor_stray_callbacks",
  "Verified callbacks of the last three days without a payment after ten minutes, by provider.",
  ["provider"]
)
const items = gauge("corridor_operator_items", "Items that need a decision, by kind.", ["kind"])
const itemsOldest = gauge(
  "corridor_operator_item_oldest_seconds",
  "Age of the oldest item that needs a decision, by kind; 0 if there is none.",
  ["kind"]
)
const queueDepth = gauge("corridor_webhook_queue_depth", "Webhook deliveries not yet sent (10000: or more).", [])
const queueOldest = gauge(
  "corridor_webhook_queue_oldest_seconds",
  "Age of the oldest webhook delivery not yet sent; 0 if there is none.",
  []
)
const queueOverdue = gauge(
  "corridor_webhook_queue_overdue_seconds",
  "Time since the longest overdue webhook delivery became due; 0 if none is overdue.",
  []
)
const suspense = exactGauge(
  "corridor_suspense_minor_units",
  "Balance of clearing accounts, in the currency's minor unit.",
  ["currency"]
)

const fx = exactGauge(
  "corridor_fx_minor_units",
  "Balance of FX accounts, in the currency's minor unit: currency bought minus currency sold.",
  ["currency"]
)
const fxWorth = gauge(
  "corridor_fx_usd",
  "Balance of FX accounts in USD at the current base rate; the sum is the platform's gain or loss.",
  ["currency"]
)

/** Currencies shown once are shown at zero afterwards. */
const moneyGauge = (series: (values: readonly [string], minor: bigint) => void) => {
  const shown = new Set<AnyCurrencyCode>()
  return (all: QueueMetrics["suspense"]): void => {
    const now = new Map(all.map(({ amount, currency }) => [currency, moneyOf(amount, currency)]))
    for (const currency of now.keys()) shown.add(currency)
    for (const currency of shown) series([currency], now.get(currency)?.minor ?? 0n)
  }
}

const showSuspense = moneyGauge(suspense)
const showFx = moneyGauge(fx)

const show = (metrics: QueueMetrics): void => {
  for (const provider of providerNames) {
    const found = metrics.unknown.find((one) => one.provider === provider)
    unknownOutcomes([provider], found?.count ?? 0)
    unknownOutcomeAge([provider], found?.oldest ?? 0)
    unmatchedCallbacks([provider], metrics.strays?.find((one) => one.provider === provider)?.count ?? 0)
  }
  for (const kind of operatorItemKinds) {
    const found = metrics.items.find((one) => one.kind === kind)
    items([kind], found?.count ?? 0)
    itemsOldest([kind], found?.oldest ?? 0)
  }
  queueDepth([], metrics.queue.count)
  queueOldest([], metrics.queue.oldest)
  queueOverdue([], metrics.queue.overdue)
  showSuspense(metrics.suspense)
  showFx(metrics.fx ?? [])
}

/** A currency without a rate to USD keeps its last value. */
const showWorth = Effect.fnUntraced(function* (all: QueueMetrics["suspense"]) {
  const rates = yield* RateQuote
  const usd = CurrencyCode.make("USD")
  for (const { amount, currency } of all) {
    const rate = yield* catchRefusal(rates.base(currency, usd), () => Effect.succeedNone)
    if (Option.isNone(rate)) continue
    fxWorth([currency], BigDecimal.unsafeToNumber(BigDecimal.multiply(BigDecimal.unsafeFromString(amount), rate.value)))
  }
})

/** A scrape waits this long for the metrics, then shows the last ones. */
const scrapeTimeout = Duration.seconds(3)

/** Reads the metrics when they are scraped, at most once in a while for all instances. */
export const showQueueMetrics = Effect.gen(function* () {
  const { current } = yield* QueueMetricsStore
  const rates = yield* RateQuote
  const update = Effect.gen(function* () {
    const metrics = yield* current
    show(metrics)
    yield* showWorth(metrics.fx ?? [])
  })
  yield* beforeScrape(
    update.pipe(
      Effect.provideService(RateQuote, rates),
      unspanned,
      Effect.timeout(scrapeTimeout),
      Effect.catchAllCause((cause) => Effect.logWarning("The metrics of the queues could not be read", cause))
    )
  )
})
