/** The audit log in memory. */
import { Clock, Effect, Layer, Option } from "effect"
import { memoryTable, newestFirst, openTables } from "../database/MemoryDatabase.ts"
import { type AuditEntry, AuditStore } from "./AuditStore.ts"

const auditTables = { audit: memoryTable<AuditEntry>("audit") }

export const auditStoreMemory = Layer.effect(
  AuditStore,
  Effect.map(openTables(auditTables), ({ audit }) => ({
    append: (entry) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        audit.set(entry.audit_id, { ...entry, created_at: new Date(now) })
      }),
    list: (scope, action, window) =>
      Effect.sync(() => {
        const rows = Array.from(audit.values()).filter(
          (entry) =>
            (Option.isNone(scope) || entry.org_id === scope.value) &&
            (Option.isNone(action) || entry.action === action.value)
        )
        return newestFirst(rows, (entry) => entry.audit_id, window)
      })
  }))
)
