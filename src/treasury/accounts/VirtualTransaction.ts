/** What went into or out of a virtual account, as the stores hold it. */
import type { AccountId, OrgId, PaymentId, TransactionId, UserId } from "../../domain/Identifiers.ts"
import type { CurrencyCode } from "../../domain/Currency.ts"
import { Money } from "../../domain/Money.ts"
import type { PaymentStatus } from "../../domain/PaymentStatus.ts"
import type { Payment } from "../../payments/store/Payment.ts"

export const transactionTypes = ["credit", "debit"] as const
export type TransactionType = (typeof transactionTypes)[number]

export const transactionStatuses = ["pending", "completed", "failed", "reversed"] as const
export type TransactionStatus = (typeof transactionStatuses)[number]

export const paymentRails = ["bank_transfer", "mobile_money", "wallet", "internal", "escrow"] as const
export type PaymentRail = (typeof paymentRails)[number]

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

export const statusBy = (payment: PaymentStatus): TransactionStatus => statuses[payment] ?? "pending"

/** The transaction as its payment has it, which may have been written a moment before it. */
export const followingPayment = (
  transaction: VirtualTransaction,
  { status, total_fees, updated_at }: Pick<Payment, "status" | "total_fees" | "updated_at">
): VirtualTransaction => ({
  ...transaction,
  status: statusBy(status),
  fee: total_fees ?? Money.zero(transaction.currency),
  updated_at: updated_at < transaction.created_at ? transaction.created_at : updated_at
})
