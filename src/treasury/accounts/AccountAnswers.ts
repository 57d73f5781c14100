/** Accounts and their transactions as answers show them, and the exact text of an answer that a key may repeat. */
import { Schema } from "effect"
import { envelope, success } from "../../contract/api/Envelope.ts"
import { VirtualTransaction as Shown } from "../../contract/api/VirtualAccounts.ts"
import { stringifyWire } from "../../domain/Decimal.ts"
import type { AccountWithBalance } from "./VirtualAccount.ts"
import type { VirtualTransaction } from "./VirtualTransaction.ts"

export const accountView = (account: AccountWithBalance) => ({ ...account, balance: account.balance.toShown() })

export const transactionView = (transaction: VirtualTransaction) => ({
  ...transaction,
  amount: transaction.amount.toShown(),
  fee: transaction.fee.toShown()
})

const messages = {
  withdraw: "Withdrawal initiated",
  transfer: "Transfer completed",
  deposit: "Deposit completed"
} as const

export type Movement = keyof typeof messages

export const movementAnswer = (movement: Movement, transaction: VirtualTransaction) =>
  success(messages[movement], transactionView(transaction))

const encode = Schema.encodeSync(envelope(Shown))

export const movementText = (movement: Movement, transaction: VirtualTransaction): string =>
  stringifyWire(encode(movementAnswer(movement, transaction)))
