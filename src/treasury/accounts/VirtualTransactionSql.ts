/** What went through virtual accounts, in PostgreSQL. */
import { SqlClient } from "@effect/sql"
import { Effect, Layer, Option, Schema } from "effect"
import { AccountId, OrgId, PaymentId, TransactionId, UserId } from "../../domain/Identifiers.ts"
import { CurrencyCode } from "../../domain/Currency.ts"
import { paymentStatuses } from "../../domain/PaymentStatus.ts"
import { orDatabaseFailure } from "../../platform/database/DatabaseFailure.ts"
import { newest, ownedBy, ownedIn, sameOrg } from "../../platform/database/Query.ts"
import { rowAs, rowsAs } from "../../platform/database/Rows.ts"
import { moneyOf } from "../../platform/database/StoredMoney.ts"
import {
  followingPayment,
  paymentRails,
  transactionStatuses,
  transactionTypes,
  type VirtualTransaction
} from "./VirtualTransaction.ts"
import { VirtualTransactionStore } from "./VirtualTransactionStore.ts"

const StoredRow = Schema.Struct({
  transaction_id: TransactionId,
  account_id: AccountId,
  org_id: OrgId,
  user_id: UserId,
  type: Schema.Literal(...transactionTypes),
  status: Schema.Literal(...transactionStatuses),
  amount: Schema.String,
  fee: Schema.String,
  currency: Schema.typeSchema(CurrencyCode),
  description: Schema.NullOr(Schema.String),
  payment_rail: Schema.Literal(...paymentRails),
  reference: Schema.String,
  payment_id: Schema.NullOr(PaymentId),
  rate: Schema.NullOr(Schema.String),
  created_at: Schema.DateFromSelf,
  updated_at: Schema.DateFromSelf
})

/** With what its payment tells, where it has one. */
const Row = Schema.Struct({
  ...StoredRow.fields,
  payment_status: Schema.NullOr(Schema.Literal(...paymentStatuses)),
  payment_fees: Schema.NullOr(Schema.String),
  payment_updated_at: Schema.NullOr(Schema.DateFromSelf)
})

const storedRows = rowsAs(StoredRow)
const rowOf = rowAs(Row)
const rowsOf = rowsAs(Row)

const fromStored = ({ amount, fee, ...row }: typeof StoredRow.Type): VirtualTransaction => ({
  ...row,
  amount: moneyOf(amount, row.currency),
  fee: moneyOf(fee, row.currency)
})

/** Of the rows of `virtual_transactions`, without what their payments tell. */
export const storedTransactions = (rows: ReadonlyArray<unknown>): Effect.Effect<ReadonlyArray<VirtualTransaction>> =>
  Effect.map(storedRows(rows), (found) => found.map(fromStored))

const fromRow = ({ payment_fees, payment_status, payment_updated_at, ...row }: typeof Row.Type): VirtualTransaction => {
  const stored = fromStored(row)
  if (payment_status === null || payment_updated_at === null) return stored
  return followingPayment(stored, {
    status: payment_status,
    total_fees: payment_fees === null ? null : moneyOf(payment_fees, row.currency),
    updated_at: payment_updated_at
  })
}

export const virtualTransactionStoreSql = Layer.effect(
  VirtualTransactionStore,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const names = Object.keys(StoredRow.fields).filter((name) => name !== "rate")
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
          Effect.flatMap(rowOf),
          Effect.map(Option.map(fromRow)),
          orDatabaseFailure
        )
      },
      findByPayment: (orgId, paymentId) =>
        sql`select * from ${transactions} where payment_id = ${paymentId} and ${ownedBy(sql, orgId)}`.pipe(
          Effect.flatMap(rowOf),
          Effect.map(Option.map(fromRow)),
          orDatabaseFailure
        ),
      list: (scope, accountId, window) =>
        sql`select * from ${transactions} where account_id = ${accountId} and ${ownedIn(sql, scope)}
          ${newest(sql, "transaction_id", window)}`.pipe(
          Effect.flatMap(rowsOf),
          Effect.map((rows) => rows.map(fromRow)),
          orDatabaseFailure
        )
    }
  })
)
