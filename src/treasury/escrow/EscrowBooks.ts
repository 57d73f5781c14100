/** What escrows write into the books, and into the virtual accounts that they take from and pay to. */
import type { TransactionId } from "../../domain/Identifiers.ts"
import { rowOf } from "../accounts/MovementRows.ts"
import type { VirtualAccount } from "../accounts/VirtualAccount.ts"
import type { NewVirtualTransaction, TransactionType } from "../accounts/VirtualTransaction.ts"
import { type Entry, type LedgerAccount, move } from "../../domain/Ledger.ts"
import type { Money } from "../../domain/Money.ts"
import { type Escrow, escrowBooks, type Milestone } from "./Escrow.ts"

const about = ({ escrow_id, org_id }: Escrow, entry_id: string) => ({
  entry_id,
  org_id,
  payment_id: null,
  reference: escrow_id
})

/** An escrow can be funded many times: its entries have ids of their own. */
export const fundEntry = (escrow: Escrow, entryId: string, from: LedgerAccount, amount: Money): Entry => ({
  ...about(escrow, entryId),
  kind: "escrow_fund",
  postings: move(from, escrowBooks(escrow), amount)
})

export interface Delivered {
  readonly to: LedgerAccount
  readonly amount: Money
}

/** The milestone's id is the entry's, so that the books take it once, whoever asks again. */
export const disburseEntry = (
  escrow: Escrow,
  { milestone_id }: Milestone,
  delivered: ReadonlyArray<Delivered>
): Entry => ({
  ...about(escrow, milestone_id),
  kind: "escrow_disburse",
  postings: delivered.flatMap(({ amount, to }) => move(escrowBooks(escrow), to, amount))
})

/** For the same reason under the escrow's id. */
export const returnEntry = (escrow: Escrow, to: LedgerAccount, left: Money): Entry => ({
  ...about(escrow, escrow.escrow_id),
  kind: "escrow_return",
  postings: move(escrowBooks(escrow), to, left)
})

export interface Movement {
  readonly account: VirtualAccount
  readonly type: TransactionType
  readonly amount: Money
  readonly description: string
}

export const movementRow = (
  transaction_id: TransactionId,
  { entry_id: reference }: Entry,
  { account, amount, description, type }: Movement
): NewVirtualTransaction =>
  rowOf(account, { transaction_id, type, amount, description, payment_rail: "escrow", reference })
