/** The audit log in PostgreSQL. */
import { SqlClient } from "@effect/sql"
import { Effect, Layer, Schema } from "effect"
import * as AuditLogApi from "../../contract/api/AuditLogApi.ts"
import { execute, inScope, newest, query } from "../database/Query.ts"
import { Settings } from "../config/Settings.ts"
import { removeOldRows } from "../partitions/DetachOld.ts"
import { AuditStore } from "./AuditLog.ts"

const entries = query(Schema.typeSchema(AuditLogApi.AuditEntry))

export const auditStoreSql = Layer.effect(
  AuditStore,
  Effect.map(Effect.all([SqlClient.SqlClient, Settings]), ([sql, { archiveDir, retention }]) => ({
    append: (entry) =>
      execute(sql`insert into audit_log ${sql.insert({ ...entry, detail: JSON.stringify(entry.detail) })}`),
    list: (scope, { action, actor_id, from, to }, window) => {
      const only = sql.and([
        ...(action === undefined ? [] : [sql`action = ${action}`]),
        ...(actor_id === undefined ? [] : [sql`actor_id = ${actor_id}`]),
        ...(from === undefined ? [] : [sql`created_at >= ${from}`]),
        ...(to === undefined ? [] : [sql`created_at < ${to}`])
      ])
      return entries.all(sql`select audit_id, org_id, actor_type, actor_id, actor_name, action, subject_type, subject_id, detail, created_at
          from audit_log where ${inScope(sql, scope)} and ${only} ${newest(sql, "audit_id", window)}`)
    },
    forgetOld: removeOldRows(sql, archiveDir, { table: "audit_log", keptFor: retention.audit })
  }))
)
