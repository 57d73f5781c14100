import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { AnalyticsStore } from "../../../src/payments/analytics/Analytics.ts"
import { StoresLive } from "../../../src/app/Stores.ts"
import { CurrencyCode } from "../../../src/domain/Currency.ts"
import { Ids } from "../../../src/domain/Ids.ts"
import { Money } from "../../../src/domain/Money.ts"
import type { PaymentStatus } from "../../../src/domain/PaymentStatus.ts"
import { newOwner, newPayment } from "../support/NewPayment.ts"
import { newMember, newOrganization } from "../../support/StoreFixtures.ts"
import { onBothStores } from "../../support/OnBothStores.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { testSettings } from "../../support/TestSettings.ts"

type Owner = Effect.Effect.Success<typeof newOwner>

const money = (currency: string, minor: bigint) => new Money({ currency: CurrencyCode.make(currency), minor })

const paid = (owner: Owner, at: string, status: PaymentStatus, amount: Money) =>
  newPayment(owner, { status, amount, target: amount, created_at: new Date(at), updated_at: new Date(at) })

/** Two days of one organisation with a bit of everything, at the very edges of the days. */
const fill = (owner: Owner) =>
  Effect.all([
    paid(owner, "2026-03-01T23:59:59.999Z", "completed", money("KES", 999_999_999_999_999n)),
    paid(owner, "2026-03-02T00:00:00.000Z", "completed", money("KES", 10n)),
    paid(owner, "2026-03-02T12:00:00.000Z", "completed", money("KES", 20n)),
    paid(owner, "2026-03-02T12:00:00.000Z", "refunded", money("KES", 70n)),
    paid(owner, "2026-03-02T12:00:00.000Z", "failed", money("KES", 500n)),
    paid(owner, "2026-03-02T12:00:00.000Z", "rejected", money("KES", 500n)),
    paid(owner, "2026-03-02T12:00:00.000Z", "canceled", money("KES", 500n)),
    paid(owner, "2026-03-02T12:00:00.000Z", "completed", money("UGX", 1500n)),
    paid(owner, "2026-03-02T23:59:59.999Z", "failed", money("USD", 1n)),
    paid(owner, "2026-03-03T00:00:00.000Z", "completed", money("KES", 1n))
  ])

const range = { from: "2026-03-01", to: "2026-03-02" }

const expected = [
  { date: "2026-03-01", count: 1, completed: 1, failed: 0, volume: money("KES", 999_999_999_999_999n) },
  { date: "2026-03-02", count: 6, completed: 3, failed: 2, volume: money("KES", 100n) },
  { date: "2026-03-02", count: 1, completed: 1, failed: 0, volume: money("UGX", 1500n) },
  { date: "2026-03-02", count: 1, completed: 0, failed: 1, volume: money("USD", 0n) }
]

onBothStores("AnalyticsStore", (it) => {
  it.effect("counts the payments of each UTC day and currency, exactly, within the scope", () =>
    Effect.gen(function* () {
      const store = yield* AnalyticsStore
      const [here, there] = yield* Effect.all([newOwner, newOwner])
      yield* fill(here)
      yield* paid(there, "2026-03-02T01:00:00Z", "completed", money("KES", 100n))
      const days = yield* store.days(Option.some(here.org_id), range)
      expect(days[0]?.volume.toNumericText()).toBe("9999999999999.99")
      expect(days).toEqual(expected)
      const [everywhere] = (yield* store.days(Option.none(), { from: "2026-03-02", to: "2026-03-02" })).filter(
        ({ volume }) => volume.currency === "KES"
      )
      expect(everywhere?.count).toBe(7)
      expect(yield* store.days(Option.some(here.org_id), { from: "2026-03-04", to: "2027-03-04" })).toEqual([])
    })
  )

  it.effect("counts the members of an organisation by country, or all users", () =>
    Effect.gen(function* () {
      const store = yield* AnalyticsStore
      const [{ org_id }, other] = yield* Effect.all([newOrganization(), newOrganization()])
      for (const country of ["KE", "NG", null, "KE", "AO"]) yield* newMember(org_id, "member", { country })
      yield* newMember(other.org_id, "staff", { country: "ZA" })
      expect(yield* store.usersByCountry(Option.some(org_id))).toEqual([
        { country: "KE", users: 2 },
        { country: "AO", users: 1 },
        { country: "NG", users: 1 },
        { country: null, users: 1 }
      ])
      const everywhere = yield* store.usersByCountry(Option.none())
      expect(everywhere.find(({ country }) => country === "ZA")).toEqual({ country: "ZA", users: 1 })
    })
  )
})

const onDatabase = StoresLive.pipe(
  Layer.provideMerge(TestDatabase),
  Layer.provideMerge(Ids.layer),
  Layer.provide(testSettings())
)

