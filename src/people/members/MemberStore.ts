/** Members at rest. Every change begins with `lock`, so that an organisation's people change one at a time. */
import { SqlClient } from "@effect/sql"
import { Clock, Context, Effect, Layer, Option } from "effect"
import { newestFirst, openTables } from "../../platform/database/MemoryDatabase.ts"
import { userTables } from "../users/MemoryTables.ts"
import { firstRow, newest } from "../../platform/database/Query.ts"
import type { Permission, Role } from "../../domain/Access.ts"
import type { Window } from "../../platform/database/Window.ts"
import type { Membership } from "../users/User.ts"
import { memberKey } from "../users/UserStore.ts"
import type { OrgMember } from "./Member.ts"

interface Store {
  /** Until the end of the transaction nobody else changes this member, or any org-admin, of the organisation. */
  readonly lock: (orgId: string, userId: string) => Effect.Effect<void>
  readonly find: (orgId: string, userId: string) => Effect.Effect<Option.Option<OrgMember>>
  /** Whatever the case of the address's letters. */
  readonly findByEmail: (orgId: string, email: string) => Effect.Effect<Option.Option<OrgMember>>
  /** Those who joined last come first. */
  readonly list: (orgId: string, window: Window) => Effect.Effect<ReadonlyArray<OrgMember>>
  readonly countOrgAdmins: (orgId: string) => Effect.Effect<number>
  /** Answers whether there was no such member yet. */
  readonly add: (orgId: string, userId: string, role: Role) => Effect.Effect<boolean>
  readonly setRole: (orgId: string, userId: string, role: Role) => Effect.Effect<void>
  /** All that they are to have; what stays keeps who granted it. */
  readonly setPermissions: (
    orgId: string,
    userId: string,
    permissions: ReadonlyArray<Permission>,
    grantedBy: string
  ) => Effect.Effect<void>
  readonly remove: (orgId: string, userId: string) => Effect.Effect<void>
}

export class MemberStore extends Context.Tag("corridor/MemberStore")<MemberStore, Store>() {
  static readonly layer = Layer.effect(
    MemberStore,
    Effect.map(SqlClient.SqlClient, (sql): Store => {
      const members = sql.literal(`(select m.org_id, m.user_id, u.email, m.role, m.created_at, m.updated_at,
          coalesce((select array_agg(p.permission order by p.permission) from member_permissions p
            where p.org_id = m.org_id and p.user_id = m.user_id), '{}') as permissions
        from memberships m join users u on u.user_id = m.user_id) member`)
      const one = (orgId: string, userId: string) => sql`org_id = ${orgId} and user_id = ${userId}`
      return {
        lock: (orgId, userId) =>
          sql`select 1 from memberships where org_id = ${orgId} and (role = 'org-admin' or user_id = ${userId})
            order by user_id for update`.pipe(Effect.orDie, Effect.asVoid),
        find: (orgId, userId) =>
          sql<OrgMember>`select * from ${members} where ${one(orgId, userId)}`.pipe(Effect.map(firstRow), Effect.orDie),
        findByEmail: (orgId, email) =>
          sql<OrgMember>`select * from ${members} where org_id = ${orgId} and lower(email) = lower(${email})`.pipe(
            Effect.map(firstRow),
            Effect.orDie
          ),
        list: (orgId, window) =>
          sql<OrgMember>`select * from ${members} where org_id = ${orgId} ${newest(sql, "user_id", window)}`.pipe(
            Effect.orDie
          ),
        countOrgAdmins: (orgId) =>
          sql<{ count: string }>`select count(*) from memberships where org_id = ${orgId} and role = 'org-admin'`.pipe(
            Effect.map((rows) => Number(rows[0]!.count)),
            Effect.orDie
          ),
        add: (org_id, user_id, role) =>
          sql`insert into memberships ${sql.insert({ org_id, user_id, role })} on conflict do nothing returning 1`.pipe(
            Effect.map((rows) => rows.length > 0),
            Effect.orDie
          ),
        setRole: (orgId, userId, role) =>
          sql`update memberships set role = ${role}, updated_at = now() where ${one(orgId, userId)}`.pipe(
            Effect.orDie,
            Effect.asVoid
          ),
        setPermissions: (org_id, user_id, permissions, granted_by) =>
          Effect.gen(function* () {
            const rows = permissions.map((permission) => ({ org_id, user_id, permission, granted_by }))
            const others = rows.length === 0 ? sql.literal("true") : sql`not (${sql.in("permission", permissions)})`
            yield* sql`delete from member_permissions where ${one(org_id, user_id)} and ${others}`
            if (rows.length > 0) yield* sql`insert into member_permissions ${sql.insert(rows)} on conflict do nothing`
            yield* sql`update memberships set updated_at = now() where ${one(org_id, user_id)}`
          }).pipe(Effect.orDie),
        remove: (orgId, userId) =>
          sql`delete from memberships where ${one(orgId, userId)}`.pipe(Effect.orDie, Effect.asVoid)
      }
    })
  )

  static readonly layerMemory = Layer.effect(
    MemberStore,
    Effect.map(openTables(userTables), ({ memberships, users }): Store => {
      const membersOf = (orgId: string): ReadonlyArray<OrgMember> =>
        Array.from(memberships.values()).flatMap((row) =>
          row.org_id === orgId
            ? [{ ...row, permissions: row.permissions.toSorted(), email: users.get(row.user_id)!.email }]
            : []
        )
      const first = (orgId: string, found: (member: OrgMember) => boolean) =>
        Effect.sync(() => Option.fromNullable(membersOf(orgId).find(found)))
      const change = (orgId: string, userId: string, changed: Partial<Membership>) =>
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
}
