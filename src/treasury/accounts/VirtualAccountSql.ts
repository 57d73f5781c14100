/** Virtual accounts and their transactions in PostgreSQL. */
import { SqlClient } from "@effect/sql"
import { Duration, Effect, Layer, Option, Schema } from "effect"
import type { AccountId } from "../../domain/Ids.ts"
import { accountDetailsLease } from "../../domain/policies/PaymentPolicies.ts"
import { orDatabaseFailure } from "../../platform/database/DatabaseFailure.ts"
import { WorkQueues } from "../../platform/database/WorkQueues.ts"
import {
  inScope,
  newest,
  ownedBy,
  ownedIn,
  type Scope,
  sameOrg,
  rowsAs,
  moneyOf,
  query,
  anyRow
} from "../../platform/database/Query.ts"
import {
  PendingDetails,
  VirtualAccount,
  VirtualAccountStore,
  withPaymentState,
  TransactionRow,
  type VirtualTransaction,
  VirtualTransactionStore
} from "./VirtualAccountStore.ts"
import { paymentStatuses } from "../../domain/PaymentStatus.ts"

const accountsOf = query(VirtualAccount)
const pendingOf = query(PendingDetails)

export const virtualAccountStoreSql = Layer.effect(
  VirtualAccountStore,
  Effect.map(Effect.all([SqlClient.SqlClient, WorkQueues]), ([sql, { announce }]) => {
    const columns = sql.literal(Object.keys(VirtualAccount.fields).join(", "))
    /**
     * Shared row locks that overlap would keep a freeze out for ever: a row lock has no queue. Advisory locks have one, so
     * movements that come after the freeze wait for it. The row lock reads the status as it is once the turn has come.
     */
    const inTurn = (scope: Scope, id: AccountId, turn: "_shared" | "", lock: "share" | "no key update") =>
      accountsOf.first(sql`with turn as materialized (
          select pg_advisory_xact_lock${sql.literal(turn)}(hashtextextended(${`virtual account ${id}`}, 0)))
        select ${columns} from virtual_accounts cross join turn
        where account_id = ${id} and ${ownedIn(sql, scope)} for ${sql.literal(lock)} of virtual_accounts`)
    return {
      insert: ({ wanted, ...account }) =>
        accountsOf
          .one(
            sql`insert into virtual_accounts ${sql.insert({
              ...account,
              ...(wanted === undefined
                ? {}
                : {
                    payment_rail: wanted.payment_rail,
                    details_message: wanted.details_message,
                    issuer: wanted.issuer,
                    holder: JSON.stringify(wanted.holder),
                    details_status: wanted.issuer === null ? "none" : "pending",
                    // Due at once, by any clock.
                    details_due_at: wanted.issuer === null ? null : new Date(0)
                  })
            })} returning ${columns}`
          )
          .pipe(Effect.zipLeft(wanted === undefined ? Effect.void : announce("account_details"))),
      find: (scope, id) =>
        accountsOf.first(sql`select ${columns} from virtual_accounts
          where account_id = ${id} and ${ownedIn(sql, scope)}`),
      list: (scope, { currency, user_id }, window) => {
        const conditions = [
          inScope(sql, scope),
          ...(user_id === undefined ? [] : [sql`user_id = ${user_id}`]),
          ...(currency === undefined ? [] : [sql`currency = ${currency}`])
        ]
        return accountsOf.all(sql`select ${columns} from virtual_accounts where ${sql.and(conditions)}
          ${newest(sql, "account_id", window)}`)
      },
      lock: (orgId, id) => inTurn(Option.some(orgId), id, "_shared", "share"),
      lockForChange: (scope, id) => inTurn(scope, id, "", "no key update"),
      claimDetails: (most) =>
        pendingOf.all(sql`update virtual_accounts a set details_tries = details_tries + 1,
            details_due_at = now() + make_interval(secs => ${Duration.toSeconds(accountDetailsLease)})
          where account_id = any (array(select account_id from virtual_accounts where details_due_at <= now()
            order by details_due_at limit ${most} for no key update skip locked))
          returning ${sql.literal(Object.keys(PendingDetails.fields).join(", "))}`),
      changeDetails: ({ account_id, details_tries, org_id }, change) => {
        const where = sql`where account_id = ${account_id} and details_status = 'pending'
          and details_tries = ${details_tries} and ${ownedBy(sql, org_id)} returning account_id`
        switch (change._tag) {
          case "issued":
            return anyRow(sql`update virtual_accounts set details_status = 'issued', provider = issuer,
              issuer_reference = ${change.issuerReference}, details = ${JSON.stringify(change.details)}::jsonb,
              details_message = null, details_due_at = null, updated_at = now() ${where}`)
          case "refused":
            return anyRow(sql`update virtual_accounts set details_status = 'refused', details_message = ${change.message},
              details_due_at = null, updated_at = now() ${where}`)
          case "pending":
            return anyRow(sql`update virtual_accounts set issuer = ${change.issuer},
              details_due_at = now() + make_interval(secs => ${Duration.toSeconds(change.dueIn)}) ${where}`)
        }
      },
      findByIssuer: (issuer, reference) =>
        accountsOf.first(sql`select ${columns} from virtual_accounts
          where issuer = ${issuer} and issuer_reference = ${reference}`),
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
