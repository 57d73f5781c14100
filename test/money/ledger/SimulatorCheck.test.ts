/** The ledger check against the simulated providers. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { LedgerStore } from "../../../src/money/ledger/LedgerStore.ts"
import { simulatorPaymentId } from "../../../src/providers/sandbox/SimulatorAnswers.ts"
import { PaymentStore } from "../../../src/payments/store/PaymentStore.ts"
import { answer, changeTo, newOwner, newPayment, shillings } from "../../payments/support/NewPayment.ts"
import { nextId } from "../../support/StoreFixtures.ts"
import { BooksOnPostgres, onDatabase } from "./BooksOnPostgres.ts"

const problems = Effect.flatMap(LedgerStore, ({ check }) => Effect.map(check, (report) => report.problems))

const held = (
  reference: string,
  amount: number,
  about: { readonly state?: string; readonly behaviour?: string } = {}
) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`insert into rail_payments (reference, rail, state, behaviour, amount, currency, detail)
      values (${reference}, 'fiat', ${about.state ?? "completed"}, ${about.behaviour ?? "completes"}, ${amount}, 'KES',
        '{"kind": "collection"}')`
  )

/** A payin through the simulator that is completed in the books. */
const paidIn = Effect.gen(function* () {
  const store = yield* PaymentStore
  const { attempt, payment } = yield* newPayment(yield* newOwner, {}, { provider: "fiat" })
  const change = yield* changeTo(payment, "completed", {
    patch: { provider: "fiat", taken_by: attempt.attempt_id },
    attempt: yield* answer(attempt),
    movements: [
      {
        provider: "fiat",
        account: null,
        kind: "collection",
        movement_id: simulatorPaymentId("fiat", attempt.attempt_id),
        attempt_id: attempt.attempt_id,
        refund_id: null,
        amount: shillings(150_000n),
        state: "settled",
        is_total: false,
        source: "callback",
        heard_at: new Date()
      }
    ],
    booksBefore: { movements: [], allocations: [] }
  })
  expect(yield* store.apply(change)).toBe(true)
  return attempt.attempt_id
})

layer(BooksOnPostgres(), onDatabase)("Simulated providers beside the books", (it) => {
  it.effect("hold what the books say, or the check names the account and an attempt", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const first = yield* paidIn
      yield* sql`update movements set amount = 1499 where attempt_id = ${first}`
      expect(yield* problems).toMatchObject([
        {
          kind: "provider_differs",
          subject: "provider/fiat/KES",
          message: "provider/fiat/KES holds 1500.00 by the books, but its movements add up to 1499."
        }
      ])
      yield* sql`update movements set amount = 1500.00 where attempt_id = ${first}`

      // Without any payment at a simulator, as in live mode, there is nothing to compare.
      expect(yield* problems).toEqual([])
      yield* held(first, 1500)
      expect(yield* problems).toEqual([])

      // Only a person settles these, and this one has not ended.
      yield* held(yield* nextId, 1, { behaviour: "by_hand" })
      yield* held(yield* nextId, 2, { state: "processing" })
      expect(yield* problems).toEqual([])

      // Counts as pending: its callback is still to come.
      const coming = yield* nextId
      yield* held(coming, 300)
      yield* sql`insert into rail_timers (timer_id, rail, reference, report, event_id, occurred_at, due_at)
        values (${yield* nextId}, 'fiat', ${coming}, 'completed', ${yield* nextId}, now(), now())`
      expect(yield* problems).toEqual([])
      yield* sql`delete from rail_timers`
      expect(yield* problems).toMatchObject([
        {
          kind: "simulator_differs",
          subject: "provider/fiat/KES",
          message: expect.stringContaining(
            `0 by the books, 300 there, in 1 of its payments, such as that of attempt ${coming}`
          )
        }
      ])
      yield* sql`delete from rail_payments where reference = ${coming}`

      yield* sql`update rail_payments set amount = 1400 where reference = ${first}`
      expect(yield* problems).toMatchObject([
        { kind: "simulator_differs", message: expect.stringContaining("1500.00 by the books, 1400 there") }
      ])
      yield* sql`update rail_payments set state = 'failed', amount = 1500 where reference = ${first}`
      expect(yield* problems).toMatchObject([
        { kind: "simulator_differs", message: expect.stringContaining("1500.00 by the books, 0 there") }
      ])
    })
  )
})
