/** Balances at the end of each day, counted back from now, on both kinds of stores. */
import { expect, layer, type Vitest } from "@effect/vitest"
import { SqlClient } from "@effect/sql"
import { Deferred, Effect, Fiber, Layer, Option } from "effect"
import * as fc from "fast-check"
import { describe, it as plain } from "vitest"
import { StoresOverMemory } from "../../../src/app/Stores.ts"
import { daysBefore, eachDay } from "../../../src/domain/CalendarDate.ts"
import { type OrgId, Ids } from "../../../src/domain/Ids.ts"
import { LedgerAccount, move } from "../../../src/domain/Ledger.ts"
import { Money } from "../../../src/domain/Money.ts"
import { balancesByDay, LedgerStore } from "../../../src/money/ledger/LedgerStore.ts"
import { MemoryDatabase } from "../../../src/platform/database/MemoryDatabase.ts"
import { moneyOf } from "../../../src/platform/database/Query.ts"
import { testSettings } from "../../support/TestSettings.ts"
import { postAt } from "./BackdatedEntries.ts"
import { BooksOnPostgres, onDatabase } from "./BooksOnPostgres.ts"
import { code, entryOf, fiatProvider, money, moved, newBooks } from "./Entries.ts"

const OnMemory = StoresOverMemory.pipe(
  Layer.provideMerge(MemoryDatabase.layer),
  Layer.provideMerge(Ids.layer),
  Layer.provideMerge(testSettings())
)

type Provided = Layer.Layer.Success<typeof StoresOverMemory> | Ids

const suite = (it: Vitest.MethodsNonLive<Provided, true>) => {
  it.effect("returns the net change of each later UTC day and the current balances of one organisation", () =>
    Effect.gen(function* () {
      const store = yield* LedgerStore
      const [mine, theirs] = [yield* newBooks(), yield* newBooks()]
      const usdt = LedgerAccount.settlement(mine.org_id, "USDT")
      const paid = (text: string) => entryOf(mine.org_id, move(fiatProvider(), mine.settlement, money(text)))
      yield* postAt(new Date("2026-02-27T12:00:00Z"), yield* paid("1000000000000.01 KES"))
      yield* postAt(new Date("2026-02-28T23:59:59.999Z"), yield* paid("0.10 KES"))
      yield* postAt(new Date("2026-03-01T00:00:00.000Z"), yield* paid("0.20 KES"))
      const rest = yield* entryOf(mine.org_id, [
        ...move(mine.settlement, mine.held, money("0.05 KES")),
        ...move(LedgerAccount.fx("USDT"), usdt, money("0.000001 USDT"))
      ])
      yield* postAt(new Date("2026-03-01T23:59:59.999Z"), rest)
      yield* postAt(new Date("2026-03-02T00:00:00.000Z"), yield* paid("7 KES"))
      yield* moved(theirs.org_id, fiatProvider(), theirs.settlement, "5 KES")
      yield* moved(mine.org_id, fiatProvider(), mine.first, "3 KES")

      const found = yield* store.settlementChangesAfter(Option.some(mine.org_id), "2026-02-27")
      expect(found.now.map(String)).toEqual(["1000000000007.26 KES", "0.000001 USDT"])
      expect(found.moved.map(({ date, net }) => [date, net.toString()])).toEqual([
        ["2026-02-28", "0.10 KES"],
        ["2026-03-01", "0.15 KES"],
        ["2026-03-01", "0.000001 USDT"],
        ["2026-03-02", "7.00 KES"]
      ])
      expect(yield* store.settlementChangesAfter(Option.some(mine.org_id), "2026-03-02")).toEqual({
        ...found,
        moved: []
      })

      const listed = yield* store.balancesOf(Option.some(mine.org_id))
      const settlements = listed.filter(({ account }) => account.startsWith("settlement/"))
      expect(settlements.map(({ balance }) => balance)).toEqual(found.now)
      const everybody = yield* store.settlementChangesAfter(Option.none(), "2026-03-02")
      expect(everybody.now.filter(({ currency }) => currency === "KES")).toHaveLength(1)
    })
  )

  it.effect("has nothing of an organisation that nothing was posted for", () =>
    Effect.gen(function* () {
      const store = yield* LedgerStore
      const { org_id } = yield* newBooks()
      expect(yield* store.settlementChangesAfter(Option.some(org_id), "2026-03-02")).toEqual({ now: [], moved: [] })
    })
  )
}

