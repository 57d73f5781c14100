/** The rows of the memory layers here. */
import { memoryTable } from "../../platform/database/MemoryDatabase.ts"
import type { VirtualAccount } from "./VirtualAccount.ts"
import type { VirtualTransaction } from "./VirtualTransaction.ts"

export const accountTables = {
  virtualAccounts: memoryTable<VirtualAccount>("virtualAccounts"),
  virtualTransactions: memoryTable<VirtualTransaction>("virtualTransactions")
}
