/** The audit log at rest: rows are added, never changed, and forgotten after years. */
import { Context, type Option } from "effect"
import type * as AuditLogApi from "../../contract/api/AuditLog.ts"
import type { Scope } from "../database/Query.ts"
import type { Window } from "../database/Window.ts"
import type { Stored } from "../database/DatabaseFailure.ts"

export type AuditEntry = typeof AuditLogApi.AuditEntry.Type

export class AuditStore extends Context.Tag("corridor/AuditStore")<
  AuditStore,
  {
    readonly append: (entry: Omit<AuditEntry, "created_at">) => Stored<void>
    readonly list: (scope: Scope, action: Option.Option<string>, window: Window) => Stored<ReadonlyArray<AuditEntry>>
    /** Those of a month that is over for long enough, and older single ones, a batch at most; answers with how many of both. */
    readonly forgetOld: Stored<number>
  }
>() {}
