/** A virtual account holds what its statement says, and what people have decided since. */
import { kindOf } from "../../src/domain/Ledger.ts"
import { ledgerTables } from "../../src/money/ledger/MemoryTables.ts"
import { memoryTable } from "../../src/platform/database/MemoryDatabase.ts"
import { booksOf, type VirtualAccount } from "../../src/treasury/accounts/VirtualAccount.ts"
import { followingPayment, type VirtualTransaction } from "../../src/treasury/accounts/VirtualTransaction.ts"
import type { Scene } from "../business/Scene.ts"

const tables = {
  ...ledgerTables,
  virtualAccounts: memoryTable<VirtualAccount>("virtualAccounts"),
  virtualTransactions: memoryTable<VirtualTransaction>("virtualTransactions")
}

const byHand = ["adjustment", "ramp_return"]

const effectOf = ({ amount, fee, status, type }: VirtualTransaction): bigint => {
  if (status !== "pending" && status !== "completed") return 0n
  return type === "credit" ? amount.minor : -(amount.minor + fee.minor)
}

export const accountProblems = ({ world }: Scene): ReadonlyArray<string> => {
  const { ledgerPostings, virtualAccounts, virtualTransactions } = world.database.open(tables)
  const postings = Array.from(ledgerPostings.values()).filter(({ account }) => kindOf(account) === "virtual")
  return Array.from(virtualAccounts.values()).flatMap((account) => {
    const own = postings.filter((posting) => posting.account === booksOf(account) && !byHand.includes(posting.kind))
    const inBooks = own.reduce((sum, { amount }) => sum + amount.minor, 0n)
    const told = Array.from(virtualTransactions.values())
      .filter(({ account_id }) => account_id === account.account_id)
      .map((transaction) => {
        const payment = transaction.payment_id === null ? undefined : world.tables.payments.get(transaction.payment_id)
        return payment === undefined ? transaction : followingPayment(transaction, payment)
      })
      .reduce((sum, transaction) => sum + effectOf(transaction), 0n)
    return inBooks === told ? [] : [`a virtual account holds ${inBooks}, and its statement says ${told}`]
  })
}
