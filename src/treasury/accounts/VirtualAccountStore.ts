/** Stores of virtual accounts and their transactions. Balances are in the ledger. */
import { Context, type Duration, type Option, Either, Schema } from "effect"
import { HolderBankAccount } from "../../contract/api/VirtualAccountsApi.ts"
import { AccountId, OrgId, UserId, PaymentId, TransactionId } from "../../domain/Ids.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"
import type { Scope, Window } from "../../platform/database/Query.ts"
import { ProviderName } from "../../domain/Corridor.ts"
import { AnyCurrencyCode, isCryptoAssetCode } from "../../domain/Currency.ts"
import { Conflict } from "../../domain/Failure.ts"
import { LedgerAccount } from "../../domain/Ledger.ts"
import { Money } from "../../domain/Money.ts"
import type { PaymentStatus } from "../../domain/PaymentStatus.ts"
import type { AccountDetails, AccountHolder } from "../../providers/port/AccountIssuer.ts"
import type { Payment } from "../../payments/store/Payment.ts"

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
  /** What payers need to send money to it. */
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

/** What became of a request for details. */
export type DetailsChange =
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
    readonly claimDetails: (most: number) => Stored<ReadonlyArray<PendingDetails>>
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

export const TransactionRow = Schema.Struct({
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
