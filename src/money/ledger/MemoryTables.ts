/** The rows of the memory layers here. */
import { memoryTable } from "../../platform/database/MemoryDatabase.ts"
import type { LedgerAccount } from "../../domain/Ledger.ts"
import type { StoredBalance, StoredLimit, StoredPosting } from "./Books.ts"

export const ledgerTables = {
  ledgerPostings: memoryTable<StoredPosting>("ledgerPostings"),
  ledgerBalances: memoryTable<StoredBalance, LedgerAccount>("ledgerBalances"),
  ledgerLimits: memoryTable<StoredLimit>("ledgerLimits")
}

/** Organisations, as far as their floors depend on it. */
export const sandboxTables = { organizations: memoryTable<{ readonly sandbox: boolean }>("organizations") }
