/** The rows of the memory layers here. */
import { memoryTable } from "../../platform/database/MemoryDatabase.ts"
import type { ProviderConfig } from "./ProviderConfigStore.ts"

export const configTables = {
  providerConfigs: memoryTable<ProviderConfig>("providerConfigs")
}
