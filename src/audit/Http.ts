import { Effect, Option } from "effect"
import type { AuditLogApi } from "../api/AuditLog.ts"
import type { Handlers } from "../http/Handlers.ts"
import { paginate } from "../pagination/Page.ts"
import { Vault } from "../secrets/Vault.ts"
import { AuditLog } from "./AuditLog.ts"

export const auditLogHandlers = Effect.gen(function* () {
  const log = yield* AuditLog
  const vault = yield* Vault
  const handlers: Handlers<typeof AuditLogApi> = {
    list: ({ permit, route, urlParams }) =>
      paginate({
        vault,
        permit,
        route,
        asked: urlParams,
        filters: urlParams.action,
        fetch: (window) => log.list(permit, Option.fromNullable(urlParams.action), window),
        idOf: (entry) => entry.audit_id
      }).pipe(Effect.map((page) => ({ status: "success", message: "Audit log", ...page })))
  }
  return handlers
})
