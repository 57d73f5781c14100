/**
 * What went through virtual accounts, at rest. A withdrawal's row only names its payment: what became of it is read from
 * there, so that nothing has to be kept in step.
 */
import { SqlClient } from "@effect/sql"
import { Clock, Context, Effect, Layer, Option } from "effect"
import { newestFirst, openTables } from "../../platform/database/MemoryDatabase.ts"
import { paymentTables } from "../../payments/store/MemoryTables.ts"
import { accountTables } from "./MemoryTables.ts"
import { firstRow, inScope, newest, type Scope } from "../../platform/database/Query.ts"
import { moneyOf } from "../../platform/database/StoredMoney.ts"
import type { PaymentStatus } from "../../domain/PaymentStatus.ts"
import type { Window } from "../../platform/database/Window.ts"
import { followingPayment, type NewVirtualTransaction, type VirtualTransaction } from "./VirtualTransaction.ts"

interface Store {
  /** Belongs in the transaction that moves the money. Answers in the order of the rows. */
  readonly insert: (rows: ReadonlyArray<NewVirtualTransaction>) => Effect.Effect<ReadonlyArray<VirtualTransaction>>
  /** `userId`: only if the account is this user's. */
  readonly find: (
    scope: Scope,
    id: string,
    userId?: string | undefined
  ) => Effect.Effect<Option.Option<VirtualTransaction>>
  readonly findByPayment: (orgId: string, paymentId: string) => Effect.Effect<Option.Option<VirtualTransaction>>
  readonly list: (scope: Scope, accountId: string, window: Window) => Effect.Effect<ReadonlyArray<VirtualTransaction>>
}

type StoredRow = Omit<VirtualTransaction, "amount" | "fee"> & { readonly amount: string; readonly fee: string }

interface Row extends StoredRow {
  readonly payment_status: PaymentStatus | null
  readonly payment_fees: string | null
  readonly payment_updated_at: Date | null
}

const fromStored = ({ amount, fee, ...row }: StoredRow): VirtualTransaction => ({
  ...row,
  amount: moneyOf(amount, row.currency),
  fee: moneyOf(fee, row.currency)
})

const fromRow = ({ payment_fees, payment_status, payment_updated_at, ...row }: Row): VirtualTransaction => {
  const stored = fromStored(row)
  if (payment_status === null || payment_updated_at === null) return stored
  return followingPayment(stored, {
    status: payment_status,
    total_fees: payment_fees === null ? null : moneyOf(payment_fees, row.currency),
    updated_at: payment_updated_at
  })
}

export class VirtualTransactionStore extends Context.Tag("corridor/VirtualTransactionStore")<
  VirtualTransactionStore,
  Store
>() {
  static readonly layer = Layer.effect(
    VirtualTransactionStore,
    Effect.map(SqlClient.SqlClient, (sql): Store => {
      const names = [
        ...["transaction_id", "account_id", "org_id", "user_id", "type", "status", "amount", "fee", "currency"],
        ...["description", "payment_rail", "reference", "payment_id", "created_at", "updated_at"]
      ]
      const stored = sql.literal([...names, "trim_scale(rate)::text as rate"].join(", "))
      const transactions = sql.literal(`(select ${names.map((name) => `t.${name}`).join(", ")},
          trim_scale(t.rate)::text as rate,
          p.status as payment_status, p.total_fees as payment_fees, p.updated_at as payment_updated_at
        from virtual_transactions t
        left join payments p on p.payment_id = t.payment_id and p.org_id = t.org_id) transaction`)
      return {
        insert: (rows) => {
          if (rows.length === 0) return Effect.succeed([])
          const written = rows.map(({ amount, fee, ...row }) => ({
            ...row,
            amount: amount.toNumericText(),
            fee: fee.toNumericText()
          }))
          return sql<StoredRow>`insert into virtual_transactions ${sql.insert(written)} returning ${stored}`.pipe(
            Effect.map((made) => {
              const byId = new Map(made.map((row) => [row.transaction_id, fromStored(row)]))
              return rows.map(({ transaction_id }) => byId.get(transaction_id)!)
            }),
            Effect.orDie
          )
        },
        find: (scope, id, userId) => {
          const owner = userId === undefined ? sql.literal("true") : sql`user_id = ${userId}`
          return sql<Row>`select * from ${transactions}
            where transaction_id = ${id} and ${inScope(sql, scope)} and ${owner}`.pipe(
            Effect.map((rows) => Option.map(firstRow(rows), fromRow)),
            Effect.orDie
          )
        },
        findByPayment: (orgId, paymentId) =>
          sql<Row>`select * from ${transactions} where payment_id = ${paymentId} and org_id = ${orgId}`.pipe(
            Effect.map((rows) => Option.map(firstRow(rows), fromRow)),
            Effect.orDie
          ),
        list: (scope, accountId, window) =>
          sql<Row>`select * from ${transactions} where account_id = ${accountId} and ${inScope(sql, scope)}
            ${newest(sql, "transaction_id", window)}`.pipe(
            Effect.map((rows) => rows.map(fromRow)),
            Effect.orDie
          )
      }
    })
  )

  static readonly layerMemory = Layer.effect(
    VirtualTransactionStore,
    Effect.map(openTables({ ...paymentTables, ...accountTables }), ({ payments, virtualTransactions }): Store => {
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
}
