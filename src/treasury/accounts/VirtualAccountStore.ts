/** Stores of virtual accounts and their transactions. Balances are in the ledger. */
import { Context, Duration, Option, Either, Schema, Effect, Layer } from "effect"
import { HolderBankAccount } from "../../contract/api/VirtualAccountsApi.ts"
import { AccountId, OrgId, UserId, PaymentId, TransactionId } from "../../domain/Ids.ts"
import { type Stored, orDatabaseFailure } from "../../platform/database/DatabaseFailure.ts"
import {
  type Scope,
  type Window,
  inScope,
  newest,
  ownedBy,
  ownedIn,
  sameOrg,
  rowsAs,
  moneyOf,
  query,
  anyRow
} from "../../platform/database/Query.ts"
import { ProviderName } from "../../domain/Corridor.ts"
import { AnyCurrencyCode, isCryptoAssetCode } from "../../domain/Currency.ts"
import { Conflict } from "../../domain/Failure.ts"
import { LedgerAccount } from "../../domain/Ledger.ts"
import { Money } from "../../domain/Money.ts"
import { type PaymentStatus, paymentStatuses } from "../../domain/PaymentStatus.ts"
import type { AccountDetails, AccountHolder } from "../../providers/port/AccountIssuer.ts"
import type { Payment } from "../../payments/store/Payment.ts"
import { SqlClient, type Statement } from "@effect/sql"
import { accountDetailsLease } from "../../domain/policies/PaymentPolicies.ts"
import { capacityText, chosenInTurn, type ProviderCapacity } from "../../platform/database/ProviderQueues.ts"
import { WorkQueues } from "../../platform/database/WorkQueues.ts"

/** A virtual account as stored. */
const accountStatuses = ["active", "frozen", "closed"] as const
type AccountStatus = (typeof accountStatuses)[number]

export const VirtualAccount = Schema.Struct({
  account_id: AccountId,
  org_id: OrgId,
  user_id: UserId,
  customer_id: Schema.NullOr(Schema.String),
  currency: Schema.typeSchema(AnyCurrencyCode),
  virtual_account_name: Schema.String,
  account_type: Schema.Literal("currency"),
  status: Schema.Literal(...accountStatuses),
  frozen_reason: Schema.NullOr(Schema.String),
  /** The provider that holds it, where one issued its details; in the sandbox the simulated rail. */
  provider: Schema.NullOr(ProviderName),
  /** Rail that its details are for; null: none was asked for. */
  payment_rail: Schema.NullOr(Schema.Literal("bank_transfer", "wallet")),
  details_status: Schema.Literal("none", "pending", "issued", "refused"),
  /** Details that payers need to send money to the account. */
  details: Schema.NullOr(Schema.Record({ key: Schema.String, value: Schema.String })),
  /** Why it has no details; null: it has them, or they are on their way. */
  details_message: Schema.NullOr(Schema.String),
  created_at: Schema.DateFromSelf,
  updated_at: Schema.DateFromSelf
})
export type VirtualAccount = typeof VirtualAccount.Type

export interface AccountWithBalance extends VirtualAccount {
  /** Available balance, without money held for pending withdrawals. */
  readonly balance: Money
}

export const ledgerAccountOf = ({
  account_id,
  currency
}: Pick<VirtualAccount, "account_id" | "currency">): LedgerAccount => LedgerAccount.virtual(account_id, currency)

/** The rail by which payers send money to an account in this currency. */
export const railIn = (currency: AnyCurrencyCode): "bank_transfer" | "wallet" =>
  isCryptoAssetCode(currency) ? "wallet" : "bank_transfer"

/** Only an active account can pay. */
export const ensureCanPay = (account: VirtualAccount): Either.Either<VirtualAccount, Conflict> =>
  account.status === "active"
    ? Either.right(account)
    : Either.left(new Conflict({ message: `This account is ${account.status}: it cannot pay.` }))

/** A frozen account can still receive money. */
export const ensureCanReceive = (account: VirtualAccount): Either.Either<VirtualAccount, Conflict> =>
  account.status === "closed"
    ? Either.left(new Conflict({ message: "This account is closed: it cannot receive money." }))
    : Either.right(account)

