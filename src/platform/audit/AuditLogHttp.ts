import { Effect, Option } from "effect"
import type { AuditLogApi } from "../../contract/api/AuditLogApi.ts"
import type { Handlers } from "../http/Handlers.ts"
import { makePages } from "../pagination/Pagination.ts"
import { AuditLog } from "./AuditLog.ts"

export const auditLogHandlers = Effect.gen(function* () {
  const log = yield* AuditLog
  const pages = yield* makePages
  const handlers: Handlers<typeof AuditLogApi> = {
    list: (request) => {
      const { permit, urlParams } = request
      return pages(request, {
        message: "Audit log",
        filters: urlParams.action,
        fetch: (window) => log.list(permit, Option.fromNullable(urlParams.action), window),
        idOf: (entry) => entry.audit_id
      })
    }
  }
  return handlers
})
