/**
 * Metrics of work that waits in the database: unknown outcomes, operator items, webhook queue, suspense, FX position.
 */
import { BigDecimal, Context, Duration, Effect, Layer, Option, Schema } from "effect"
import { AnyCurrencyCode, CurrencyCode, CryptoAssetCode, currencies } from "../domain/Currency.ts"
import { ProviderName, providerNames } from "../domain/Corridor.ts"
import { type Stored, catchRefusal, orDatabaseFailure } from "../platform/database/DatabaseFailure.ts"
import { moneyOf, theRowAs } from "../platform/database/Query.ts"
import { RateQuote } from "../money/rates/RateQuote.ts"
import { unspanned } from "../platform/observability/Spans.ts"
import { beforeScrape, exactGauge, gauge } from "../platform/observability/Metrics.ts"
import { SqlClient } from "@effect/sql"
import { unmatchedCallbackGrace, unmatchedCallbackWindow } from "../domain/policies/PaymentPolicies.ts"
import { queueMetricsMaxAge, mostCounted } from "../domain/policies/ServerPolicies.ts"

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
  unmatched: Schema.optional(Schema.Array(Schema.Struct({ provider: ProviderName, ...waiting }))),
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
  "corridor_unmatched_callbacks",
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
    unmatchedCallbacks([provider], metrics.unmatched?.find((one) => one.provider === provider)?.count ?? 0)
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

/** In PostgreSQL: one index-only statement, and one row that shares its result among all instances. */

/** Null: another instance is taking the first snapshot. */
const row = theRowAs(Schema.Struct({ figures: Schema.NullOr(Schema.typeSchema(QueueMetrics)) }))

/** Literals in the statement, so that the planner uses the index under any collation and expects few rows. */
const accountsOf = (kind: string) =>
  [...currencies.keys(), ...CryptoAssetCode.literals].map((code) => `'${kind}/${code}'`).join(", ")

/** Postings of each FX account since its stored subtotal. */
const fxSince = (before: string) => `from unnest(array[${accountsOf("fx")}]) a (account)
      left join fx_totals t on t.account = a.account
      cross join lateral (
        select coalesce(sum(p.amount), 0) as amount from ledger_postings p where p.account = a.account
          and p.created_at >= coalesce(t.until, '-infinity') and p.created_at < ${before}) latest`

/** All transactions that began earlier have ended, so no earlier posting can appear. */
const FX_SUMMED_UNTIL = "date_trunc('hour', now() - interval '1 hour')"

const age = (since: string) => `coalesce(extract(epoch from now() - ${since}), 0)::float8`

const ago = (time: Duration.Duration) => `now() - make_interval(secs => ${Duration.toSeconds(time)})`

/** Visits the index of the webhook queue once for each organisation, at its earliest delivery. */
const read = `select jsonb_build_object(
    'unknown', (select coalesce(jsonb_agg(u), '[]') from (
      select provider, count(*)::int as count, ${age("min(started_at)")} as oldest
      from attempts where outcome = 'unknown' group by provider) u),
    'items', (select coalesce(jsonb_agg(i), '[]') from (
      select kind, count(*)::int as count, ${age("min(opened_at)")} as oldest
      from (select kind, opened_at from operator_items where closed_at is null
        order by opened_at, item_id limit ${mostCounted}) o group by kind
      union all
      select 'suspense', count(*)::int, ${age("min(since)")}
      from (select (select max(p.created_at) from ledger_postings p where p.account = b.account) as since
        from ledger_balances b join payments m on m.payment_id = split_part(b.account, '/', 2)::uuid
        where b.waits and b.account not like 'receivable/%'
          and (b.account like 'clearing/%' or m.status in ('failed', 'refunded', 'canceled'))
        limit ${mostCounted}) w having count(*) > 0
      union all
      select 'escrow_payout', count(*)::int, ${age("min(updated_at)")}
      from (select updated_at from escrow_payouts where status = 'blocked'
        order by updated_at, payout_id limit ${mostCounted}) b having count(*) > 0
      union all
      select 'incoming_transfer', count(*)::int, ${age("min(created_at)")}
      from (select created_at from incoming_transfers where state = 'suspense'
        order by created_at, transfer_id limit ${mostCounted}) t having count(*) > 0) i),
    'unmatched', (select coalesce(jsonb_agg(k), '[]') from (
      select provider, count(*)::int as count, ${age("min(received_at)")} as oldest
      from (select provider, received_at from provider_callbacks
        where payment_id is null and word is not null
          and received_at between ${ago(unmatchedCallbackWindow)} and ${ago(unmatchedCallbackGrace)}
        order by received_at limit ${mostCounted}) c group by provider) k),
    'queue', jsonb_build_object(
      'count', (select count(*)::int from (
        select delivery_id from webhook_queue order by delivery_id limit ${mostCounted}) q),
      'oldest', coalesce((
        select greatest(0, ${age("q.delivery_at")}) from webhook_queue q order by delivery_id limit 1), 0),
      'overdue', (
        with recursive walk as (
          (select org_id, next_at from webhook_queue order by org_id, next_at limit 1)
          union all
          select n.org_id, n.next_at from walk w cross join lateral (
            select q.org_id, q.next_at from webhook_queue q
            where q.org_id > w.org_id order by q.org_id, q.next_at limit 1
          ) n
        )
        select greatest(0, ${age("min(next_at)")}) from walk)),
    'suspense', (select coalesce(jsonb_agg(s), '[]') from (
      select b.currency, sum(b.balance)::text as amount from ledger_balances b
      where b.waits and b.account like 'clearing/%'
      group by b.currency having sum(b.balance) <> 0) s),
    'fx', (select coalesce(jsonb_agg(f), '[]') from (
      select substr(a.account, 4) as currency, (coalesce(t.amount, 0) + latest.amount)::text as amount
      ${fxSince("'infinity'")} where t.account is not null or latest.amount <> 0) f))`

/** The maximum age is slightly shorter than the workers' pause, so that no worker reads an old snapshot twice. */
const statement = `with turn as (
    update figures set taken_at = now(), figures = (${read})
    where taken_at <= now() - make_interval(secs => $1) returning figures
  ), summed as (
    insert into fx_totals (account, amount, until)
    select a.account, latest.amount, ${FX_SUMMED_UNTIL} ${fxSince(FX_SUMMED_UNTIL)}
    where exists (select from turn) and (latest.amount <> 0 or t.until < ${FX_SUMMED_UNTIL})
    on conflict (account) do update set amount = fx_totals.amount + excluded.amount, until = excluded.until
  )
  select figures from turn
  union all
  select figures from figures where not exists (select from turn)`

export const queueMetricsSql = Layer.effect(
  QueueMetricsStore,
  Effect.map(SqlClient.SqlClient, (sql) => ({
    current: sql.unsafe(statement, [Duration.toSeconds(queueMetricsMaxAge) - 1]).pipe(
      Effect.flatMap(row),
      Effect.repeat({ until: ({ figures }) => figures !== null }),
      Effect.map(({ figures }) => figures!),
      orDatabaseFailure
    )
  }))
)
