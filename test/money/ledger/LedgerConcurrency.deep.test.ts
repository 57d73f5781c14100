/** Money under contention, on PostgreSQL: no retry stands behind these posts, so a deadlock would fail them. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Deferred, Effect, Either, Option } from "effect"
import { Transactor } from "../../../src/platform/database/Transactor.ts"
import { LedgerAccount, move } from "../../../src/domain/Ledger.ts"
import { LedgerStore } from "../../../src/money/ledger/LedgerStore.ts"
import { nextId } from "../../support/StoreFixtures.ts"
import { BooksOnPostgres, onDatabase } from "./BooksOnPostgres.ts"
import { balance, code, entryOf, fiatProvider, money, moved, newBooks, post, problems } from "./Entries.ts"

const together = { concurrency: "unbounded" } as const

layer(BooksOnPostgres({ DATABASE_POOL: "16" }), onDatabase)("the books under contention", (it) => {
  it.effect("let forty debits of ten take a hundred exactly ten times", () =>
    Effect.gen(function* () {
      const { atomically } = yield* Transactor
      const { first, org_id, second, settlement } = yield* newBooks()
      for (const account of [first, settlement]) {
        yield* moved(org_id, fiatProvider(), account, "100 KES")
        const before = yield* balance(second)
        const debit = moved(org_id, account, second, "10 KES")
        const tries = yield* Effect.forEach(
          Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? debit : atomically(debit))),
          Effect.either,
          together
        )
        expect(tries.filter(Either.isRight)).toHaveLength(10)
        for (const refused of tries.filter(Either.isLeft)) {
          expect(refused.left).toMatchObject({ _tag: "InsufficientFunds", account })
        }
        expect(yield* balance(account)).toBe("0.00 KES")
        expect(money(yield* balance(second)).minor - money(before).minor).toBe(10_000n)
      }
      expect(yield* problems).toEqual([])
    })
  )

  it.effect("let two hundred transfers cross without a deadlock, and end exact", () =>
    Effect.gen(function* () {
      const { first, org_id, second } = yield* newBooks()
      yield* moved(org_id, fiatProvider(), first, "1000 KES")
      yield* moved(org_id, fiatProvider(), second, "1000 KES")
      const crossing = Array.from({ length: 200 }, (_, index) =>
        index % 2 === 0 ? moved(org_id, first, second, "3.01 KES") : moved(org_id, second, first, "2.99 KES")
      )
      yield* Effect.forEach(crossing, (transfer) => transfer, { ...together, discard: true })
      expect([yield* balance(first), yield* balance(second)]).toEqual(["998.00 KES", "1002.00 KES"])
      expect(yield* problems).toEqual([])
    })
  )

  it.effect("let what is owed grow and be paid at one moment without a deadlock", () =>
    Effect.gen(function* () {
      const { org_id, settlement } = yield* newBooks()
      const owed = LedgerAccount.receivable(org_id, code("KES"))
      yield* moved(org_id, owed, fiatProvider(), "1000 KES")
      const both = Array.from({ length: 200 }, (_, index) =>
        index % 2 === 0
          ? moved(org_id, fiatProvider(), settlement, "3 KES")
          : moved(org_id, owed, fiatProvider(), "2 KES")
      )
      yield* Effect.forEach(both, (one) => one, { ...together, discard: true })
      expect([yield* balance(settlement), yield* balance(owed)]).toEqual(["0.00 KES", "-900.00 KES"])
      expect(yield* problems).toEqual([])
    })
  )

  it.effect("let the first credits of organisations meet what they owe without a deadlock", () =>
    Effect.gen(function* () {
      const first = Effect.gen(function* () {
        const { org_id, settlement } = yield* newBooks()
        const owed = LedgerAccount.receivable(org_id, code("KES"))
        const both = Array.from({ length: 12 }, (_, index) =>
          index % 3 === 1
            ? moved(org_id, fiatProvider(), settlement, "1 KES")
            : moved(org_id, owed, fiatProvider(), "2 KES")
        )
        yield* Effect.forEach(both, (one) => one, { ...together, discard: true })
        expect([yield* balance(settlement), yield* balance(owed)]).toEqual(["0.00 KES", "-12.00 KES"])
      })
      yield* Effect.replicateEffect(first, 40)
      expect(yield* problems).toEqual([])
    })
  )

  it.effect("make accounts that many posts meet for the first time at one moment", () =>
    Effect.gen(function* () {
      const { org_id } = yield* newBooks()
      const ids = yield* Effect.replicateEffect(nextId, 6)
      const accounts = ids.map((id) => LedgerAccount.virtual(id, code("KES")))
      const deposits = yield* Effect.forEach(Array.from({ length: 60 }), (_, index) => {
        const turned = [...accounts.slice(index % 6), ...accounts.slice(0, index % 6)]
        const some = index % 2 === 0 ? turned : turned.toReversed().slice(0, 4)
        return entryOf(
          org_id,
          some.flatMap((account) => move(fiatProvider(), account, money("1 KES")))
        )
      })
      yield* Effect.forEach(deposits, (entry) => post(entry), { ...together, discard: true })
      const expected = accounts.map(
        (account) => deposits.filter(({ postings }) => postings.some((one) => one.account === account)).length
      )
      const amounts = yield* Effect.forEach(accounts, balance)
      expect(amounts).toEqual(expected.map((count) => `${count}.00 KES`))
      expect(yield* problems).toEqual([])
    })
  )

  it.effect("hold a limit that is set while the first debits come in", () =>
    Effect.gen(function* () {
      const { atomically } = yield* Transactor
      const store = yield* LedgerStore
      for (const [limit, most] of [
        ["100 KES", 10],
        ["30 KES", 3]
      ] as const) {
        const { org_id, settlement } = yield* newBooks()
        const debit = Effect.as(moved(org_id, settlement, fiatProvider(), "10 KES"), 1)
        const set = Effect.as(
          atomically(store.setLimit({ org_id, currency: code("KES"), credit_limit: money(limit) })),
          0
        )
        const work = Array.from({ length: 41 }, (_, index) => (index % 10 === 5 ? set : debit))
        const tries = yield* Effect.forEach(work, Effect.either, together)
        const debits = tries.filter(Either.isRight).reduce((sum, { right }) => sum + right, 0)
        expect(debits).toBeLessThanOrEqual(most)
        expect(yield* balance(settlement)).toBe(debits === 0 ? "0.00 KES" : `-${debits * 10}.00 KES`)
        yield* Effect.forEach(Array.from({ length: most - debits }), () => debit)
        expect(yield* Effect.flip(debit)).toMatchObject({ _tag: "InsufficientFunds", account: settlement })
      }
      expect(yield* problems).toEqual([])
    })
  )

  it.effect("keep limit and floor together when a limit is taken away while another is set", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { atomically } = yield* Transactor
      const store = yield* LedgerStore
      const { org_id } = yield* newBooks()
      const currency = code("KES")
      const isSet = yield* Deferred.make<void>()
      const someoneWaits = Effect.map(
        sql`select from pg_locks l join pg_stat_activity a using (pid)
          where not l.granted and a.datname = current_database()`,
        (rows) => rows.length > 0
      )
      const set = atomically(
        Effect.gen(function* () {
          yield* store.setLimit({ org_id, currency, credit_limit: money("100 KES") })
          yield* Deferred.succeed(isSet, undefined)
          yield* Effect.repeat(someoneWaits, { until: (waits) => waits })
        })
      )
      const takenAway = Effect.zipRight(
        Deferred.await(isSet),
        atomically(store.setLimit({ org_id, currency, credit_limit: null }))
      )
      const [, before] = yield* Effect.all([set, takenAway], together)
      expect(before).toEqual(Option.some(money("100 KES")))
      expect(yield* problems).toEqual([])
    })
  )

  it.effect("let a transaction that has locked its balances decide on them alone", () =>
    Effect.gen(function* () {
      const { atomically } = yield* Transactor
      const store = yield* LedgerStore
      const { first, org_id, second } = yield* newBooks()
      yield* moved(org_id, fiatProvider(), first, "100 KES")
      const sweep = (from: LedgerAccount, to: LedgerAccount) =>
        atomically(
          Effect.gen(function* () {
            const amounts = yield* store.lockedBalances([from, to])
            yield* Effect.yieldNow()
            yield* Effect.flatMap(entryOf(org_id, move(from, to, amounts.get(from)!)), post)
          })
        )
      const sweeps = Array.from({ length: 40 }, (_, index) =>
        index % 2 === 0 ? sweep(first, second) : sweep(second, first)
      )
      yield* Effect.forEach(sweeps, (one) => one, { ...together, discard: true })
      const left = [yield* balance(first), yield* balance(second)]
      expect(left.toSorted()).toEqual(["0.00 KES", "100.00 KES"])
      expect(yield* atomically(store.lockedBalance(second))).toEqual(money(left[1]!))
      expect(yield* problems).toEqual([])
    })
  )
})
