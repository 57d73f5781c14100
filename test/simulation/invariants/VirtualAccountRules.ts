/** Rules for virtual accounts: the balance equals the statement, and every movement has its event once. */
import { kindOf } from "../../../src/domain/Ledger.ts"
import {
  ledgerAccountOf,
  withPaymentState,
  type VirtualTransaction
} from "../../../src/treasury/accounts/VirtualAccountStore.ts"
import type { Records } from "./RecordRules.ts"
import { toWireText } from "../../../src/domain/Decimal.ts"
import type { PaymentId } from "../../../src/domain/Ids.ts"
import type { WebhookEvent } from "../../../src/webhooks/Webhook.ts"

const balanceEffect = ({ amount, fee, status, type }: VirtualTransaction): bigint => {
  if (status !== "pending" && status !== "completed") return 0n
  return type === "credit" ? amount.minor : -(amount.minor + fee.minor)
}

const add = (sums: Map<string, bigint>, key: string, minor: bigint): void => {
  sums.set(key, (sums.get(key) ?? 0n) + minor)
}

export const accountProblems = (records: Records): ReadonlyArray<string> => {
  const payments = new Map(records.payments.map((payment) => [payment.payment_id, payment]))
  const booked = new Map<string, bigint>()
  for (const { account, amount } of records.postings) {
    if (kindOf(account) === "virtual") add(booked, account, amount.minor)
  }
  const reported = new Map<string, bigint>()
  for (const transaction of records.virtualTransactions) {
    const payment = transaction.payment_id === null ? undefined : payments.get(transaction.payment_id)
    const followed = payment === undefined ? transaction : withPaymentState(transaction, payment)
    add(reported, transaction.account_id, balanceEffect(followed))
  }
  return records.virtualAccounts.flatMap((account) => {
    const inBooks = booked.get(ledgerAccountOf(account)) ?? 0n
    const said = reported.get(account.account_id) ?? 0n
    return inBooks === said ? [] : [`a virtual account holds ${inBooks}, and its statement says ${said}`]
  })
}

const accountEvents = new Set(["virtual_account.deposit", "virtual_account.withdrawal"])

const textOf = (words: ReadonlyArray<unknown>): string => words.join(" ")

const expectedEvent = (type: string, transaction: VirtualTransaction): string => {
  const { account_id, amount, currency, fee, org_id, status, transaction_id } = transaction
  const sums = [toWireText(amount.toShown()), toWireText(fee.toShown()), currency]
  return textOf([type, status, ...sums, account_id, transaction_id, org_id])
}

/** Read as text: a number would lose digits. */
const sumIn = (payload: string, name: string): string =>
  new RegExp(`"${name}":(-?[0-9.]+)[,}]`).exec(payload)?.[1] ?? "nothing"

const describeEvent = ({ event_type, org_id, payload }: WebhookEvent): string => {
  const { data } = JSON.parse(payload) as { readonly data: Readonly<Record<string, unknown>> }
  const sums = [sumIn(payload, "amount"), sumIn(payload, "fee"), data["currency"]]
  return textOf([event_type, data["status"], ...sums, data["account_id"], data["transaction_id"], org_id])
}

/** Events of a withdrawal: when it is paid, and when it is refunded. */
const ofWithdrawal = (
  transaction: VirtualTransaction,
  { payment, reached }: { readonly payment: Records["payments"][number]; readonly reached: ReadonlyArray<string> }
): ReadonlyArray<string> =>
  reached.flatMap((status) => {
    if (status !== "completed" && status !== "refunded") return []
    const type = status === "completed" ? "virtual_account.withdrawal" : "virtual_account.deposit"
    return [expectedEvent(type, withPaymentState(transaction, { ...payment, status }))]
  })

const ofRow = (transaction: VirtualTransaction): string =>
  expectedEvent(transaction.type === "credit" ? "virtual_account.deposit" : "virtual_account.withdrawal", transaction)

const counted = (texts: Iterable<string>): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1)
  return counts
}

/** Statuses that the payment of each withdrawal reached. */
const reachedBy = ({ history, payments, virtualTransactions }: Records) => {
  const reached = new Map<PaymentId, Array<string>>()
  for (const { payment_id } of virtualTransactions) if (payment_id !== null) reached.set(payment_id, [])
  for (const { from_status, payment_id, to_status } of history) {
    if (from_status !== to_status) reached.get(payment_id)?.push(to_status)
  }
  return new Map(
    payments.flatMap((payment) => {
      const own = reached.get(payment.payment_id)
      return own === undefined ? [] : [[payment.payment_id, { payment, reached: own }] as const]
    })
  )
}

const withoutIds = (text: string): string => text.split(" ").slice(0, 5).join(" ")

export const accountEventProblems = (records: Records): ReadonlyArray<string> => {
  const withdrawals = reachedBy(records)
  const wanted = counted(
    records.virtualTransactions.flatMap((transaction) => {
      const { payment_id } = transaction
      if (payment_id === null) return [ofRow(transaction)]
      const paid = withdrawals.get(payment_id)
      return paid === undefined ? [] : ofWithdrawal(transaction, paid)
    })
  )
  const said = counted(records.events.filter(({ event_type }) => accountEvents.has(event_type)).map(describeEvent))
  return Array.from(new Set([...wanted.keys(), ...said.keys()])).flatMap((text) => {
    const [should, did] = [wanted.get(text) ?? 0, said.get(text) ?? 0]
    return should === did
      ? []
      : [`${should} times a virtual account should have told ${withoutIds(text)}, and it told it ${did} times`]
  })
}
