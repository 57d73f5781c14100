import { SqlClient } from "@effect/sql"
import { describe, expect, it, layer } from "@effect/vitest"
import { Cause, Effect, Exit, Layer, Option } from "effect"
import { StoresLive } from "../../../src/app/Stores.ts"
import { Ids } from "../../../src/domain/Ids.ts"
import { UnexpectedRow } from "../../../src/platform/database/Query.ts"
import { attemptOf, booksOf, paymentOf, toRow } from "../../../src/payments/store/PaymentRow.ts"
import { PaymentStore } from "../../../src/payments/store/PaymentStore.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { testSettings } from "../../support/TestSettings.ts"
import { makePayment, newOwner, newPayment } from "../support/NewPayment.ts"
import { idFrom } from "../../support/AnyId.ts"

const ID = idFrom("0199c2a5-0c11-7d20-8f10-3b2c1d0e9f88")

const goodRow = Effect.map(makePayment({ org_id: ID, user_id: ID }), (payment) => ({
  ...toRow(payment),
  metadata: JSON.stringify(payment.metadata)
}))

const attemptRow = {
  attempt_id: ID,
  payment_id: ID,
  org_id: ID,
  leg: "payment",
  provider: "fiat",
  config_id: null,
  account: null,
  own: false,
  outcome: null,
  reason: null,
  provider_payment_id: null,
  started_at: new Date(0),
  answered_at: null,
  enquiries: 0,
  next_enquiry_at: null,
  sends: 1,
  sent_at: new Date(0),
  of_attempt: null,
  traceparent: null
}

const wrong: ReadonlyArray<readonly [column: string, value: unknown, named: string]> = [
  ["version", "1", "version"],
  ["payment_id", undefined, "payment_id"],
  ["status", "lost", "status"],
  ["amount", 1500, "amount"],
  ["currency", "KSH", "currency"],
  ["country", "XX", "country"],
  ["payer_details", [], "payer_details"],
  ["metadata", {}, "metadata"],
  ["action_data", { redirect_url: 1 }, "action_data.redirect_url"],
  ["failure", { code: "BROKEN", message: "", provider: null }, "failure.code"],
  ["refunds", [{ refund_id: ID }], "refunds.0.amount"],
  ["fee_ids", [null], "fee_ids.0"],
  ["holds", 1, "holds"],
  ["expires_at", "2026-03-02", "expires_at"]
]

const wrongInAttempt: ReadonlyArray<readonly [column: string, value: unknown, named: string]> = [
  ["leg", "third", "leg"],
  ["sent_at", null, "sent_at"]
]

const movementRow = {
  provider: "fiat",
  account: null,
  kind: "collection",
  movement_id: "c1",
  attempt_id: ID,
  refund_id: null,
  amount: "1500.00",
  currency: "KES",
  state: "settled",
  is_total: false,
  source: "callback",
  heard_at: "1970-01-01T00:00:00.000Z"
}

const wrongInMovement: ReadonlyArray<readonly [column: string, value: unknown, named: string]> = [
  ["kind", "gift", "movements.0.kind"],
  ["movement_id", null, "movements.0.movement_id"],
  ["amount", 1500, "movements.0.amount"],
  ["currency", "KSH", "movements.0.currency"],
  ["state", "lost", "movements.0.state"],
  ["is_total", 1, "movements.0.is_total"]
]

describe("A row with a column of a wrong type", () => {
  it.each(wrongInMovement)("of a movement, %s as %j, is refused by name", (column, value, named) => {
    const books = (row: object) => booksOf({ movements: [row], allocations: null })
    expect(books(movementRow)).toMatchObject({ movements: [{ movement_id: "c1", heard_at: new Date(0) }] })
    expect(() => books({ ...movementRow, [column]: value })).toThrow(UnexpectedRow)
    expect(() => books({ ...movementRow, [column]: value })).toThrow(`${named}: unexpected value`)
  })

  it.effect.each(wrong)("of a payment, %s as %j, is refused by name", ([column, value, named]) =>
    Effect.gen(function* () {
      const row = yield* goodRow
      expect(paymentOf(row).payment_id).toBe(row.payment_id)
      expect(() => paymentOf({ ...row, [column]: value })).toThrow(UnexpectedRow)
      expect(() => paymentOf({ ...row, [column]: value })).toThrow(`${named}: unexpected value`)
    }).pipe(Effect.provide(Ids.layer))
  )

  it.each(wrongInAttempt)("of an attempt, %s as %j, is refused by name", (column, value, named) => {
    const { own: own_account, traceparent: _, ...untraced } = attemptRow
    expect(attemptOf(attemptRow)).toEqual({ ...untraced, own_account })
    expect(() => attemptOf({ ...attemptRow, [column]: value })).toThrow(UnexpectedRow)
    expect(() => attemptOf({ ...attemptRow, [column]: value })).toThrow(`${named}: unexpected value`)
  })
})

const onDatabase = StoresLive.pipe(
  Layer.provideMerge(TestDatabase),
  Layer.provideMerge(Ids.layer),
  Layer.provide(testSettings())
)

layer(onDatabase, { excludeTestServices: true, timeout: "60 seconds" })("A table that was changed by hand", (it) => {
  it.effect("makes one clear defect of every read", () =>
    Effect.gen(function* () {
      const store = yield* PaymentStore
      const sql = yield* SqlClient.SqlClient
      const owner = yield* newOwner
      const { payment } = yield* newPayment(owner)
      yield* sql`alter table payments alter column comments type jsonb using '{}'::jsonb`
      const exit = yield* Effect.exit(store.find(Option.some(owner.org_id), payment.payment_id))
      const defect = Exit.isFailure(exit) ? Option.getOrNull(Cause.dieOption(exit.cause)) : null
      expect(defect).toBeInstanceOf(UnexpectedRow)
      expect(defect).toMatchObject({ message: "comments: unexpected value" })
    })
  )
})
