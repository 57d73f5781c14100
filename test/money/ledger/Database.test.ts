/** Constraints of the database on ledger rows, and findings of a check when they were bypassed. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Data, Effect, Either } from "effect"
import { LedgerAccount } from "../../../src/domain/Ledger.ts"
import { newOrganization, nextId } from "../../support/StoreFixtures.ts"
import { BooksOnPostgres, onDatabase } from "./BooksOnPostgres.ts"
import { balance, code, fiatProvider, moved, newBooks, problems } from "./Entries.ts"

class Undone extends Data.TaggedError("Undone")<{ readonly seen: ReadonlyArray<ReadonlyArray<string>> }> {}

type Row = Readonly<Record<string, string | null>>

/** "accepted", or the constraint (or SQL state) of the refusal. */
const verdict = <A, R>(statement: Effect.Effect<A, { readonly cause?: unknown }, R>) =>
  Effect.map(Effect.either(statement), (result) => {
    if (Either.isRight(result)) return "accepted"
    const { code: state, constraint } = result.left.cause as { readonly code?: string; readonly constraint?: string }
    return constraint ?? state
  })

const insert = (...rows: ReadonlyArray<Row>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const entry_id = yield* nextId
    const whole = rows.map((row) => ({ entry_id, kind: "adjustment", currency: "KES", ...row }))
    return yield* verdict(sql`insert into ledger_postings ${sql.insert(whole)}`)
  })

const run = (statement: string) => Effect.flatMap(SqlClient.SqlClient, (sql) => verdict(sql.unsafe(statement)))

layer(BooksOnPostgres(), onDatabase)("the database", (it) => {
  it.effect("refuses an entry that does not balance in each of its currencies", () =>
    Effect.gen(function* () {
      const { first, org_id } = yield* newBooks()
      const into = { org_id, account: first }
      const counterpart = { org_id, account: fiatProvider() }
      const dollars = { org_id, account: fiatProvider("USD"), currency: "USD" }
      expect(yield* insert({ ...into, amount: "1" })).toBe("ledger_postings_balanced")
      expect(yield* insert({ ...into, amount: "1" }, { ...counterpart, amount: "-0.99" })).toBe(
        "ledger_postings_balanced"
      )
      expect(yield* insert({ ...into, amount: "1" }, { ...dollars, amount: "-1" })).toBe("ledger_postings_balanced")
      const split = { entry_id: yield* nextId }
      expect(yield* insert({ ...into, amount: "1" }, { ...counterpart, ...split, amount: "-1" })).toBe(
        "ledger_postings_balanced"
      )
      expect(yield* insert({ ...into, amount: "NaN" }, { ...counterpart, amount: "NaN" })).toBe(
        "ledger_postings_balanced"
      )
      expect(yield* balance(first)).toBe("0.00 KES")
      expect(yield* insert({ ...into, amount: "1" }, { ...counterpart, amount: "-1" })).toBe("accepted")
      expect(yield* balance(first)).toBe("1.00 KES")
    })
  )

  it.effect("writes no index anew where a balance changes that is not zero", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { org_id, settlement } = yield* newBooks()
      yield* moved(org_id, fiatProvider(), settlement, "5 KES")
      const updates = sql<{ all: string; hot: string }>`select pg_stat_get_xact_tuples_updated(c) as all,
        pg_stat_get_xact_tuples_hot_updated(c) as hot from (select 'ledger_balances'::regclass as c) t`
      const [before, after] = yield* sql.withTransaction(
        Effect.all([updates, Effect.zipRight(moved(org_id, fiatProvider(), settlement, "1 KES"), updates)])
      )
      const more = (name: "all" | "hot") => Number(after[0]![name]) - Number(before[0]![name])
      expect([more("all"), more("hot")]).toEqual([1, 1])
    })
  )

  it.effect("refuses postings that must not be", () =>
    Effect.gen(function* () {
      const [{ first, org_id, settlement }, theirs] = [yield* newBooks(), yield* newBooks()]
      yield* moved(theirs.org_id, fiatProvider(), theirs.first, "5 KES")
      const counterpart = { org_id, account: fiatProvider(), amount: "-1" }
      const into = (row: Row) => insert({ org_id, account: first, amount: "1", ...row }, counterpart)
      expect(yield* into({ amount: "0" })).toBe("ledger_postings_amount")
      expect(yield* into({ currency: "USD" })).toBe("ledger_postings_currency")
      expect(yield* into({ currency: "ES" })).toBe("ledger_postings_currency")
      expect(yield* into({ account: "pocket/KES" })).toBe("ledger_postings_account")
      expect(yield* into({ account: `virtual/${org_id}` })).toBe("ledger_postings_account")
      expect(yield* into({ account: theirs.settlement })).toBe("ledger_postings_owner")
      expect(yield* into({ account: settlement, org_id: null })).toBe("ledger_postings_owner")
      const account = yield* nextId
      expect(yield* into({ account: `own/${theirs.org_id}/${account}/KES` })).toBe("ledger_postings_owner")
      expect(yield* into({ account: `own/${org_id}/KES` })).toBe("ledger_postings_account")
      expect(yield* into({ account: `provider/stripe/acct_1/KES` })).toBe("ledger_postings_account")
      expect(yield* into({ account: theirs.first })).toBe("ledger_balances_one_owner")
      expect(yield* into({ org_id: null })).toBe("23502")
      expect(yield* into({ org_id: yield* nextId })).toBe("ledger_balances_org_id_fkey")
      expect(yield* insert({ ...counterpart, account: first }, { ...counterpart, amount: "1" })).toBe(
        "ledger_balances_floor"
      )
      expect(yield* into({})).toBe("accepted")
    })
  )

  it.effect("takes nothing back", () =>
    Effect.gen(function* () {
      const { first, org_id } = yield* newBooks()
      yield* moved(org_id, fiatProvider(), first, "5 KES")
      expect(yield* run("update ledger_postings set reference = 'other'")).toBe("23001")
      expect(yield* run("delete from ledger_postings")).toBe("23001")
      expect(yield* run("truncate ledger_postings")).toBe("23001")
      expect(yield* run(`truncate ${["organizations", "ledger_balances", "ledger_postings"].join()} cascade`)).toBe(
        "23001"
      )
      expect(yield* run(`delete from organizations where org_id = '${org_id}'`)).toBe("ledger_balances_org_id_fkey")
      expect(yield* run(`update ledger_balances set balance = -1 where account = '${first}'`)).toBe(
        "ledger_balances_floor"
      )
      expect(yield* balance(first)).toBe("5.00 KES")
    })
  )
})

