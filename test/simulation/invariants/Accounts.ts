/** A virtual account holds what its statement says. */
import { kindOf } from "../../../src/domain/Ledger.ts"
import {
  ledgerAccountOf,
  withPaymentState,
  type VirtualTransaction
} from "../../../src/treasury/accounts/VirtualAccountStore.ts"
import type { Records } from "./Records.ts"

const effectOf = ({ amount, fee, status, type }: VirtualTransaction): bigint => {
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
  const told = new Map<string, bigint>()
  for (const transaction of records.virtualTransactions) {
    const payment = transaction.payment_id === null ? undefined : payments.get(transaction.payment_id)
    const followed = payment === undefined ? transaction : withPaymentState(transaction, payment)
    add(told, transaction.account_id, effectOf(followed))
  }
  return records.virtualAccounts.flatMap((account) => {
    const inBooks = booked.get(ledgerAccountOf(account)) ?? 0n
    const said = told.get(account.account_id) ?? 0n
    return inBooks === said ? [] : [`a virtual account holds ${inBooks}, and its statement says ${said}`]
  })
}