type NewVirtualAccount = Pick<
  VirtualAccount,
  "account_id" | "org_id" | "user_id" | "customer_id" | "currency" | "virtual_account_name" | "provider"
> & {
  /** Details to ask for; absent: none. */
  readonly wanted?: WantedDetails
}

/** Details that an account is opened with, or why it gets none. */
export type WantedDetails = Pick<VirtualAccount, "payment_rail" | "details_message"> & {
  /** The first provider to ask; null: none issues them. */
  readonly issuer: ProviderName | null
  readonly holder: AccountHolder
}

/** An account whose details a worker asks for. */
export const PendingDetails = Schema.Struct({
  account_id: AccountId,
  org_id: OrgId,
  currency: Schema.typeSchema(AnyCurrencyCode),
  issuer: ProviderName,
  holder: Schema.Struct({
    name: Schema.String,
    email: Schema.String,
    phone: Schema.NullOr(Schema.String),
    bank_account: Schema.optional(Schema.typeSchema(HolderBankAccount))
  }),
  /** Times that a worker has taken it up. */
  details_tries: Schema.Number
})
export type PendingDetails = typeof PendingDetails.Type

/** Result of a request for details. */
type DetailsChange =
  | { readonly _tag: "issued"; readonly issuerReference: string; readonly details: AccountDetails }
  | { readonly _tag: "refused"; readonly message: string }
  /** Asks this provider, after the time. */
  | { readonly _tag: "pending"; readonly issuer: ProviderName; readonly dueIn: Duration.Duration }

export interface AccountFilter {
  readonly user_id?: UserId | undefined
  readonly currency?: string | undefined
}

export class VirtualAccountStore extends Context.Tag("corridor/VirtualAccountStore")<
  VirtualAccountStore,
  {
    readonly insert: (account: NewVirtualAccount) => Stored<VirtualAccount>
    readonly find: (scope: Scope, id: AccountId) => Stored<Option.Option<VirtualAccount>>
    readonly list: (scope: Scope, filter: AccountFilter, window: Window) => Stored<ReadonlyArray<VirtualAccount>>
    /**
     * For a transaction that moves money: keeps the account's status until its end. The lock is shared, so movements do
     * not wait for each other, only for a freeze that runs or waits. The holder must not change the account.
     */
    readonly lock: (orgId: OrgId, id: AccountId) => Stored<Option.Option<VirtualAccount>>
    /** For a transaction that changes the account: waits for running movements and blocks new ones. */
    readonly lockForChange: (scope: Scope, id: AccountId) => Stored<Option.Option<VirtualAccount>>
    /** Takes up accounts whose details are due, each for the lease. */
    readonly claimDetails: (capacity: ReadonlyArray<ProviderCapacity>) => Stored<ReadonlyArray<PendingDetails>>
    /** False: another worker has ended it, or takes it up after the lease. */
    readonly changeDetails: (claimed: PendingDetails, change: DetailsChange) => Stored<boolean>
    /** The account that a provider's id stands for. */
    readonly findByIssuer: (issuer: ProviderName, reference: string) => Stored<Option.Option<VirtualAccount>>
    readonly setStatus: (
      orgId: OrgId,
      id: AccountId,
      status: AccountStatus,
      reason: string | null
    ) => Stored<VirtualAccount>
  }
>() {}

/** A withdrawal's row refers to its payment: status and fee are read from there. */

const TransactionRow = Schema.Struct({
  transaction_id: TransactionId,
  account_id: AccountId,
  org_id: OrgId,
  /** Owner of the account. */
  user_id: UserId,
  type: Schema.Literal("credit", "debit"),
  status: Schema.Literal("pending", "completed", "failed", "reversed"),
  amount: Schema.String,
  fee: Schema.String,
  currency: Schema.typeSchema(AnyCurrencyCode),
  description: Schema.NullOr(Schema.String),
  payment_rail: Schema.Literal("bank_transfer", "card", "mobile_money", "wallet", "internal", "escrow"),
  /** Id of the ledger entry or payment that moved the money. */
  reference: Schema.String,
  /** Set on withdrawals, whose status, fee and time of change are the payment's. */
  payment_id: Schema.NullOr(PaymentId),
  /** Rate of a transfer between currencies, debited to credited, as decimal text. Internal. */
  rate: Schema.NullOr(Schema.String),
  created_at: Schema.DateFromSelf,
  updated_at: Schema.DateFromSelf
})

