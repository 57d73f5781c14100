/** Stored fees of a payment, smallest first, on either store. */
import { SqlClient } from "@effect/sql"
import { Effect, Option } from "effect"
import type { PaymentId } from "../../../src/domain/Ids.ts"
import { MemoryDatabase } from "../../../src/platform/database/MemoryDatabase.ts"
import { paymentTables } from "../../../src/payments/store/AttemptQueueMemory.ts"

export interface FeeRow {
  readonly fee_id: string
  readonly org_id: string
  readonly fee_rule_id: string
  readonly amount: string
  readonly currency: string
  readonly created_at: Date
}

export const storedFees = (paymentId: PaymentId) =>
  Effect.gen(function* () {
    const sql = yield* Effect.serviceOption(SqlClient.SqlClient)
    if (Option.isSome(sql)) {
      return yield* sql.value<FeeRow>`select fee_id, org_id, fee_rule_id, amount, currency, created_at
        from payment_fees where payment_id = ${paymentId} order by amount`
    }
    const { paymentFees } = (yield* Effect.serviceOptional(MemoryDatabase)).open(paymentTables)
    const rows = Array.from(paymentFees.values()).filter(({ payment_id }) => payment_id === paymentId)
    return rows
      .toSorted((a, b) => (a.amount.minor < b.amount.minor ? -1 : 1))
      .map(({ amount, created_at, fee_id, fee_rule_id, org_id }): FeeRow => ({
        ...{ fee_id, org_id, fee_rule_id, created_at },
        amount: amount.toNumericText(),
        currency: amount.currency
      }))
  }).pipe(Effect.orDie)
