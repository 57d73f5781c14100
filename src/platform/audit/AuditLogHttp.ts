import { Effect } from "effect"
import type { AuditLogApi } from "../../contract/api/AuditLogApi.ts"
import type { Handlers } from "../http/Handlers.ts"
import { makePages } from "../pagination/Pagination.ts"
import { AuditLog } from "./AuditLog.ts"

export const auditLogHandlers = Effect.gen(function* () {
  const log = yield* AuditLog
  const pages = yield* makePages
  const handlers: Handlers<typeof AuditLogApi> = {
    list: (request) => {
      const { action, actor_id, from, to } = request.urlParams
      const filter = { action, actor_id, from, to }
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
