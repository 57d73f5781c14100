/** The rows and the entry of each kind of movement, as pure functions of who gives what to whom. */
import type { TransactionId } from "../../domain/Identifiers.ts"
import type { Beneficiary } from "../../payments/beneficiaries/Beneficiary.ts"
import { type Entry, LedgerAccount, move } from "../../domain/Ledger.ts"
import { toPlainText } from "../../domain/Decimal.ts"
import { Money } from "../../domain/Money.ts"
import type { Payment } from "../../payments/store/Payment.ts"
import { type Amounts, type Sides, transferPostings } from "./TransferPlan.ts"
import { booksOf, type VirtualAccount } from "./VirtualAccount.ts"
import type { NewVirtualTransaction, VirtualTransaction } from "./VirtualTransaction.ts"

export interface Recorded {
  readonly entry: Entry
  readonly rows: ReadonlyArray<NewVirtualTransaction>
}

type Described = Pick<
  NewVirtualTransaction,
  "transaction_id" | "type" | "amount" | "description" | "payment_rail" | "reference"
>

/** Of a movement that is done with when it is written. */
export const rowOf = (account: VirtualAccount, described: Described): NewVirtualTransaction => ({
  ...described,
  account_id: account.account_id,
  org_id: account.org_id,
  user_id: account.user_id,
  currency: account.currency,
  fee: Money.zero(account.currency),
  status: "completed",
  payment_id: null,
  rate: null
})

const railOf = { bank: "bank_transfer", mobile_money: "mobile_money", wallet: "wallet" } as const

/** The payment tells what becomes of it. */
export const withdrawalRow = (
  account: VirtualAccount,
  { amount, description, payment_id, transaction_id }: Payment,
  { account_type }: Beneficiary
): NewVirtualTransaction => ({
  ...rowOf(account, {
    transaction_id,
    type: "debit",
    amount,
    description,
    payment_rail: railOf[account_type],
    reference: payment_id
  }),
  status: "pending",
  payment_id
})

/** What a withdrawal has cost, or brought back, by a person's word: its payment's status tells nothing of that. */
export const settlementRow = (
  transaction_id: TransactionId,
  withdrawal: VirtualTransaction,
  { amount, reference }: Pick<NewVirtualTransaction, "amount" | "reference">,
  note: string
): NewVirtualTransaction => {
  const { account_id, currency, org_id, payment_rail, user_id } = withdrawal
  return {
    transaction_id,
    account_id,
    org_id,
    user_id,
    currency,
    payment_rail,
    reference,
    type: amount.isNegative ? "debit" : "credit",
    amount: amount.isNegative ? amount.negate() : amount,
    fee: Money.zero(currency),
    status: "completed",
    payment_id: null,
    rate: null,
    description: `Withdrawal ${withdrawal.transaction_id}: ${note}`
  }
}

/** `ids`: of the entry, the debit and the credit. */
export const transferOf = (
  ids: readonly [string, TransactionId, TransactionId],
  sides: Sides,
  amounts: Amounts
): Recorded => {
  const [entry_id, debited, credited] = ids
  const { from, to } = sides
  const about = { payment_rail: "internal", reference: entry_id } as const
  const rate = amounts.rate === null ? null : toPlainText(amounts.rate)
  return {
    entry: {
      entry_id,
      org_id: from.org_id,
      kind: "transfer",
      payment_id: null,
      reference: debited,
      postings: transferPostings(sides, amounts)
    },
    rows: [
      {
        ...rowOf(from, {
          ...about,
          transaction_id: debited,
          type: "debit",
          amount: amounts.paid,
          description: `Transfer to ${to.account_id}`
        }),
        rate
      },
      {
        ...rowOf(to, {
          ...about,
          transaction_id: credited,
          type: "credit",
          amount: amounts.received,
          description: `Transfer from ${from.account_id}`
        }),
        rate
      }
    ]
  }
}

/** `ids`: of the entry and the credit. */
export const depositOf = (ids: readonly [string, TransactionId], account: VirtualAccount, amount: Money): Recorded => {
  const [entry_id, transaction_id] = ids
  return {
    entry: {
      entry_id,
      org_id: account.org_id,
      kind: "deposit",
      payment_id: null,
      reference: transaction_id,
      postings: move(LedgerAccount.provider(account.provider, account.currency), booksOf(account), amount)
    },
    rows: [
      rowOf(account, {
        transaction_id,
        type: "credit",
        amount,
        description: "Simulated deposit",
        payment_rail: "bank_transfer",
        reference: entry_id
      })
    ]
  }
}
