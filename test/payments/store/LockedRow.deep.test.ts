/** Locks the row of one organisation's balance: other organisations keep their speed. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Clock, Effect, Exit, Fiber, Option, Redacted } from "effect"
import { Client } from "pg"
import { DatabaseServer } from "../../../src/platform/database/DatabaseServer.ts"
import { failureTag } from "../../support/FailureTag.ts"
import { Transactor } from "../../../src/platform/database/Transactor.ts"
import { LedgerAccount, move } from "../../../src/domain/Ledger.ts"
import { LedgerStore } from "../../../src/money/ledger/LedgerStore.ts"
import { PaymentStore } from "../../../src/payments/store/PaymentStore.ts"
import { BooksOnPostgres, onDatabase } from "../../money/ledger/BooksOnPostgres.ts"
import { entryOf, fiatProvider } from "../../money/ledger/Entries.ts"
import { newOwner, newPayment, paidTo, shillings } from "../support/NewPayment.ts"

type Owner = Effect.Effect.Success<typeof newOwner>

const payin = Effect.fnUntraced(function* (owner: Owner) {
  const store = yield* PaymentStore
  const { attempt, payment } = yield* newPayment(owner, { status: "processing", provider: "stripe" })
  return yield* store.apply(yield* paidTo(payment, attempt))
})

const settlementOf = ({ org_id }: Owner) => LedgerAccount.settlement(org_id, shillings(0n).currency)

/** Holds a row until the scope ends, as a transaction that goes on elsewhere would. */
const holdRow = (table: string, column: string, id: string) =>
  Effect.gen(function* () {
    const { url } = yield* DatabaseServer
    const client = yield* Effect.acquireRelease(
      Effect.promise(async () => {
        const opened = new Client({ connectionString: Redacted.value(url) })
        await opened.connect()
        return opened
      }),
      (opened) => Effect.promise(() => opened.end())
    )
    yield* Effect.promise(async () => {
      await client.query("begin")
      await client.query(`select from ${table} where ${column} = $1 for update`, [id])
    })
  })

const hold = (owner: Owner) => holdRow("ledger_balances", "account", settlementOf(owner))

const WINDOW = 4000
const MOST_ROUNDS = 4

/** Number of payins that several fibers complete one after the other in a while. */
const countWithin = <R>(one: Effect.Effect<unknown, unknown, R>) =>
  Effect.gen(function* () {
    const end = (yield* Clock.currentTimeMillis) + WINDOW
    const loop = Effect.gen(function* () {
      let done = 0
      for (; (yield* Clock.currentTimeMillis) < end; done += 1) yield* one
      return done
    })
    const counts = yield* Effect.all(
      Array.from({ length: 6 }, () => loop),
      { concurrency: "unbounded" }
    )
    return counts.reduce((sum, done) => sum + done, 0)
  })

layer(BooksOnPostgres(), onDatabase)("While a payment is being changed", (it) => {
  it.effect("nothing of it is sent again: its money may just be taken back", () =>
    Effect.gen(function* () {
      const store = yield* PaymentStore
      const { attempt, payment } = yield* newPayment(yield* newOwner, { status: "processing" })
      const sql = yield* SqlClient.SqlClient
      yield* sql`update attempts set outcome = 'unknown' where attempt_id = ${attempt.attempt_id}`
      const again = store.renewSend(attempt.attempt_id, null)
      const held = Effect.zipRight(holdRow("payments", "payment_id", payment.payment_id), again)
      expect(yield* Effect.scoped(held)).toEqual(Option.none())
      expect(Option.isSome(yield* again), "it is sent when the change is over").toBe(true)
    })
  )
})

layer(BooksOnPostgres(), onDatabase)("While one organisation's balance is held", (it) => {
  it.effect("its neighbours keep their speed, and it is answered with Busy", () =>
    Effect.gen(function* () {
      const [first, second] = [yield* newOwner, yield* newOwner]
      const neighbours = countWithin(Effect.zip(payin(first), payin(second)))
      // Repeats rounds: a request behind the lock is slow in every round, one on a busy machine only in some.
      const ratios: Array<number> = []
      while (ratios.length < MOST_ROUNDS && !ratios.some((ratio) => ratio > 0.8)) {
        const slow = yield* newOwner
        for (const owner of [first, second, slow]) yield* payin(owner)
        const failures: Array<unknown> = []
        const slowly = Effect.forever(
          Effect.flatMap(Effect.exit(payin(slow)), (exit) =>
            Exit.isFailure(exit) ? Effect.sync(() => failures.push(failureTag(exit))) : Effect.yieldNow()
          )
        )
        const busy = yield* Effect.forkAll(Array.from({ length: 4 }, () => slowly))
        const free = yield* neighbours
        expect(failures, "no request is held up yet").toEqual([])
        const held = yield* Effect.scoped(Effect.zipRight(hold(slow), neighbours))
        expect(new Set(failures)).toEqual(new Set(["Busy"]))
        yield* Fiber.interrupt(busy)
        expect(yield* payin(slow), "it goes on when the row is free").toBe(true)
        ratios.push(held / free)
      }
      expect(Math.max(...ratios), `beside a held row: ${ratios.join(", ")}`).toBeGreaterThan(0.8)
      const { problems } = yield* Effect.flatMap(LedgerStore, ({ check }) => check)
      expect(problems).toEqual([])
    })
  )

  it.effect("its transactions leave room for those of others, and what they did not do is not half done", () =>
    Effect.gen(function* () {
      const { atomically } = yield* Transactor
      const ledger = yield* LedgerStore
      const [slow, neighbour] = [yield* newOwner, yield* newOwner]
      for (const owner of [slow, neighbour]) yield* payin(owner)
      const before = yield* ledger.balance(settlementOf(slow))
      const deposit = Effect.gen(function* () {
        const entry = yield* entryOf(slow.org_id, move(fiatProvider(), settlementOf(slow), shillings(100n)))
        yield* ledger.post([entry])
      })
      const waiting = yield* Effect.scoped(
        Effect.gen(function* () {
          yield* hold(slow)
          const waiting = yield* Effect.forkAll(Array.from({ length: 20 }, () => Effect.exit(atomically(deposit))))
          yield* Effect.forEach(Array.from({ length: 5 }), () => payin(neighbour))
          expect(yield* Fiber.poll(waiting), "they still wait").toEqual(Option.none())
          yield* Fiber.await(waiting)
          return waiting
        })
      )
      const failures = (yield* Fiber.join(waiting)).map(failureTag)
      expect(failures).toEqual(Array.from({ length: 20 }, () => "Busy"))
      expect(yield* ledger.balance(settlementOf(slow))).toEqual(before)
    })
  )
})