layer(OnMemory, onDatabase)("The days of the books on memory", suite)
layer(BooksOnPostgres(), onDatabase)("The days of the books on PostgreSQL", suite)

/** Sums all postings. */
const plainly = (orgId: OrgId, date: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<{ readonly date: string; readonly currency: string; readonly amount: string }>`
      select to_char(created_at at time zone 'UTC', 'YYYY-MM-DD') as date, currency, sum(amount)::text as amount
      from ledger_postings
      where org_id = ${orgId} and account like 'settlement/%'
        and to_char(created_at at time zone 'UTC', 'YYYY-MM-DD') > ${date}
      group by 1, 2 order by 1, 2`
  )

/** Posts with the time of a transaction that began then, or of a manual change. */
const postLate = (orgId: OrgId, at: Date, minor: bigint) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const amount = new Money({ currency: code("KES"), minor })
    const { entry_id, postings } = yield* entryOf(
      orgId,
      move(fiatProvider(), LedgerAccount.settlement(orgId, code("KES")), amount)
    )
    yield* sql`insert into ledger_postings ${sql.insert(
      postings.map((one) => ({
        ...{ entry_id, org_id: orgId, kind: "deposit", account: one.account, currency: "KES", created_at: at },
        amount: one.amount.toNumericText()
      }))
    )}`
  })

layer(BooksOnPostgres(), onDatabase)("Days of the books that are summed up", (it) => {
  const reported = (orgId: OrgId, date: string) =>
    Effect.map(
      Effect.flatMap(LedgerStore, (store) => store.settlementChangesAfter(Option.some(orgId), date)),
      ({ moved }) =>
        moved
          .map(({ date, net }) => ({ date, currency: net.currency, minor: net.minor }))
          .filter(({ minor }) => minor !== 0n)
    )

  const summed = (orgId: OrgId, date: string) =>
    Effect.map(plainly(orgId, date), (rows) =>
      rows
        .map((row) => ({
          date: row.date,
          currency: row.currency,
          minor: moneyOf(row.amount, code(row.currency)).minor
        }))
        .filter(({ minor }) => minor !== 0n)
    )

  it.effect("come to what all postings come to, whenever they were posted and whichever days are summed up", () =>
    Effect.gen(function* () {
      const store = yield* LedgerStore
      const sql = yield* SqlClient.SqlClient
      const now = Date.now()
      const ago = fc.integer({ min: 0, max: 6 * 86_400_000 })
      const posting = fc.record({ ago, minor: fc.bigInt(1n, 10n ** 12n), late: fc.boolean() })
      const sample = fc.sample(fc.array(posting, { minLength: 1, maxLength: 12 }), 8)
      const { org_id } = yield* newBooks()
      for (const [round, postings] of sample.entries()) {
        for (const { ago, late, minor } of postings) {
          yield* late
            ? postLate(org_id, new Date(now - ago), minor)
            : moved(org_id, fiatProvider(), LedgerAccount.settlement(org_id, code("KES")), `${minor}.00 KES`)
        }
        for (const days of [0, 1, 3, 7]) {
          const date = daysBefore(new Date(now).toISOString().slice(0, 10), days)
          expect(yield* reported(org_id, date), `after ${date}`).toEqual(yield* summed(org_id, date))
        }
        // In between the last days are open again, as if they had come since.
        if (round % 3 === 2) {
          const before = daysBefore(new Date(now).toISOString().slice(0, 10), 3)
          yield* sql`update ledger_closed set before = ${before}::date`
          yield* sql`delete from ledger_days where date >= ${before}::date`
        }
        yield* store.closeDays
      }
      const [kept] = yield* sql<{
        days: number
        total: string
      }>`select count(distinct date)::int as days, sum(amount)::text as total from ledger_days`
      expect(kept!.days).toBeGreaterThan(1)
      expect(yield* store.closeDays, "there is nothing left to close").toBe(0)
    })
  )

  it.effect("wait for concurrent postings, and include late ones", () =>
    Effect.gen(function* () {
      const store = yield* LedgerStore
      const sql = yield* SqlClient.SqlClient
      yield* sql`delete from ledger_closed`
      yield* sql`delete from ledger_days`
      const { org_id } = yield* newBooks()
      const yesterday = new Date(Date.now() - 86_400_000)
      const date = daysBefore(yesterday.toISOString().slice(0, 10), 1)
      const [posted, go] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const slow = yield* Effect.fork(
        sql.withTransaction(
          postLate(org_id, yesterday, 500n).pipe(
            Effect.zipRight(Deferred.succeed(posted, undefined)),
            Effect.zipRight(Deferred.await(go))
          )
        )
      )
      yield* Deferred.await(posted)
      const closing = yield* Effect.fork(store.closeDays)
      yield* Deferred.succeed(go, undefined)
      yield* Fiber.join(slow)
      yield* Fiber.join(closing)
      yield* store.closeDays
      yield* postLate(org_id, yesterday, 200n)
      expect(yield* reported(org_id, date)).toEqual(yield* summed(org_id, date))
      expect((yield* reported(org_id, date)).map(({ minor }) => minor)).toEqual([700n])
    })
  )

  it.effect("are summed up anew where they do not come to the balance", () =>
    Effect.gen(function* () {
      const store = yield* LedgerStore
      const sql = yield* SqlClient.SqlClient
      const { org_id } = yield* newBooks()
      const before = new Date(Date.now() - 3 * 86_400_000)
      const date = daysBefore(before.toISOString().slice(0, 10), 1)
      yield* postLate(org_id, before, 900n)
      yield* sql`delete from ledger_closed`
      yield* sql`delete from ledger_days`
      yield* store.closeDays
      yield* sql`update ledger_days set amount = amount + 1`
      yield* sql`update ledger_closed set before = before - 1`
      yield* store.closeDays
      expect(yield* reported(org_id, date)).toEqual(yield* summed(org_id, date))
    })
  )
})

