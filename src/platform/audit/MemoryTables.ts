/** The rows of the memory layers here. */
import { memoryTable } from "../database/MemoryDatabase.ts"
import type { AuditEntry } from "./AuditStore.ts"

export const auditTables = {
  audit: memoryTable<AuditEntry>("audit")
}
