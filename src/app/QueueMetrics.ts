/** What waits in the database, in a few numbers for the metrics. */
import { Context, Schema, BigDecimal, Effect, Option } from "effect"
import { AnyCurrencyCode } from "../domain/CryptoAsset.ts"
import { ProviderName, providerNames } from "../domain/Corridor.ts"
import { type Stored, catchRefusal } from "../platform/database/DatabaseFailure.ts"
import { CurrencyCode } from "../domain/Currency.ts"
import { figuresRest } from "../domain/policies/ServerPolicies.ts"
import { moneyOf } from "../platform/database/Query.ts"
import { RateQuote } from "../money/rates/RateQuote.ts"
import { exactGauge, gauge } from "../platform/observability/Metrics.ts"

/** How many there are, and for how many seconds the oldest of them has been there. */
const waiting = { count: Schema.Number, oldest: Schema.Number }

export const operatorItemKinds = ["unknown_outcome", "suspense", "review", "resolution", "escrow_payout"] as const

export const Figures = Schema.Struct({
  unknown: Schema.Array(Schema.Struct({ provider: ProviderName, ...waiting })),
  items: Schema.Array(Schema.Struct({ kind: Schema.Literal(...operatorItemKinds), ...waiting })),
  /** Proved callbacks whose payment nobody has found for a while; none where an older version has read the figures. */
  strays: Schema.optional(Schema.Array(Schema.Struct({ provider: ProviderName, ...waiting }))),
  queue: Schema.Struct({
    ...waiting,
    /** For how many seconds the one that is longest overdue could have been sent. */
    overdue: Schema.Number
  }),
  /** In each currency, what came in for which there is no place, less what went out. */
  suspense: Schema.Array(Schema.Struct({ currency: AnyCurrencyCode, amount: Schema.String })),
  /** In each currency, what exchanges took in less what they gave out; none where an older version read the figures. */
  fx: Schema.optional(Schema.Array(Schema.Struct({ currency: AnyCurrencyCode, amount: Schema.String })))
})
export type Figures = typeof Figures.Type

export class QueueMetricsStore extends Context.Tag("corridor/QueueMetricsStore")<
  QueueMetricsStore,
  {
    /** Those that any instance has read within the rest, else read anew. */
    readonly current: Stored<Figures>
  }
>() {}

/** Keeps the metrics of what waits in the database up to date, at a rest. */
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
  "Money in clearing, in the currency's minor unit: what came in for which there is no place, less what is gone.",
  ["currency"]
)

const fx = exactGauge(
  "corridor_fx_minor_units",
  "What exchanges took in less what they gave out, in the currency's minor unit.",
  ["currency"]
)
const fxWorth = gauge(
  "corridor_fx_usd",
  "The same, in USD at the base rate of the moment: added up, what the platform gained or lost by exchanges.",
  ["currency"]
)

/** Once shown, a currency stays, at nothing. */
const shownCurrencies = { suspense: new Set<AnyCurrencyCode>(), fx: new Set<AnyCurrencyCode>() }

const showMoney = (
  all: Figures["suspense"],
  shown: Set<AnyCurrencyCode>,
  series: (values: readonly [string], minor: bigint) => void
): void => {
  const now = new Map(all.map(({ amount, currency }) => [currency, moneyOf(amount, currency)]))
  for (const currency of now.keys()) shown.add(currency)
  for (const currency of shown) series([currency], now.get(currency)?.minor ?? 0n)
}

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
  showMoney(figures.suspense, shownCurrencies.suspense, suspense)
  showMoney(figures.fx ?? [], shownCurrencies.fx, fx)
}

/** A currency without a rate to USD keeps what it was shown at. */
const showWorth = Effect.fnUntraced(function* (all: Figures["suspense"]) {
  const rates = yield* RateQuote
  const usd = CurrencyCode.make("USD")
  for (const { amount, currency } of all) {
    const rate = yield* catchRefusal(rates.base(currency, usd), () => Effect.succeedNone)
    if (Option.isNone(rate)) continue
    fxWorth([currency], BigDecimal.unsafeToNumber(BigDecimal.multiply(BigDecimal.unsafeFromString(amount), rate.value)))
  }
})

export const queueMetrics = Effect.flatMap(QueueMetricsStore, ({ current }) =>
  current.pipe(
    Effect.tap((read) => Effect.sync(() => show(read))),
    Effect.flatMap((read) => showWorth(read.fx ?? [])),
    Effect.zipRight(Effect.sleep(figuresRest)),
    Effect.forever
  )
)
