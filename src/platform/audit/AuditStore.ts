/** The audit log at rest: rows are added, never changed, and forgotten after years. */
import { Context, type Effect, type Option } from "effect"
import type * as AuditLogApi from "../../contract/api/AuditLog.ts"
import type { Scope } from "../database/Query.ts"
import type { Window } from "../database/Window.ts"

export type AuditEntry = typeof AuditLogApi.AuditEntry.Type

export class AuditStore extends Context.Tag("corridor/AuditStore")<
  AuditStore,
  {
    readonly append: (entry: Omit<AuditEntry, "created_at">) => Effect.Effect<void>
    readonly list: (
      scope: Scope,
      action: Option.Option<string>,
      window: Window
    ) => Effect.Effect<ReadonlyArray<AuditEntry>>
    /** Those of a month that is over for long enough, and older single ones, a batch at most; answers with how many of both. */
    readonly forgetOld: Effect.Effect<number>
  }
>() {}