layer(onDatabase, { excludeTestServices: true, timeout: "60 seconds" })("Closed days", (it) => {
  it.effect("hold what counting gives, days without payments too, and are closed once by however many", () =>
    Effect.gen(function* () {
      const store = yield* AnalyticsStore
      const sql = yield* SqlClient.SqlClient
      expect(yield* store.closeDays).toBe(0)
      const [here, there] = yield* Effect.all([newOwner, newOwner])
      yield* fill(here)
      yield* paid(there, "2026-03-02T01:00:00Z", "completed", money("KES", 100n))
      const scopes = [Option.some(here.org_id), Option.some(there.org_id), Option.none()]
      const all = { from: "2026-02-20", to: "2026-03-10" }
      const before = yield* Effect.forEach(scopes, (scope) => store.days(scope, all))
      const runs = yield* Effect.replicateEffect(store.closeDays, 5, { concurrency: "unbounded" })
      const [days] = yield* sql<{ count: number }>`select count(*)::int as count from analytics_days`
      expect(runs.reduce((sum, one) => sum + one, 0)).toBe(days?.count)
      expect(days?.count).toBeGreaterThan(3)
      const lines = yield* sql`select 1 from analytics_day_totals`
      expect(lines).toHaveLength(6)
      // The rows are gone from where counting would find them.
      yield* sql`update payments set created_at = now()`
      expect(yield* Effect.forEach(scopes, (scope) => store.days(scope, all))).toEqual(before)
    })
  )

  it.effect("are counted up to the last minutes, open payments once each is final", () =>
    Effect.gen(function* () {
      const store = yield* AnalyticsStore
      const sql = yield* SqlClient.SqlClient
      const owner = yield* newOwner
      const scope = Option.some(owner.org_id)
      const pending = yield* paid(owner, "2025-06-01T10:00:00Z", "pending", money("KES", 100n))
      yield* paid(owner, "2025-06-01T11:00:00Z", "completed", money("KES", 50n))
      const days = store.days(scope, { from: "2025-06-01", to: "2025-06-01" })
      const line = { date: "2025-06-01", count: 2, failed: 0 }
      yield* store.closeDays
      yield* store.closeDays
      expect(yield* days).toEqual([{ ...line, completed: 1, volume: money("KES", 50n) }])
      yield* sql`update payments set status = 'completed' where payment_id = ${pending.payment.payment_id}`
      const paidNow = [{ ...line, completed: 2, volume: money("KES", 150n) }]
      expect(yield* days).toEqual(paidNow)
      yield* store.closeDays
      yield* store.closeDays
      expect(yield* days).toEqual(paidNow)
      expect(yield* sql`select 1 from analytics_open_payments where org_id = ${owner.org_id}`).toEqual([])
    })
  )

  it.effect("leave a failed ramp open, as an operator may find out that it was paid out", () =>
    Effect.gen(function* () {
      const store = yield* AnalyticsStore
      const sql = yield* SqlClient.SqlClient
      const owner = yield* newOwner
      const { payment } = yield* paid(owner, "2025-05-01T10:00:00Z", "failed", money("KES", 100n))
      yield* sql`update payments set direction = 'external', ramp = '{}' where payment_id = ${payment.payment_id}`
      const days = store.days(Option.some(owner.org_id), { from: "2025-05-01", to: "2025-05-01" })
      yield* store.closeDays
      expect(yield* days).toMatchObject([{ completed: 0, failed: 1, volume: money("KES", 0n) }])
      yield* sql`update payments set status = 'completed' where payment_id = ${payment.payment_id}`
      const settled = [{ count: 1, completed: 1, failed: 0, volume: money("KES", 100n) }]
      expect(yield* days).toMatchObject(settled)
      yield* store.closeDays
      expect(yield* days).toMatchObject(settled)
    })
  )

  it.effect("include payments that are written minutes after they were created", () =>
    Effect.gen(function* () {
      const store = yield* AnalyticsStore
      const owner = yield* newOwner
      const created = new Date(Date.now() - 14 * 60_000).toISOString()
      const date = created.slice(0, 10)
      yield* store.closeDays
      yield* paid(owner, created, "completed", money("KES", 1n))
      yield* store.closeDays
      expect(yield* store.days(Option.some(owner.org_id), { from: date, to: date })).toHaveLength(1)
    })
  )

  it.effect("include payments of an instance whose clock is behind", () =>
    Effect.gen(function* () {
      const store = yield* AnalyticsStore
      const owner = yield* newOwner
      const created = new Date(Date.now() - 60 * 60_000).toISOString()
      const date = created.slice(0, 10)
      const days = store.days(Option.some(owner.org_id), { from: date, to: date })
      yield* store.closeDays
      yield* paid(owner, created, "completed", money("KES", 1n))
      expect(yield* days).toMatchObject([{ count: 1, volume: money("KES", 1n) }])
      yield* store.closeDays
      expect(yield* days).toMatchObject([{ count: 1, volume: money("KES", 1n) }])
    })
  )

  it.effect("stop before a transaction that still writes", () =>
    Effect.gen(function* () {
      const store = yield* AnalyticsStore
      const sql = yield* SqlClient.SqlClient
      const owner = yield* newOwner
      yield* paid(owner, "2025-07-01T10:00:00Z", "completed", money("KES", 1n))
      yield* store.closeDays
      yield* sql`update analytics_days set counted_to = counted_to - interval '3 minutes' where date >= current_date - 1`
      yield* Effect.scoped(
        Effect.gen(function* () {
          const other = yield* sql.reserve
          const run = (text: string) => other.executeUnprepared(text, [], undefined)
          yield* run("begin")
          yield* run("select pg_current_xact_id()")
          const [began] = yield* run("select to_char(now(), 'YYYY-MM-DD HH24:MI:SS.USOF') as at")
          yield* store.closeDays
          const late = sql`select 1 from analytics_days
            where counted_to > ${String(began!["at"])}::timestamptz - interval '15 minutes'`
          expect(yield* late).toEqual([])
          yield* run("rollback")
          yield* store.closeDays
        })
      )
    })
  )
})