export interface VirtualTransaction extends Omit<typeof TransactionRow.Type, "amount" | "fee"> {
  readonly amount: Money
  readonly fee: Money
}

export type NewVirtualTransaction = Omit<VirtualTransaction, "created_at" | "updated_at">

const statuses: Partial<Record<PaymentStatus, VirtualTransaction["status"]>> = {
  completed: "completed",
  failed: "failed",
  canceled: "failed",
  rejected: "failed",
  refunded: "reversed"
}

export const statusFromPayment = (payment: PaymentStatus): VirtualTransaction["status"] =>
  statuses[payment] ?? "pending"

/** Applies the payment's status and fee. The payment may be slightly older than the row. */
export const withPaymentState = (
  transaction: VirtualTransaction,
  { status, total_fees, updated_at }: Pick<Payment, "status" | "total_fees" | "updated_at">
): VirtualTransaction => ({
  ...transaction,
  status: statusFromPayment(status),
  fee: total_fees ?? Money.zero(transaction.currency),
  updated_at: updated_at < transaction.created_at ? transaction.created_at : updated_at
})

export class VirtualTransactionStore extends Context.Tag("corridor/VirtualTransactionStore")<
  VirtualTransactionStore,
  {
    /** Runs in the transaction that moves the money. Returns rows in the given order. */
    readonly insert: (rows: ReadonlyArray<NewVirtualTransaction>) => Stored<ReadonlyArray<VirtualTransaction>>
    /** `userId`: finds the row only if this user owns the account. */
    readonly find: (
      scope: Scope,
      id: TransactionId,
      userId?: UserId | undefined
    ) => Stored<Option.Option<VirtualTransaction>>
    readonly findByPayment: (orgId: OrgId, paymentId: PaymentId) => Stored<Option.Option<VirtualTransaction>>
    readonly list: (scope: Scope, accountId: AccountId, window: Window) => Stored<ReadonlyArray<VirtualTransaction>>
  }
>() {}

const accountsOf = query(VirtualAccount)
const pendingOf = query(PendingDetails)

const dueDetails = {
  table: "virtual_accounts",
  id: "account_id",
  provider: "issuer",
  queued: "a.details_due_at is not null",
  due: "a.details_due_at <= now()",
  order: "a.details_due_at"
}

const claimStatement = `with ${chosenInTurn(dueDetails)}, locked as (
    select a.account_id from virtual_accounts a where a.account_id = any (array(select id from chosen)) and ${dueDetails.due}
    for no key update skip locked
  )
  update virtual_accounts a set details_tries = details_tries + 1, details_due_at = now() + make_interval(secs => $2)
  from locked where a.account_id = locked.account_id
  returning ${Object.keys(PendingDetails.fields)
    .map((name) => `a.${name}`)
    .join(", ")}`

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
      claimDetails: (capacity) =>
        pendingOf.all(sql.unsafe(claimStatement, [capacityText(capacity), Duration.toSeconds(accountDetailsLease)])),
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
    const first = (condition: Statement.Fragment) =>
      Effect.map(rowsOf.first(sql`select * from ${transactions} where ${condition}`), Option.map(fromRow))
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
        return first(sql`transaction_id = ${id} and ${ownedIn(sql, scope)} and ${owner}`)
      },
      findByPayment: (orgId, paymentId) => first(sql`payment_id = ${paymentId} and ${ownedBy(sql, orgId)}`),
      list: (scope, accountId, window) =>
        sql`select * from ${transactions} where account_id = ${accountId} and ${ownedIn(sql, scope)}
          ${newest(sql, "transaction_id", window)}`.pipe(
          rowsOf.all,
          Effect.map((rows) => rows.map(fromRow))
        )
    }
  })
)
