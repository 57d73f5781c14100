/** Users and memberships in memory. */
import { Clock, Effect, Layer, Option } from "effect"
import type { OrgId, UserId } from "../../domain/Ids.ts"
import { newestFirst, openTables, memoryTable } from "../../platform/database/MemoryDatabase.ts"
import { type Member, type Membership, type MemberRole, type User, userTaken, UserStore } from "./UserStore.ts"

export const userTables = {
  users: memoryTable<User>("users"),
  memberships: memoryTable<Membership>("memberships")
}

export const memberKey = (orgId: OrgId, userId: UserId): string => `${orgId} ${userId}`

export const userStoreMemory = Layer.effect(
  UserStore,
  Effect.map(openTables(userTables), ({ memberships, users }): UserStore["Type"] => {
    const membersOf = (orgId: OrgId) => Array.from(memberships.values()).filter((row) => row.org_id === orgId)
    return {
      insert: (user) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => {
          for (const other of users.values()) {
            const sameEmail = other.email.toLowerCase() === user.email.toLowerCase()
            if (sameEmail || other.subject === user.subject || other.user_id === user.user_id)
              return Effect.fail(userTaken())
          }
          const row: User = { ...user, created_at: new Date(now), updated_at: new Date(now) }
          users.set(user.user_id, row)
          return Effect.succeed(row)
        }),
      find: (userId) => Effect.sync(() => Option.fromNullable(users.get(userId))),
      findBySubject: (subject) =>
        Effect.sync(() => Option.fromNullable(Array.from(users.values()).find((user) => user.subject === subject))),
      findByEmail: (email) =>
        Effect.sync(() =>
          Option.fromNullable(
            Array.from(users.values()).find((user) => user.email.toLowerCase() === email.toLowerCase())
          )
        ),
      membershipsOf: (userId) =>
        Effect.sync(() => Array.from(memberships.values()).filter((row) => row.user_id === userId)),
      list: (scope, window) =>
        Effect.sync(() => {
          const rows: ReadonlyArray<Member> = Option.match(scope, {
            onNone: () => Array.from(users.values(), (user) => ({ ...user, org_id: null, role: null })),
            onSome: (orgId) =>
              membersOf(orgId).map((member) => ({
                ...users.get(member.user_id)!,
                org_id: orgId,
                role: member.role
              }))
          })
          return newestFirst(rows, (row) => row.user_id, window)
        }),
      putMember: (membership) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          const key = memberKey(membership.org_id, membership.user_id)
          const at = new Date(now)
          const fresh: Omit<Membership, keyof MemberRole> = { permissions: [], created_at: at, updated_at: at }
          memberships.set(key, { ...fresh, ...memberships.get(key), ...membership, updated_at: at })
        }),
      oldestOrgAdmin: (orgId) =>
        Effect.sync(() => Option.fromNullable(membersOf(orgId).find((row) => row.role === "org-admin")?.user_id)),
      grant: (orgId, userId, permission) =>
        Effect.sync(() => {
          const key = memberKey(orgId, userId)
          const member = memberships.get(key)
          if (member !== undefined && !member.permissions.includes(permission)) {
            memberships.set(key, { ...member, permissions: [...member.permissions, permission] })
          }
        })
    }
  })
)