layer(BooksOnPostgres(), onDatabase)("a check of books that someone tampered with", (it) => {
  const found = Effect.map(problems, (all) => all.map(({ kind, message, subject }) => [kind, subject, message]))

  /** Findings of the check while a change is in force that the triggers would have prevented. */
  const during = (statements: ReadonlyArray<string>) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const tampered = Effect.gen(function* () {
        yield* sql`set local session_replication_role = 'replica'`
        yield* Effect.forEach(statements, (text) => sql.unsafe(text))
        const seen = yield* found
        return yield* new Undone({ seen })
      })
      const end = yield* Effect.flip(sql.withTransaction(tampered))
      expect(yield* found, "the change is undone").toEqual([])
      return end._tag === "Undone" ? end.seen : yield* Effect.die(end)
    })

  it.effect("finds a balance that its postings do not give", () =>
    Effect.gen(function* () {
      const { first, org_id } = yield* newBooks()
      yield* moved(org_id, fiatProvider(), first, "5 KES")
      expect(yield* during([`update ledger_balances set balance = 5.01 where account = '${first}'`])).toEqual([
        ["wrong_balance", first, `${first} has a balance of 5.01, but its postings add up to 5.00.`]
      ])
    })
  )

  it.effect("finds a balance that is gone, and one of nothing", () =>
    Effect.gen(function* () {
      const { first, org_id, second } = yield* newBooks()
      yield* moved(org_id, fiatProvider(), first, "5 KES")
      expect(yield* during([`delete from ledger_balances where account = '${first}'`])).toMatchObject([
        ["missing_balance", first, `${first} has no balance, but postings that add up to 5.00.`]
      ])
      const made = `insert into ledger_balances values ('${second}', '${org_id}', 'KES', 7, 0)`
      expect(yield* during([made])).toEqual([
        ["wrong_balance", second, `${second} has a balance of 7, but its postings add up to 0.`]
      ])
    })
  )

  it.effect("finds a floor that is not the due one, and a balance below its floor", () =>
    Effect.gen(function* () {
      const { first, org_id } = yield* newBooks()
      yield* moved(org_id, fiatProvider(), first, "5 KES")
      const lowered = `update ledger_balances set floor = null where account = '${first}'`
      expect(yield* during([lowered])).toEqual([
        ["wrong_floor", first, `${first} has the floor none, but it should be 0.`]
      ])
      const drop = "alter table ledger_balances drop constraint ledger_balances_floor"
      const overdrawn = `update ledger_balances set balance = -1 where account = '${first}'`
      expect((yield* during([drop, overdrawn])).map(([kind]) => kind)).toEqual(["wrong_balance", "below_floor"])
    })
  )

  it.effect("finds postings that were changed or left behind", () =>
    Effect.gen(function* () {
      const { first, org_id } = yield* newBooks()
      yield* moved(org_id, fiatProvider(), first, "5 KES")
      const one = `account = '${first}'`
      const changed = yield* during([`update ledger_postings set amount = 6 where ${one}`])
      expect(changed.map(([kind, subject]) => [kind, subject])).toEqual([
        ["unbalanced_books", "KES"],
        ["unbalanced_entry", expect.any(String)],
        ["wrong_balance", first]
      ])
      const gone = yield* during([`delete from ledger_postings where ${one}`])
      expect(gone.map(([kind]) => kind)).toEqual(["unbalanced_books", "unbalanced_entry", "wrong_balance"])
      const { org_id: other } = yield* newOrganization()
      expect(yield* during([`update ledger_postings set org_id = '${other}' where ${one}`])).toEqual([
        ["foreign_posting", first, `${first} has postings of an organisation that it does not belong to.`]
      ])
      const missing = yield* nextId
      const counterpart = `account = '${fiatProvider()}' and org_id = '${org_id}'`
      expect(yield* during([`update ledger_postings set org_id = '${missing}' where ${counterpart}`])).toEqual([
        ["unknown_organization", missing, `There are postings of organisation ${missing}, which does not exist.`]
      ])
    })
  )

  it.effect("finds money that moved between two currencies of one entry", () =>
    Effect.gen(function* () {
      const { org_id } = yield* newBooks()
      const entry_id = yield* nextId
      const forged = [
        [LedgerAccount.fx(code("KES")), "KES", "3"],
        [LedgerAccount.fx(code("USD")), "USD", "-3"]
      ].map(
        ([account, currency, amount]) =>
          `insert into ledger_postings (entry_id, org_id, account, currency, amount, kind)
            values ('${entry_id}', '${org_id}', '${account}', '${currency}', ${amount}, 'adjustment')`
      )
      expect((yield* during(forged)).map(([kind, subject]) => [kind, subject])).toEqual([
        ["unbalanced_books", "KES"],
        ["unbalanced_books", "USD"],
        ["unbalanced_entry", entry_id],
        ["unbalanced_entry", entry_id]
      ])
    })
  )
})
