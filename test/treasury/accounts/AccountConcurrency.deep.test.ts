/** Many at one time, on PostgreSQL: nothing is overdrawn, nothing deadlocks, and a freeze comes before or after. */
import { expect } from "@effect/vitest"
import { SqlClient, SqlError } from "@effect/sql"
import { Deferred, Effect, Either, Fiber, Layer, Option } from "effect"
import type { AccountId } from "../../../src/domain/Ids.ts"
import { VirtualAccountStore } from "../../../src/treasury/accounts/VirtualAccountStore.ts"
import { StoresLive } from "../../../src/app/Stores.ts"
import { isDatabaseFailure } from "../../../src/domain/Failure.ts"
import { InTransaction, Transactor } from "../../../src/platform/database/Transactor.ts"
import { eventually } from "../../payments/support/PaymentCalls.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { onServer } from "../../support/TestServer.ts"
import { expectBooksInOrder, makeBank } from "./AccountFixtures.ts"

const together = { concurrency: "unbounded" } as const

/** The pool was exhausted for a moment on a busy machine; no statement was sent. */
const hadNoConnection = (error: unknown): boolean =>
  error instanceof SqlError.SqlError && error.message.startsWith("Failed to acquire connection")

/** A transaction that has begun is not retried, so a deadlock fails the test. */
const TransactorWithoutRetry = Layer.effect(
  Transactor,
  Effect.map(SqlClient.SqlClient, (sql) => ({
    atomically: <A, E, R>(effect: Effect.Effect<A, E, R>) =>
      sql.withTransaction(Effect.provideService(effect, InTransaction, true)).pipe(
        Effect.retry({ while: hadNoConnection, times: 20 }),
        Effect.catchAll((error) =>
          error instanceof SqlError.SqlError || isDatabaseFailure(error) ? Effect.die(error) : Effect.fail(error)
        )
      )
  }))
)

const opened = StoresLive.pipe(Layer.provideMerge(TestDatabase))
const stores = Layer.orDie(Layer.merge(opened, Layer.provide(TransactorWithoutRetry, opened)))

/** Waits until so many sessions wait for a lock of another. */
const waits = Effect.fnUntraced(function* (many: number) {
  const sql = yield* Effect.serviceOptional(SqlClient.SqlClient)
  const waiting = sql<{ readonly count: string }>`select count(*) from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`
  return yield* eventually(waiting, ([row]) => row?.count === String(many))
})
const someoneWaits = waits(1)

