/** The rows of the memory layers here. */
import { memoryTable } from "../../platform/database/MemoryDatabase.ts"
import type { LedgerAccount } from "../../domain/Ledger.ts"
import type { StoredBalance, StoredLimit, StoredPosting } from "./Books.ts"

export const ledgerTables = {
  ledgerPostings: memoryTable<StoredPosting>("ledgerPostings"),
  ledgerBalances: memoryTable<StoredBalance, LedgerAccount>("ledgerBalances"),
  ledgerLimits: memoryTable<StoredLimit>("ledgerLimits")
}
