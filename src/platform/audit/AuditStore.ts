/** The audit log at rest: rows are added, never changed. */
import { SqlClient } from "@effect/sql"
import { Clock, Context, Effect, Layer, Option } from "effect"
import type * as AuditLogApi from "../../contract/api/AuditLog.ts"
import { newestFirst, openTables } from "../database/MemoryDatabase.ts"
import { auditTables } from "./MemoryTables.ts"
import { inScope, newest, type Scope } from "../database/Query.ts"
import type { Window } from "../database/Window.ts"

export type AuditEntry = typeof AuditLogApi.AuditEntry.Type

interface Store {
  readonly append: (entry: Omit<AuditEntry, "created_at">) => Effect.Effect<void>
  readonly list: (
    scope: Scope,
    action: Option.Option<string>,
    window: Window
  ) => Effect.Effect<ReadonlyArray<AuditEntry>>
}

export class AuditStore extends Context.Tag("corridor/AuditStore")<AuditStore, Store>() {
  static readonly layer = Layer.effect(
    AuditStore,
    Effect.map(SqlClient.SqlClient, (sql): Store => ({
      append: (entry) =>
        sql`insert into audit_log ${sql.insert({ ...entry, detail: JSON.stringify(entry.detail) })}`.pipe(
          Effect.orDie,
          Effect.asVoid
        ),
      list: (scope, action, window) => {
        const only = Option.match(action, { onNone: () => sql`true`, onSome: (name) => sql`action = ${name}` })
        return sql<AuditEntry>`select audit_id, org_id, actor_type, actor_id, action, subject_type, subject_id, detail,
            created_at from audit_log where ${inScope(sql, scope)} and ${only} ${newest(sql, "audit_id", window)}`.pipe(
          Effect.orDie
        )
      }
    }))
  )

  static readonly layerMemory = Layer.effect(
    AuditStore,
    Effect.map(openTables(auditTables), ({ audit }): Store => ({
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
}
