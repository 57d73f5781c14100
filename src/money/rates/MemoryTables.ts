/** The rows of the memory layers here. */
import { memoryTable } from "../../platform/database/MemoryDatabase.ts"
import type { RateLock } from "./RateLockStore.ts"
import type { StoredRate } from "./RateStore.ts"

export const rateTables = {
  rates: memoryTable<StoredRate>("rates"),
  rateLocks: memoryTable<RateLock>("rateLocks")
}
