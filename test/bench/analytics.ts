/**
 * Measures the trends of a year on a million payments, before and after its days are closed.
 * `npx tsx test/bench/analytics.ts [payments] [runs]` Cold is the first answer after a start of PostgreSQL.
 */
import { chmodSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { SqlClient } from "@effect/sql"
import { Effect, Option } from "effect"
import type { OrgId, UserId } from "../../src/domain/Ids.ts"
import { AnalyticsStore } from "../../src/payments/analytics/Analytics.ts"
import { AppLive } from "../../src/app/Services.ts"
import { newOrganization, newUser } from "../support/StoreFixtures.ts"
import { median } from "./Medians.ts"

const ORGANIZATIONS = 20

/** Days with an open payment, which cannot be closed. */
const OPEN_DAYS = 5
const YEAR = { from: "2025-01-01", to: "2026-01-01" }

const say = (text: string) => Effect.sync(() => process.stdout.write(`${text}\n`))

/** Rows about as wide as the service's, in order of time. */
const writePayments = (orgs: ReadonlyArray<string>, user_id: UserId, count: number) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`insert into payments (payment_id, transaction_id, org_id, user_id, status, direction, payment_method,
        country, amount, currency, target_amount, target_currency, client_reference, payer_details, card_details,
        user_metadata, provider, provider_payment_id, provider_status, provider_data, created_at, updated_at)
      select gen_random_uuid(), gen_random_uuid(), (${[...orgs]}::uuid[])[1 + n % ${orgs.length}::int], ${user_id},
        case when n % (${count}::int / ${OPEN_DAYS}::int) = 0 then 'pending'
          else (array['completed', 'completed', 'completed', 'failed', 'canceled', 'refunded'])[1 + n % 6] end,
        'inbound', 'card',
        'KE', (n % 100000) / 100.0 + 1, (array['KES', 'NGN', 'GHS', 'USD'])[1 + n % 4], (n % 100000) / 100.0 + 1,
        (array['KES', 'NGN', 'GHS', 'USD'])[1 + n % 4], 'order-' || n,
        '{"fname": "Ada", "lname": "Wanjiku", "email": "ada@example.com"}',
        '{"bin": "424242", "last4": "4242", "brand": "visa", "expiry_month": "12", "expiry_year": "2030"}',
        '{"user_id": "0199c2a4-7b14-7f52-b1c8-0d9e8f7a6b5c", "role": "org-admin"}', 'fiat', 'fiat_' || n, 'succeeded',
        '{"reference": "fiat_reference"}', at, at
      from generate_series(1, ${count}::int) n,
        lateral (select timestamptz '2025-01-01Z' + n * (interval '366 days' / ${count}::int) as at) t`
  )

const stopwatch = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const began = performance.now()
    yield* work
    return performance.now() - began
  })

const fill = (count: number) =>
  Effect.gen(function* () {
    const made = yield* Effect.replicateEffect(newOrganization({ sandbox: true }), ORGANIZATIONS)
    const orgs = made.map(({ org_id }) => org_id)
    const took = yield* stopwatch(Effect.flatMap(newUser(), ({ user_id }) => writePayments(orgs, user_id, count)))
    const sql = yield* SqlClient.SqlClient
    yield* sql`vacuum analyze payments`
    const [size] = yield* sql<{ table: string }>`select pg_size_pretty(pg_table_size('payments')) as table`
    yield* say(`${count} payments (${size?.table}) written in ${(took / 1000).toFixed(0)} s`)
    return orgs[0]!
  })

const closeDays = Effect.gen(function* () {
  const store = yield* AnalyticsStore
  const sql = yield* SqlClient.SqlClient
  const took = yield* stopwatch(store.closeDays)
  yield* sql`vacuum analyze analytics_day_totals`
  const [closed] = yield* sql<{ days: number }>`select count(*)::int as days from analytics_days where date
    between ${YEAR.from}::date and ${YEAR.to}::date`
  yield* say(`${closed?.days} of the 366 days closed, with those since, in ${(took / 1000).toFixed(1)} s`)
})

const measure = (org: OrgId, runs: number) =>
  Effect.gen(function* () {
    const store = yield* AnalyticsStore
    for (const [words, scope] of [
      ["every organisation", Option.none<OrgId>()],
      [`one of ${ORGANIZATIONS} organisations`, Option.some(org)]
    ] as const) {
      const cold = yield* stopwatch(store.days(scope, YEAR))
      const warm = yield* Effect.replicateEffect(stopwatch(store.days(scope, YEAR)), runs)
      yield* say(`${words}: cold ${cold.toFixed(0)} ms, warm ${median(warm).toFixed(0)} ms (median of ${runs})`)
    }
  })

const main = async (): Promise<void> => {
  const dataDir = mkdtempSync(join(tmpdir(), "corridor-bench-"))
  // PostgreSQL runs as another user if we are root.
  chmodSync(dataDir, 0o755)
  process.env["DATA_DIR"] = dataDir
  process.env["LOG_LEVEL"] ??= "warn"
  const [count = 1_000_000, runs = 5] = process.argv.slice(2).map(Number)
  try {
    // Each runs on a new application, which restarts PostgreSQL.
    const org = await Effect.runPromise(fill(count).pipe(Effect.provide(AppLive)))
    await Effect.runPromise(measure(org, runs).pipe(Effect.provide(AppLive)))
    await Effect.runPromise(closeDays.pipe(Effect.provide(AppLive)))
    await Effect.runPromise(measure(org, runs).pipe(Effect.provide(AppLive)))
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}

await main()
