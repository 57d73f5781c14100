/** The audit log in memory. */
import { Clock, Effect, Layer } from "effect"
import { Settings } from "../config/Settings.ts"
import {
  deleteOld,
  isOlder,
  matches,
  memoryTable,
  newestFirst,
  openTables,
  seenIn
} from "../database/MemoryDatabase.ts"
import { type AuditEntry, AuditStore } from "./AuditLog.ts"

const auditTables = { audit: memoryTable<AuditEntry>("audit") }

export const auditStoreMemory = Layer.effect(
  AuditStore,
  Effect.map(Effect.all([openTables(auditTables), Settings]), ([{ audit }, { retention }]) => ({
    append: (entry) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        audit.set(entry.audit_id, { ...entry, created_at: new Date(now) })
      }),
    list: (scope, { from, to, ...exact }, window) =>
      Effect.sync(() => {
        const rows = audit.all(
          seenIn(scope),
          matches<AuditEntry>(exact),
          ({ created_at: at }) => (from === undefined || at >= from) && (to === undefined || at < to)
        )
        return newestFirst(rows, (entry) => entry.audit_id, window)
      }),
    forgetOld: deleteOld(audit, ({ created_at }, now) => isOlder(created_at, retention.audit, now))
  }))
)
