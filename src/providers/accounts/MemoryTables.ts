/** The tables of accounts in memory, which those who read configurations look into as well. */
import { memoryTable } from "../../platform/database/MemoryDatabase.ts"
import type { ProviderAccount, ReplacedCredentials } from "./ProviderAccountStore.ts"

export const accountTables = {
  providerAccounts: memoryTable<ProviderAccount>("providerAccounts"),
  replacedCredentials: memoryTable<ReplacedCredentials>("replacedCredentials")
}