onServer("Virtual accounts under contention", "PostgreSQL", { stores, variables: { DATABASE_POOL: "12" } }, (it) => {
  it.effect("are frozen only after a debit that has locked them", () =>
    Effect.gen(function* () {
      const bank = yield* makeBank
      const accounts = yield* VirtualAccountStore
      const { atomically } = yield* Transactor
      const account = yield* bank.open(100)
      const locked = yield* Deferred.make<void>()
      const go = yield* Deferred.make<void>()
      const debit = yield* Effect.fork(
        atomically(
          Effect.gen(function* () {
            const found = yield* accounts.lock(bank.org_id, account)
            yield* Deferred.succeed(locked, undefined)
            yield* Deferred.await(go)
            return Option.getOrThrow(found).status
          })
        )
      )
      yield* Deferred.await(locked)
      yield* bank.withdraw(account, 1)
      const freezing = yield* Effect.fork(bank.freeze(account))
      yield* someoneWaits
      expect(Option.isNone(yield* Fiber.poll(freezing))).toBe(true)
      yield* Deferred.succeed(go, undefined)
      expect(yield* Fiber.join(debit)).toBe("active")
      expect(yield* Fiber.join(freezing)).toMatchObject({ status: "frozen" })
    })
  )

  it.effect("are frozen before a debit that comes after the freeze", () =>
    Effect.gen(function* () {
      const bank = yield* makeBank
      const accounts = yield* VirtualAccountStore
      const { atomically } = yield* Transactor
      const account = yield* bank.open(100)
      const other = yield* bank.open(0)
      const locked = yield* Deferred.make<void>()
      const go = yield* Deferred.make<void>()
      const debit = yield* Effect.fork(
        atomically(
          accounts
            .lock(bank.org_id, account)
            .pipe(Effect.zipRight(Deferred.succeed(locked, undefined)), Effect.zipRight(Deferred.await(go)))
        )
      )
      yield* Deferred.await(locked)
      const freezing = yield* Effect.fork(bank.freeze(account))
      yield* someoneWaits
      const late = yield* Effect.fork(Effect.flip(bank.transfer(account, other, 1)))
      yield* waits(2)
      yield* Deferred.succeed(go, undefined)
      yield* Fiber.join(debit)
      expect(yield* Fiber.join(freezing)).toMatchObject({ status: "frozen" })
      expect(yield* Fiber.join(late)).toMatchObject({ _tag: "Conflict" })
      expect(yield* bank.balance(account)).toBe("100.00")
    })
  )

  it.effect("are frozen within seconds, however many transfers are under way", () =>
    Effect.gen(function* () {
      const bank = yield* makeBank
      const account = yield* bank.open(1000)
      const other = yield* bank.open(1000)
      let transfers = 0
      const loops = yield* Effect.forEach(Array.from({ length: 6 }), (_, index) => {
        const [from, to] = index % 2 === 0 ? ([account, other] as const) : ([other, account] as const)
        // Those to the frozen account go on.
        const transferred = Effect.map(Effect.either(bank.transfer(from, to, 1)), () => void (transfers += 1))
        return Effect.fork(Effect.forever(transferred))
      })
      yield* eventually(
        Effect.sync(() => transfers),
        (so) => so >= 12
      )
      const frozen = yield* Effect.timeout(bank.freeze(account), "5 seconds")
      expect(frozen).toMatchObject({ status: "frozen" })
      yield* Fiber.interruptAll(loops)
      yield* expectBooksInOrder
    })
  )

  it.effect("refuse a debit that comes upon a freeze under way", () =>
    Effect.gen(function* () {
      const bank = yield* makeBank
      const accounts = yield* VirtualAccountStore
      const { atomically } = yield* Transactor
      const other = yield* bank.open(0)
      for (const debit of [
        (account: AccountId) => Effect.asVoid(bank.withdraw(account, 1)),
        (account: AccountId) => Effect.asVoid(bank.transfer(account, other, 1))
      ]) {
        const account = yield* bank.open(100)
        const frozen = yield* Deferred.make<void>()
        const go = yield* Deferred.make<void>()
        const freezing = yield* Effect.fork(
          atomically(
            Effect.gen(function* () {
              yield* accounts.lockForChange(Option.none(), account)
              yield* accounts.setStatus(bank.org_id, account, "frozen", null)
              yield* Deferred.succeed(frozen, undefined)
              yield* Deferred.await(go)
            })
          )
        )
        yield* Deferred.await(frozen)
        const debiting = yield* Effect.fork(Effect.flip(debit(account)))
        yield* someoneWaits
        yield* Deferred.succeed(go, undefined)
        yield* Fiber.join(freezing)
        expect(yield* Fiber.join(debiting)).toMatchObject({ _tag: "Conflict" })
        expect(yield* bank.balance(account)).toBe("100.00")
        expect(yield* bank.transactions(account)).toHaveLength(1)
      }
      yield* expectBooksInOrder
    })
  )

  it.effect("pay ten of forty withdrawals of ten from a hundred, and refuse the rest", () =>
    Effect.gen(function* () {
      const bank = yield* makeBank
      const account = yield* bank.open(100)
      const tries = yield* Effect.forEach(
        Array.from({ length: 40 }),
        () => Effect.either(bank.withdraw(account, 10)),
        together
      )
      expect(tries.filter(Either.isRight)).toHaveLength(10)
      for (const refused of tries.filter(Either.isLeft)) {
        expect(refused.left).toMatchObject({ _tag: "InsufficientFunds", code: "INSUFFICIENT_FUNDS" })
      }
      expect(yield* bank.balance(account)).toBe("0.00")
      const rows = yield* bank.transactions(account)
      expect(rows.filter(({ type }) => type === "debit")).toHaveLength(10)
      yield* expectBooksInOrder
    })
  )

  it.effect("let a hundred transfers cross, beside withdrawals, and end exact", () =>
    Effect.gen(function* () {
      const bank = yield* makeBank
      const first = yield* bank.open(1000)
      const second = yield* bank.open(1000)
      const third = yield* bank.open(1000)
      const around = [
        [first, second],
        [second, first],
        [second, third],
        [third, first]
      ] as const
      const crossing = Array.from({ length: 100 }, (_, index) => {
        const [from, to] = around[index % around.length]!
        return Effect.asVoid(bank.transfer(from, to, 3))
      })
      const paying = Array.from({ length: 10 }, () => Effect.asVoid(bank.withdraw(first, 7)))
      yield* Effect.all([...crossing, ...paying], { ...together, discard: true })
      const left = yield* Effect.forEach([first, second, third], bank.balance)
      expect(left).toEqual(["1005.00", "925.00", "1000.00"])
      yield* expectBooksInOrder
    })
  )

  it.effect("are frozen between two debits, never in the middle of one", () =>
    Effect.gen(function* () {
      const bank = yield* makeBank
      for (const round of [1, 2, 3]) {
        const account = yield* bank.open(1000)
        const other = yield* bank.open(0)
        const debits = Array.from({ length: 24 }, (_, index) =>
          index % 2 === 0 ? bank.withdraw(account, 1) : bank.transfer(account, other, 1)
        )
        const some = yield* Deferred.make<void>()
        const debited = (debit: (typeof debits)[number], index: number) =>
          Effect.either(Effect.asVoid(debit)).pipe(
            Effect.tap(() => (index === round * 4 ? Deferred.succeed(some, undefined) : Effect.void))
          )
        const freezing = Deferred.await(some).pipe(
          Effect.zipRight(bank.freeze(account)),
          Effect.zipRight(bank.balance(account))
        )
        const [then, tries] = yield* Effect.all(
          [freezing, Effect.forEach(debits, debited, { concurrency: 6 })],
          together
        )
        const paid = tries.filter(Either.isRight).length
        for (const refused of tries.filter(Either.isLeft)) {
          expect(refused.left).toMatchObject({ _tag: "Conflict", message: expect.stringContaining("is frozen") })
        }
        expect(then).toBe(`${1000 - paid}.00`)
        expect(yield* bank.balance(account)).toBe(then)
        const rows = yield* bank.transactions(account)
        expect(rows.filter(({ type }) => type === "debit")).toHaveLength(paid)
        yield* bank.deposit(account, 5)
        expect(yield* bank.balance(account)).toBe(`${1005 - paid}.00`)
      }
      yield* expectBooksInOrder
    })
  )
})
