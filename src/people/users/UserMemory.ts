/** Users and memberships in memory. */
import { Effect, Layer, Option } from "effect"
import type { OrgId, UserId } from "../../domain/Ids.ts"
import { newestFirst, openTables, memoryTable, currentDate } from "../../platform/database/MemoryDatabase.ts"
import { type Member, type Membership, type MemberRole, type User, userTaken, UserStore } from "./UserStore.ts"

export const userTables = {
  users: memoryTable<User>("users"),
  memberships: memoryTable<Membership>("memberships")
}

export const memberKey = (orgId: OrgId, userId: UserId): string => `${orgId} ${userId}`

export const userStoreMemory = Layer.effect(
  UserStore,
  Effect.map(openTables(userTables), ({ memberships, users }): UserStore["Type"] => {
    const membersOf = (orgId: OrgId) => memberships.all((row) => row.org_id === orgId)
    const first = (found: (user: User) => boolean) => Effect.sync(() => Option.fromNullable(users.all().find(found)))
    return {
      insert: (user) =>
        Effect.flatMap(currentDate, (at) => {
          for (const other of users.values()) {
            const sameEmail = other.email.toLowerCase() === user.email.toLowerCase()
            if (sameEmail || other.subject === user.subject || other.user_id === user.user_id)
              return Effect.fail(userTaken())
          }
          const row: User = { ...user, created_at: at, updated_at: at }
          users.set(user.user_id, row)
          return Effect.succeed(row)
        }),
      find: (userId) => Effect.sync(() => users.one(userId)),
      findBySubject: (subject) => first((user) => user.subject === subject),
      findByEmail: (email) => first((user) => user.email.toLowerCase() === email.toLowerCase()),
      membershipsOf: (userId) => Effect.sync(() => memberships.all((row) => row.user_id === userId)),
      list: (scope, window) =>
        Effect.sync(() => {
          const rows: ReadonlyArray<Member> = Option.match(scope, {
            onNone: () => Array.from(users.values(), (user) => ({ ...user, org_id: null, role: null })),
            onSome: (org_id) => membersOf(org_id).map(({ role, user_id }) => ({ ...users.get(user_id)!, org_id, role }))
          })
          return newestFirst(rows, (row) => row.user_id, window)
        }),
      putMember: (membership) =>
        Effect.map(currentDate, (at) => {
          const key = memberKey(membership.org_id, membership.user_id)
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
