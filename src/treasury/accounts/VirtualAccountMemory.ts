/** Virtual accounts and their transactions in memory. */
import { Effect, Layer, Option } from "effect"
import type { AccountId } from "../../domain/Ids.ts"
import { orDefect } from "../../platform/database/DatabaseFailure.ts"
import {
  memoryTable,
  newestFirst,
  openTables,
  currentDate,
  matches,
  seenIn
} from "../../platform/database/MemoryDatabase.ts"
import type { Scope } from "../../platform/database/Query.ts"
import {
  type VirtualAccount,
  VirtualAccountStore,
  withPaymentState,
  type VirtualTransaction,
  VirtualTransactionStore
} from "./VirtualAccountStore.ts"
import type { Payment } from "../../payments/store/Payment.ts"

const accountTables = { virtualAccounts: memoryTable<VirtualAccount>("virtualAccounts") }

export const virtualAccountStoreMemory = Layer.effect(
  VirtualAccountStore,
  Effect.map(openTables(accountTables), ({ virtualAccounts }) => {
    const find = (scope: Scope, id: AccountId) =>
      Effect.sync(() => Option.filter(Option.fromNullable(virtualAccounts.get(id)), seenIn(scope)))
    return {
      insert: (account) =>
        Effect.map(currentDate, (at) => {
          const row: VirtualAccount = {
            ...account,
            account_type: "currency",
            status: "active",
            frozen_reason: null,
            created_at: at,
            updated_at: at
          }
          virtualAccounts.set(row.account_id, row)
          return row
        }),
      find,
      list: (scope, filter, window) =>
        Effect.sync(() => {
          const rows = Array.from(virtualAccounts.values()).filter(seenIn(scope)).filter(matches(filter))
          return newestFirst(rows, (row) => row.account_id, window)
        }),
      lock: (orgId, id) => find(Option.some(orgId), id),
      lockForChange: find,
      setStatus: (orgId, id, status, frozen_reason) =>
        Effect.flatMap(currentDate, (updated_at) =>
          orDefect(
            Effect.map(Effect.flatten(find(Option.some(orgId), id)), (row) => {
              const changed: VirtualAccount = { ...row, status, frozen_reason, updated_at }
              virtualAccounts.set(id, changed)
              return changed
            })
          )
        )
    }
  })
)

const transactionTables = {
  virtualTransactions: memoryTable<VirtualTransaction>("virtualTransactions"),
  payments: memoryTable<Pick<Payment, "status" | "total_fees" | "updated_at">>("payments")
}

export const virtualTransactionStoreMemory = Layer.effect(
  VirtualTransactionStore,
  Effect.map(openTables(transactionTables), ({ payments, virtualTransactions }) => {
    const following = (row: VirtualTransaction) => {
      const payment = row.payment_id === null ? undefined : payments.get(row.payment_id)
      return payment === undefined ? row : withPaymentState(row, payment)
    }
    return {
      insert: (rows) =>
        Effect.map(currentDate, (at) => {
          const made = rows.map((row): VirtualTransaction => ({ ...row, created_at: at, updated_at: at }))
          for (const row of made) virtualTransactions.set(row.transaction_id, row)
          return made
        }),
      find: (scope, id, userId) =>
        Effect.sync(() =>
          Option.fromNullable(virtualTransactions.get(id)).pipe(
            Option.filter((row) => seenIn(scope)(row) && matches({ user_id: userId })(row)),
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
          const rows = Array.from(virtualTransactions.values()).filter((row) => row.account_id === accountId)
          return newestFirst(rows.filter(seenIn(scope)), (row) => row.transaction_id, window).map(following)
        })
    }
  })
)
