/** Callers from the memory tables. */
import { Clock, Effect, Layer, Option } from "effect"
import { OrgId } from "../../domain/Ids.ts"
import { openTables } from "../../platform/database/MemoryDatabase.ts"
import { apiKeyTables } from "../apiKeys/ApiKeyMemory.ts"
import { organizationTables } from "../organizations/OrganizationMemory.ts"
import { memberKey, userTables } from "../users/UserMemory.ts"
import { keyCaller, unknownCaller, tokenCaller, CallerStore } from "./CallerStore.ts"

export const callerStoreMemory = Layer.effect(
  CallerStore,
  Effect.map(
    openTables({ ...apiKeyTables, ...userTables, ...organizationTables }),
    ({ apiKeys, memberships, organizations, users }): CallerStore["Type"] => ({
      byApiKey: (hash, mode) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          const key = apiKeys.all().find((row) => row.hash === hash && row.mode === mode)
          const alive = key?.status === "active" || (key?.status === "expiring" && key.expires_at!.getTime() > now)
          if (key === undefined || !alive) return Option.none()
          return keyCaller({
            name: key.name,
            api_key_id: key.api_key_id,
            user_id: key.user_id,
            is_admin: users.get(key.user_id)?.is_admin ?? false,
            org_id: key.org_id,
            key_role: key.role,
            role: memberships.get(memberKey(key.org_id, key.user_id))?.role ?? null,
            features: organizations.get(key.org_id)?.features ?? null,
            permissions: null,
            terms: null
          })
        }),
      byToken: (subject, orgId) =>
        Effect.sync(() => {
          const user = users.all().find((row) => row.subject === subject)
          if (user === undefined) return unknownCaller(subject)
          const member = memberships.get(memberKey(OrgId.make(Option.getOrElse(orgId, () => "")), user.user_id))
          return tokenCaller({
            name: user.email,
            api_key_id: null,
            user_id: user.user_id,
            is_admin: user.is_admin,
            org_id: member?.org_id ?? null,
            key_role: null,
            role: member?.role ?? null,
            features: member === undefined ? null : (organizations.get(member.org_id)?.features ?? null),
            permissions: member?.permissions ?? null,
            terms: null
          })
        }),
      organizationExists: (orgId) => Effect.sync(() => organizations.has(orgId))
    })
  )
)
