/** What an organisation had at the end of each day: counted back from what it has now, on both kinds of stores. */
import { expect, layer, type Vitest } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import * as fc from "fast-check"
import { describe, it as plain } from "vitest"
import { StoresOverMemory } from "../../../src/app/Stores.ts"
import { daysBefore, eachDay } from "../../../src/domain/CalendarDate.ts"
import { Ids } from "../../../src/domain/Ids.ts"
import { LedgerAccount, move } from "../../../src/domain/Ledger.ts"
import { Money } from "../../../src/domain/Money.ts"
import { balancesByDay } from "../../../src/money/ledger/BalanceDays.ts"
import { LedgerStore } from "../../../src/money/ledger/LedgerStore.ts"
import { MemoryDatabase } from "../../../src/platform/database/MemoryDatabase.ts"
import { testSettings } from "../../support/TestSettings.ts"
import { postAt } from "./Backdated.ts"
import { BooksOnPostgres, onDatabase } from "./BooksOnPostgres.ts"
import { code, entryOf, fiatRail, money, moved, newBooks } from "./Entries.ts"

const OnMemory = StoresOverMemory.pipe(
  Layer.provideMerge(MemoryDatabase.layer),
  Layer.provideMerge(Ids.layer),
  Layer.provideMerge(testSettings())
)

type Provided = Layer.Layer.Success<typeof StoresOverMemory> | Ids

const suite = (it: Vitest.MethodsNonLive<Provided, true>) => {
  it.effect("tells what each later UTC day moved, and what there is now, for one organisation alone", () =>
    Effect.gen(function* () {
      const store = yield* LedgerStore
      const [mine, theirs] = [yield* newBooks(), yield* newBooks()]
      const usdt = LedgerAccount.settlement(mine.org_id, "USDT")
      const paid = (text: string) => entryOf(mine.org_id, move(fiatRail(), mine.settlement, money(text)))
      yield* postAt(new Date("2026-02-27T12:00:00Z"), yield* paid("1000000000000.01 KES"))
      yield* postAt(new Date("2026-02-28T23:59:59.999Z"), yield* paid("0.10 KES"))
      yield* postAt(new Date("2026-03-01T00:00:00.000Z"), yield* paid("0.20 KES"))
      const rest = yield* entryOf(mine.org_id, [
        ...move(mine.settlement, mine.held, money("0.05 KES")),
        ...move(LedgerAccount.fx("USDT"), usdt, money("0.000001 USDT"))
      ])
      yield* postAt(new Date("2026-03-01T23:59:59.999Z"), rest)
      yield* postAt(new Date("2026-03-02T00:00:00.000Z"), yield* paid("7 KES"))
      yield* moved(theirs.org_id, fiatRail(), theirs.settlement, "5 KES")
      yield* moved(mine.org_id, fiatRail(), mine.first, "3 KES")

      const found = yield* store.settledAfter(Option.some(mine.org_id), "2026-02-27")
      expect(found.now.map(String)).toEqual(["1000000000007.26 KES", "0.000001 USDT"])
      expect(found.moved.map(({ date, net }) => [date, net.toString()])).toEqual([
        ["2026-02-28", "0.10 KES"],
        ["2026-03-01", "0.15 KES"],
        ["2026-03-01", "0.000001 USDT"],
        ["2026-03-02", "7.00 KES"]
      ])
      expect(yield* store.settledAfter(Option.some(mine.org_id), "2026-03-02")).toEqual({ ...found, moved: [] })

      const listed = yield* store.balancesOf(Option.some(mine.org_id))
      const settlements = listed.filter(({ account }) => account.startsWith("settlement/"))
      expect(settlements.map(({ balance }) => balance)).toEqual(found.now)
      const everybody = yield* store.settledAfter(Option.none(), "2026-03-02")
      expect(everybody.now.filter(({ currency }) => currency === "KES")).toHaveLength(1)
    })
  )

  it.effect("has nothing of an organisation that nothing was posted for", () =>
    Effect.gen(function* () {
      const store = yield* LedgerStore
      const { org_id } = yield* newBooks()
      expect(yield* store.settledAfter(Option.some(org_id), "2026-03-02")).toEqual({ now: [], moved: [] })
    })
  )
}

layer(OnMemory, onDatabase)("The days of the books on memory", suite)
layer(BooksOnPostgres(), onDatabase)("The days of the books on PostgreSQL", suite)

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
