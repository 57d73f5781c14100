/** Virtual accounts and their transactions in PostgreSQL. */
import { SqlClient } from "@effect/sql"
import { Effect, Layer, Option, Schema } from "effect"
import type { AccountId } from "../../domain/Ids.ts"
import { orDatabaseFailure } from "../../platform/database/DatabaseFailure.ts"
import {
  inScope,
  newest,
  ownedBy,
  ownedIn,
  type Scope,
  sameOrg,
  rowsAs,
  moneyOf,
  query
} from "../../platform/database/Query.ts"
import {
  VirtualAccount,
  VirtualAccountStore,
  withPaymentState,
  TransactionRow,
  type VirtualTransaction,
  VirtualTransactionStore
} from "./VirtualAccountStore.ts"
import { paymentStatuses } from "../../domain/PaymentStatus.ts"

const accountsOf = query(VirtualAccount)

export const virtualAccountStoreSql = Layer.effect(
  VirtualAccountStore,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const columns = sql.literal(Object.keys(VirtualAccount.fields).join(", "))
    const one = (scope: Scope, id: AccountId, lock: "" | "for share" | "for no key update") =>
      accountsOf.first(sql`select ${columns} from virtual_accounts
        where account_id = ${id} and ${ownedIn(sql, scope)} ${sql.literal(lock)}`)
    return {
      insert: (account) =>
        accountsOf.one(sql`insert into virtual_accounts ${sql.insert({ ...account })} returning ${columns}`),
      find: (scope, id) => one(scope, id, ""),
      list: (scope, { currency, user_id }, window) => {
        const conditions = [
          inScope(sql, scope),
          ...(user_id === undefined ? [] : [sql`user_id = ${user_id}`]),
          ...(currency === undefined ? [] : [sql`currency = ${currency}`])
        ]
        return accountsOf.all(sql`select ${columns} from virtual_accounts where ${sql.and(conditions)}
          ${newest(sql, "account_id", window)}`)
      },
      lock: (orgId, id) => one(Option.some(orgId), id, "for share"),
      lockForChange: (scope, id) => one(scope, id, "for no key update"),
      setStatus: (orgId, id, status, reason) =>
        accountsOf.one(sql`update virtual_accounts
          set status = ${status}, frozen_reason = ${reason}, updated_at = now()
          where account_id = ${id} and ${ownedBy(sql, orgId)} returning ${columns}`)
    }
  })
)

/** A row joined with its payment, if it has one. */
const Row = Schema.Struct({
  ...TransactionRow.fields,
  payment_status: Schema.NullOr(Schema.Literal(...paymentStatuses)),
  payment_fees: Schema.NullOr(Schema.String),
  payment_updated_at: Schema.NullOr(Schema.DateFromSelf)
})

const storedRows = rowsAs(TransactionRow)
const rowsOf = query(Row)

const fromStored = ({ amount, fee, ...row }: typeof TransactionRow.Type): VirtualTransaction => ({
  ...row,
  amount: moneyOf(amount, row.currency),
  fee: moneyOf(fee, row.currency)
})

/** Decodes rows of `virtual_transactions` without their payments. */
export const storedTransactions = (rows: ReadonlyArray<unknown>): Effect.Effect<ReadonlyArray<VirtualTransaction>> =>
  Effect.map(storedRows(rows), (found) => found.map(fromStored))

const fromRow = ({ payment_fees, payment_status, payment_updated_at, ...row }: typeof Row.Type): VirtualTransaction => {
  const stored = fromStored(row)
  if (payment_status === null || payment_updated_at === null) return stored
  return withPaymentState(stored, {
    status: payment_status,
    total_fees: payment_fees === null ? null : moneyOf(payment_fees, row.currency),
    updated_at: payment_updated_at
  })
}

export const virtualTransactionStoreSql = Layer.effect(
  VirtualTransactionStore,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const names = Object.keys(TransactionRow.fields).filter((name) => name !== "rate")
    const stored = sql.literal([...names, "trim_scale(rate)::text as rate"].join(", "))
    const transactions = sql.literal(`(select ${names.map((name) => `t.${name}`).join(", ")},
        trim_scale(t.rate)::text as rate,
        p.status as payment_status, p.total_fees as payment_fees, p.updated_at as payment_updated_at
      from virtual_transactions t
      left join payments p on p.payment_id = t.payment_id and ${sameOrg("p.org_id", "t.org_id")}) transaction`)
    return {
      insert: (rows) => {
        if (rows.length === 0) return Effect.succeed([])
        const written = rows.map(({ amount, fee, ...row }) => ({
          ...row,
          amount: amount.toNumericText(),
          fee: fee.toNumericText()
        }))
        return sql`insert into virtual_transactions ${sql.insert(written)} returning ${stored}`.pipe(
          Effect.flatMap(storedTransactions),
          Effect.map((made) => {
            const byId = new Map(made.map((row) => [row.transaction_id, row]))
            return rows.map(({ transaction_id }) => byId.get(transaction_id)!)
          }),
          orDatabaseFailure
        )
      },
      find: (scope, id, userId) => {
        const owner = userId === undefined ? sql.literal("true") : sql`user_id = ${userId}`
        return sql`select * from ${transactions}
          where transaction_id = ${id} and ${ownedIn(sql, scope)} and ${owner}`.pipe(
          rowsOf.first,
          Effect.map(Option.map(fromRow))
        )
      },
      findByPayment: (orgId, paymentId) =>
        sql`select * from ${transactions} where payment_id = ${paymentId} and ${ownedBy(sql, orgId)}`.pipe(
          rowsOf.first,
          Effect.map(Option.map(fromRow))
        ),
      list: (scope, accountId, window) =>
        sql`select * from ${transactions} where account_id = ${accountId} and ${ownedIn(sql, scope)}
          ${newest(sql, "transaction_id", window)}`.pipe(
          rowsOf.all,
          Effect.map((rows) => rows.map(fromRow))
        )
    }
  })
)
