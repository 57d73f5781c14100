/** The rows of the memory layers here. */
import { memoryTable } from "../../platform/database/MemoryDatabase.ts"
import type { StoredApiKey } from "./ApiKeyStore.ts"

export const apiKeyTables = {
  apiKeys: memoryTable<StoredApiKey>("apiKeys")
}
