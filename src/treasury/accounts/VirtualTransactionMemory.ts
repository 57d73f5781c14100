/** What went through virtual accounts, in memory. */
import { Clock, Effect, Layer, Option } from "effect"
import type { Payment } from "../../payments/store/Payment.ts"
import { memoryTable, newestFirst, openTables } from "../../platform/database/MemoryDatabase.ts"
import type { Scope } from "../../platform/database/Query.ts"
import { followingPayment, type VirtualTransaction } from "./VirtualTransaction.ts"
import { VirtualTransactionStore } from "./VirtualTransactionStore.ts"

const transactionTables = {
  virtualTransactions: memoryTable<VirtualTransaction>("virtualTransactions"),
  payments: memoryTable<Pick<Payment, "status" | "total_fees" | "updated_at">>("payments")
}

export const virtualTransactionStoreMemory = Layer.effect(
  VirtualTransactionStore,
  Effect.map(openTables(transactionTables), ({ payments, virtualTransactions }) => {
    const sees = (scope: Scope, row: VirtualTransaction) => Option.isNone(scope) || row.org_id === scope.value
    const following = (row: VirtualTransaction) => {
      const payment = row.payment_id === null ? undefined : payments.get(row.payment_id)
      return payment === undefined ? row : followingPayment(row, payment)
    }
    return {
      insert: (rows) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          const at = new Date(now)
          const made = rows.map((row): VirtualTransaction => ({ ...row, created_at: at, updated_at: at }))
          for (const row of made) virtualTransactions.set(row.transaction_id, row)
          return made
        }),
      find: (scope, id, userId) =>
        Effect.sync(() =>
          Option.fromNullable(virtualTransactions.get(id)).pipe(
            Option.filter((row) => sees(scope, row) && (userId === undefined || row.user_id === userId)),
            Option.map(following)
          )
        ),
      findByPayment: (orgId, paymentId) =>
        Effect.sync(() => {
          const rows = Array.from(virtualTransactions.values())
          const found = rows.find((row) => row.payment_id === paymentId && row.org_id === orgId)
          return Option.map(Option.fromNullable(found), following)
        }),
      list: (scope, accountId, window) =>
        Effect.sync(() => {
          const rows = Array.from(virtualTransactions.values()).filter(
            (row) => row.account_id === accountId && sees(scope, row)
          )
          return newestFirst(rows, (row) => row.transaction_id, window).map(following)
        })
    }
  })
)
