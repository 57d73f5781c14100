/** The rows of the memory layers here. */
import { memoryTable } from "../database/MemoryDatabase.ts"
import type { StoredKey } from "./IdempotencyStore.ts"

export const idempotencyTables = {
  idempotencyKeys: memoryTable<StoredKey>("idempotencyKeys")
}
