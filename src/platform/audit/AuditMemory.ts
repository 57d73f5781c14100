/** The audit log in memory. */
import { Clock, Effect, Layer, Option } from "effect"
import { Settings } from "../config/Settings.ts"
import { deleteOld, memoryTable, newestFirst, openTables } from "../database/MemoryDatabase.ts"
import { type AuditEntry, AuditStore } from "./AuditLog.ts"

const auditTables = { audit: memoryTable<AuditEntry>("audit") }

export const auditStoreMemory = Layer.effect(
  AuditStore,
  Effect.map(Effect.all([openTables(auditTables), Settings]), ([{ audit }, { retention }]) => ({
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
      }),
    forgetOld: deleteOld(audit, retention.audit)
  }))
)
