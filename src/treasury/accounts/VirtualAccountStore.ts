/** Virtual accounts at rest. Their balances are not here: they are in the books. */
import { Context, type Option, Either, Schema } from "effect"
import { AccountId, OrgId, UserId, type PaymentId, type TransactionId } from "../../domain/Ids.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"
import type { Scope, Window } from "../../platform/database/Query.ts"
import { CurrencyCode } from "../../domain/Currency.ts"
import { Conflict } from "../../domain/Failure.ts"
import { LedgerAccount } from "../../domain/Ledger.ts"
import { Money } from "../../domain/Money.ts"
import type { PaymentStatus } from "../../domain/PaymentStatus.ts"
import type { Payment } from "../../payments/store/Payment.ts"

/** A virtual account as the stores hold it. What is on it stands in the books, under the name that it has there. */
const accountStatuses = ["active", "frozen", "closed"] as const
type AccountStatus = (typeof accountStatuses)[number]

export const VirtualAccount = Schema.Struct({
  account_id: AccountId,
  org_id: OrgId,
  user_id: UserId,
  customer_id: Schema.NullOr(Schema.String),
  currency: Schema.typeSchema(CurrencyCode),
  virtual_account_name: Schema.String,
  account_type: Schema.Literal("currency"),
  status: Schema.Literal(...accountStatuses),
  frozen_reason: Schema.NullOr(Schema.String),
  provider: Schema.Literal("fiat"),
  created_at: Schema.DateFromSelf,
  updated_at: Schema.DateFromSelf
})
export type VirtualAccount = typeof VirtualAccount.Type

export interface AccountWithBalance extends VirtualAccount {
  /** What it can spend: money that is held for a withdrawal under way is not in it. */
  readonly balance: Money
}

export const ledgerAccountOf = ({
  account_id,
  currency
}: Pick<VirtualAccount, "account_id" | "currency">): LedgerAccount => LedgerAccount.virtual(account_id, currency)

/** Only an active account gives money away. */
export const ensureCanPay = (account: VirtualAccount): Either.Either<VirtualAccount, Conflict> =>
  account.status === "active"
    ? Either.right(account)
    : Either.left(new Conflict({ message: `This account is ${account.status}: nothing can be taken from it.` }))

/** A frozen account still takes money. */
export const ensureCanReceive = (account: VirtualAccount): Either.Either<VirtualAccount, Conflict> =>
  account.status === "closed"
    ? Either.left(new Conflict({ message: "This account is closed: nothing can be paid into it." }))
    : Either.right(account)

type NewVirtualAccount = Pick<
  VirtualAccount,
  "account_id" | "org_id" | "user_id" | "customer_id" | "currency" | "virtual_account_name"
>

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
     * For a transaction that moves money: the account keeps its status until the end of it. The lock is shared, since the
     * books keep the balance: movements do not wait for each other here, in whatever order they lock, only a freeze does.
     * Whoever holds it must not change the account.
     */
    readonly lock: (orgId: OrgId, id: AccountId) => Stored<Option.Option<VirtualAccount>>
    /** For a transaction that changes the account: no movement is under way on it from here to the end. */
    readonly lockForChange: (scope: Scope, id: AccountId) => Stored<Option.Option<VirtualAccount>>
    readonly setStatus: (
      orgId: OrgId,
      id: AccountId,
      status: AccountStatus,
      reason: string | null
    ) => Stored<VirtualAccount>
  }
>() {}

/**
 * What went through virtual accounts, at rest. A withdrawal's row only names its payment: what became of it is read from
 * there, so that nothing has to be kept in step.
 */

/** What went into or out of a virtual account, as the stores hold it. */
export const transactionTypes = ["credit", "debit"] as const
export type TransactionType = (typeof transactionTypes)[number]

export const transactionStatuses = ["pending", "completed", "failed", "reversed"] as const
type TransactionStatus = (typeof transactionStatuses)[number]

export const paymentRails = ["bank_transfer", "mobile_money", "wallet", "internal", "escrow"] as const
type PaymentRail = (typeof paymentRails)[number]

export interface VirtualTransaction {
  readonly transaction_id: TransactionId
  readonly account_id: AccountId
  readonly org_id: OrgId
  /** The account's user. */
  readonly user_id: UserId
  readonly type: TransactionType
  readonly status: TransactionStatus
  readonly amount: Money
  readonly fee: Money
  readonly currency: CurrencyCode
  readonly description: string | null
  readonly payment_rail: PaymentRail
  /** What ties it to the books: the id of the entry, or of the payment, that moved the money. */
  readonly reference: string
  /** Of a withdrawal: its status, its fee and when it last changed are the payment's. */
  readonly payment_id: PaymentId | null
  /** Of a transfer between currencies, from the debited one to the credited one: decimal text. For the books alone. */
  readonly rate: string | null
  readonly created_at: Date
  readonly updated_at: Date
}

export type NewVirtualTransaction = Omit<VirtualTransaction, "created_at" | "updated_at">

const statuses: Partial<Record<PaymentStatus, TransactionStatus>> = {
  completed: "completed",
  failed: "failed",
  canceled: "failed",
  rejected: "failed",
  refunded: "reversed"
}

export const statusFromPayment = (payment: PaymentStatus): TransactionStatus => statuses[payment] ?? "pending"

/** The transaction as its payment has it, which may have been written a moment before it. */
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
    /** Belongs in the transaction that moves the money. Answers in the order of the rows. */
    readonly insert: (rows: ReadonlyArray<NewVirtualTransaction>) => Stored<ReadonlyArray<VirtualTransaction>>
    /** `userId`: only if the account is this user's. */
    readonly find: (
      scope: Scope,
      id: TransactionId,
      userId?: UserId | undefined
    ) => Stored<Option.Option<VirtualTransaction>>
    readonly findByPayment: (orgId: OrgId, paymentId: PaymentId) => Stored<Option.Option<VirtualTransaction>>
    readonly list: (scope: Scope, accountId: AccountId, window: Window) => Stored<ReadonlyArray<VirtualTransaction>>
  }
>() {}
