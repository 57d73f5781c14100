/** Members in memory. */
import { Clock, Effect, Layer, Option } from "effect"
import type { OrgId, UserId } from "../../domain/Identifiers.ts"
import { newestFirst, openTables } from "../../platform/database/MemoryDatabase.ts"
import { memberKey, userTables } from "../users/MemoryTables.ts"
import type { Membership } from "../users/User.ts"
import type { OrgMember } from "./Member.ts"
import { MemberStore } from "./MemberStore.ts"

export const memberStoreMemory = Layer.effect(
  MemberStore,
  Effect.map(openTables(userTables), ({ memberships, users }): MemberStore["Type"] => {
    const membersOf = (orgId: OrgId): ReadonlyArray<OrgMember> =>
      Array.from(memberships.values()).flatMap((row) =>
        row.org_id === orgId
          ? [{ ...row, permissions: row.permissions.toSorted(), email: users.get(row.user_id)!.email }]
          : []
      )
    const first = (orgId: OrgId, found: (member: OrgMember) => boolean) =>
      Effect.sync(() => Option.fromNullable(membersOf(orgId).find(found)))
    const change = (orgId: OrgId, userId: UserId, changed: Partial<Membership>) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const key = memberKey(orgId, userId)
        const row = memberships.get(key)
        if (row !== undefined) memberships.set(key, { ...row, ...changed, updated_at: new Date(now) })
      })
    return {
      lock: () => Effect.void,
      find: (orgId, userId) => first(orgId, (member) => member.user_id === userId),
      findByEmail: (orgId, email) => first(orgId, (member) => member.email.toLowerCase() === email.toLowerCase()),
      list: (orgId, window) => Effect.sync(() => newestFirst(membersOf(orgId), (member) => member.user_id, window)),
      countOrgAdmins: (orgId) =>
        Effect.sync(() => membersOf(orgId).filter((member) => member.role === "org-admin").length),
      add: (org_id, user_id, role) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          const key = memberKey(org_id, user_id)
          if (memberships.has(key)) return false
          const at = new Date(now)
          memberships.set(key, { org_id, user_id, role, permissions: [], created_at: at, updated_at: at })
          return true
        }),
      setRole: (orgId, userId, role) => change(orgId, userId, { role }),
      setPermissions: (orgId, userId, permissions) =>
        change(orgId, userId, { permissions: Array.from(new Set(permissions)) }),
      remove: (orgId, userId) => Effect.sync(() => void memberships.delete(memberKey(orgId, userId)))
    }
  })
)