describe("balances by day", () => {
  plain("end at what there is now, whatever was moved on whichever day", () => {
    const TODAY = "2026-03-02"
    const kes = (minor: bigint) => new Money({ currency: code("KES"), minor })
    const movement = fc.record({ ago: fc.integer({ min: 0, max: 40 }), minor: fc.bigInt(-(10n ** 15n), 10n ** 15n) })
    fc.assert(
      fc.property(
        fc.array(movement, { maxLength: 60 }),
        fc.integer({ min: 1, max: 30 }),
        fc.integer({ min: 0, max: 5 }),
        (movements, length, ended) => {
          const to = daysBefore(TODAY, ended)
          const from = daysBefore(to, length - 1)
          const dated = movements.map(({ ago, minor }) => ({ date: daysBefore(TODAY, ago), minor }))
          const upTo = (last: string) =>
            dated.filter(({ date }) => date <= last).reduce((sum, { minor }) => sum + minor, 0n)
          const moved = eachDay(daysBefore(from, -1), daysBefore(TODAY, -1)).flatMap((date) => {
            const minor = upTo(date) - upTo(daysBefore(date, 1))
            return minor === 0n ? [] : [{ date, net: kes(minor) }]
          })
          const days = balancesByDay({ from, to }, { now: [kes(upTo(TODAY))], moved })
          expect(days).toEqual(eachDay(from, to).map((date) => ({ date, balances: [kes(upTo(date))] })))
        }
      )
    )
  })

  plain("name every currency on every day", () => {
    const range = { from: "2026-03-01", to: "2026-03-02" }
    const now = [money("1 KES"), money("2 USD")]
    const moved = [{ date: "2026-03-02", net: money("2 USD") }]
    expect(balancesByDay(range, { now, moved }).map(({ balances, date }) => [date, ...balances.map(String)])).toEqual([
      ["2026-03-01", "1.00 KES", "0.00 USD"],
      ["2026-03-02", "1.00 KES", "2.00 USD"]
    ])
  })
})
