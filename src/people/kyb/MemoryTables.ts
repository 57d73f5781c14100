/** The rows of the memory layers here. */
import { memoryTable } from "../../platform/database/MemoryDatabase.ts"
import type { KybApplication, StoredKybCallback } from "./KybStore.ts"

export const kybTables = {
  kybApplications: memoryTable<KybApplication>("kybApplications"),
  kybCallbacks: memoryTable<StoredKybCallback>("kybCallbacks")
}
