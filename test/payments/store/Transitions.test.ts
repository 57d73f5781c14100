/** The database holds the same table of moves as the code, and refuses every other move by itself. */
import { expect, layer } from "@effect/vitest"
import { SqlClient } from "@effect/sql"
import { Effect, Exit, Layer } from "effect"
import { StoresLive } from "../../../src/app/Stores.ts"
import { Ids } from "../../../src/domain/Ids.ts"
import { canCorrect, canMove, paymentStatuses, transitions } from "../../../src/domain/PaymentStatus.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { testSettings } from "../../support/TestSettings.ts"
import { newOwner, newPayment } from "../support/NewPayment.ts"

const services = StoresLive.pipe(
  Layer.provideMerge(TestDatabase),
  Layer.provideMerge(Ids.layer),
  Layer.provideMerge(testSettings())
)

layer(services, { excludeTestServices: true, timeout: "60 seconds" })("Payments of a dump", (it) => {
  it.effect("are filled in without a search path, as pg_restore does it", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { payment } = yield* newPayment(yield* newOwner, { client_reference: "Ngũgĩ 7" })
      const one = sql`payment_id = ${payment.payment_id}`
      const filled = sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`select set_config('search_path', '', true), set_config('session_replication_role', 'replica', true)`
          // Computes the generated column again.
          return yield* sql<{
            text: string
          }>`update public.payments set client_reference = client_reference, status = status
            where ${one} returning search_text as text`
        })
      )
      expect((yield* filled)[0]?.text).toContain("ngugi 7")
    })
  )
})

layer(services, { excludeTestServices: true, timeout: "60 seconds" })("payment_transitions", (it) => {
  it.effect("are the code's own", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql<{ from_status: string; to_status: string }>`select * from payment_transitions`
      const pairs = rows.map((row) => `${row.from_status} ${row.to_status}`)
      const ours = paymentStatuses.flatMap((from) =>
        paymentStatuses.filter((to) => canMove(from, to) || canCorrect(from, to)).map((to) => `${from} ${to}`)
      )
      expect(pairs.toSorted()).toEqual(ours.toSorted())
      expect(Object.values(transitions).flat(), "only an operator corrects").toHaveLength(ours.length - 1)
    })
  )

  it.effect("are the only moves that an update can make, of all the hundred", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const owner = yield* newOwner
      const tried = yield* Effect.forEach(paymentStatuses, (from) =>
        Effect.forEach(paymentStatuses, (to) =>
          Effect.gen(function* () {
            const { payment } = yield* newPayment(owner, { status: from })
            const moved = yield* Effect.exit(
              sql`update payments set status = ${to} where payment_id = ${payment.payment_id}`
            )
            const rows = yield* sql<{
              status: string
            }>`select status from payments where payment_id = ${payment.payment_id}`
            return { from, to, allowed: Exit.isSuccess(moved), ends: rows[0]?.status }
          })
        )
      )
      expect(tried.flat()).toHaveLength(100)
      for (const { allowed, ends, from, to } of tried.flat()) {
        const expected = from === to || canMove(from, to) || canCorrect(from, to)
        expect({ from, to, allowed, ends }).toEqual({ from, to, allowed: expected, ends: expected ? to : from })
      }
    })
  )

  it.effect("know no other status", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { payment } = yield* newPayment(yield* newOwner)
      const moved = yield* Effect.exit(
        sql`update payments set status = 'done' where payment_id = ${payment.payment_id}`
      )
      expect(Exit.isFailure(moved)).toBe(true)
    })
  )
})
