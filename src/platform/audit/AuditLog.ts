/** Audit log: who changed what. `record` belongs in the transaction of the change. */
import { Context, Effect, Layer, Schema } from "effect"
import { type OrgId, Ids } from "../../domain/Ids.ts"
import type { Access, Permit } from "../../domain/Access.ts"
import { type Window, type Scope, execute, inScope, newest, query } from "../database/Query.ts"
import type { Stored } from "../database/DatabaseFailure.ts"
import { SqlClient } from "@effect/sql"
import { Settings } from "../config/Settings.ts"
import { removeOldRows } from "../partitions/DetachOld.ts"
import * as Api from "../../contract/api/AuditLogApi.ts"
import type { Handlers } from "../http/Handlers.ts"
import { makePages } from "../pagination/Pagination.ts"
import { traced } from "../observability/Spans.ts"

export type AuditEntry = typeof Api.AuditEntry.Type

export interface AuditFilter {
  readonly action?: string | undefined
  /** A user, a key or an operator. */
  readonly actor_id?: string | undefined
  /** Changed object. */
  readonly subject_id?: string | undefined
  readonly from?: Date | undefined
  /** Exclusive. */
  readonly to?: Date | undefined
}

export class AuditStore extends Context.Tag("corridor/AuditStore")<
  AuditStore,
  {
    readonly append: (entry: Omit<AuditEntry, "created_at">) => Stored<void>
    readonly list: (scope: Scope, filter: AuditFilter, window: Window) => Stored<ReadonlyArray<AuditEntry>>
    /** Removes entries past their retention: whole partitions, and a batch of single rows. Returns how many. */
    readonly forgetOld: Stored<number>
  }
>() {}

export interface Change {
  readonly action: string
  readonly org: OrgId | null
  readonly subject: readonly [type: string, id: string]
  readonly detail?: Readonly<Record<string, unknown>>
}

export class AuditLog extends Context.Tag("corridor/AuditLog")<
  AuditLog,
  {
    readonly record: (permit: Permit<Access>, change: Change) => Stored<void>
    readonly list: (permit: Permit<"audit">, filter: AuditFilter, window: Window) => Stored<ReadonlyArray<AuditEntry>>
  }
>() {
  static readonly layer = Layer.effect(
    AuditLog,
    Effect.gen(function* () {
      const store = yield* AuditStore
      const ids = yield* Ids
      return {
        record: traced("AuditLog.record")(function* (permit, change) {
          yield* store.append({
            audit_id: yield* ids.next,
            org_id: change.org,
            actor_type: permit.actor.kind,
            actor_id: permit.actor.id,
            actor_name: permit.actor.name ?? null,
            action: change.action,
            subject_type: change.subject[0],
            subject_id: change.subject[1],
            detail: change.detail ?? {}
          })
        }),
        list: (permit, filter, window) => store.list(permit.scope, filter, window)
      }
    })
  )
}

const entries = query(Schema.typeSchema(Api.AuditEntry))

export const auditStoreSql = Layer.effect(
  AuditStore,
  Effect.map(Effect.all([SqlClient.SqlClient, Settings]), ([sql, { archiveDir, retention }]) => ({
    append: (entry) =>
      execute(sql`insert into audit_log ${sql.insert({ ...entry, detail: JSON.stringify(entry.detail) })}`),
    list: (scope, { action, actor_id, from, subject_id, to }, window) => {
      const only = sql.and([
        ...(action === undefined ? [] : [sql`action = ${action}`]),
        ...(actor_id === undefined ? [] : [sql`actor_id = ${actor_id}`]),
        ...(subject_id === undefined ? [] : [sql`subject_id = ${subject_id}`]),
        ...(from === undefined ? [] : [sql`created_at >= ${from}`]),
        ...(to === undefined ? [] : [sql`created_at < ${to}`])
      ])
      return entries.all(sql`select audit_id, org_id, actor_type, actor_id, actor_name, action, subject_type, subject_id, detail, created_at
          from audit_log where ${inScope(sql, scope)} and ${only} ${newest(sql, "audit_id", window)}`)
    },
    forgetOld: removeOldRows(sql, archiveDir, { table: "audit_log", keptFor: retention.audit })
  }))
)

export const auditLogHandlers = Effect.gen(function* () {
  const log = yield* AuditLog
  const pages = yield* makePages
  const handlers: Handlers<typeof Api.AuditLogApi> = {
    list: (request) => {
      const { action, actor_id, from, subject_id, to } = request.urlParams
      const filter = { action, actor_id, subject_id, from, to }
      return pages(request, {
        message: "Audit log",
        filters: filter,
        fetch: (window) => log.list(request.permit, filter, window),
        idOf: (entry) => entry.audit_id
      })
    }
  }
  return handlers
})
