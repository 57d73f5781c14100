/** Audit log: who changed what. `record` belongs in the transaction of the change. */
import { Context, Effect, Layer } from "effect"
import { type OrgId, Ids } from "../../domain/Ids.ts"
import type { Access, Permit } from "../../domain/Access.ts"
import type { Window, Scope } from "../database/Query.ts"
import type { Stored } from "../database/DatabaseFailure.ts"
import type * as AuditLogApi from "../../contract/api/AuditLogApi.ts"

export type AuditEntry = typeof AuditLogApi.AuditEntry.Type

export interface AuditFilter {
  readonly action?: string | undefined
  /** A user, a key or an operator. */
  readonly actor_id?: string | undefined
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
        record: Effect.fn("AuditLog.record")(function* (permit, change) {
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
