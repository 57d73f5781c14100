/** Virtual accounts and transactions in answers and events, and the stored text of an answer to a repeated key. */
import { flow, Schema } from "effect"
import { envelope, success } from "../../contract/api/Envelope.ts"
import { VirtualTransaction as Shown } from "../../contract/api/VirtualAccountsApi.ts"
import { stringifyWire, toWireText, WireNumber } from "../../domain/Decimal.ts"
import type { AccountWithBalance, VirtualTransaction, VirtualAccount } from "./VirtualAccountStore.ts"
import type { StoredTransfer } from "./IncomingTransferStore.ts"
import type { Money } from "../../domain/Money.ts"
import { newEvent } from "../../webhooks/EventPublisher.ts"
import type { WebhookEvent } from "../../webhooks/Webhook.ts"

export const accountView = (account: AccountWithBalance) => ({ ...account, balance: account.balance.toShown() })

export const transactionView = (transaction: VirtualTransaction) => ({
  ...transaction,
  amount: transaction.amount.toShown(),
  fee: transaction.fee.toShown()
})

export const transferView = ({ amount, issuer_reference, movement_id, ...transfer }: StoredTransfer) => ({
  ...transfer,
  movement_id,
  account_reference: issuer_reference,
  amount: amount.toShown(),
  currency: amount.currency
})

/** An answer, and its stored text for a repeated idempotency key. */
export const replayable = <A, I>(message: string, schema: Schema.Schema<A, I>) => {
  const encode = Schema.encodeSync(envelope(schema))
  const of = (data: A) => success(message, data)
  return { of, textOf: (data: A): string => stringifyWire(encode(of(data))) }
}

/** Of a movement on an account. */
const movementAnswer = (message: string) => {
  const { of, textOf } = replayable(message, Shown)
  return { of: flow(transactionView, of), textOf: flow(transactionView, textOf) }
}

export const withdrawalAnswer = movementAnswer("Withdrawal initiated")
export const transferAnswer = movementAnswer("Transfer completed")
export const depositAnswer = movementAnswer("Deposit completed")

const wire = (money: Money): WireNumber => new WireNumber(toWireText(money.toShown()))

/** A reversed withdrawal counts as a deposit. */
const typeOf = ({ status, type }: VirtualTransaction) =>
  type === "credit" || status === "reversed" ? "virtual_account.deposit" : "virtual_account.withdrawal"

/** `balance`: after the transaction. */
export const transactionEvent = (
  event_id: string,
  transaction: VirtualTransaction,
  balance: Money,
  at: Date
): WebhookEvent => {
  const { amount, created_at, fee, payment_id: _payment, rate: _rate, updated_at, ...rest } = transaction
  const data = {
    ...rest,
    amount: wire(amount),
    fee: wire(fee),
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
    balance: wire(balance)
  }
  return newEvent({ event_id, event_type: typeOf(transaction), org_id: transaction.org_id }, data, at)
}

export const freezeEvent = (event_id: string, account: VirtualAccount, at: Date): WebhookEvent => {
  const { account_id, frozen_reason, org_id, status } = account
  const event_type = status === "frozen" ? "virtual_account.frozen" : "virtual_account.unfrozen"
  return newEvent({ event_id, event_type, org_id }, { account_id, status, reason: frozen_reason }, at)
}
