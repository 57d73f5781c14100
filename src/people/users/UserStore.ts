/** People and their memberships at rest. */
import { SqlClient } from "@effect/sql"
import { Clock, Context, Effect, Layer, Option } from "effect"
import { newestFirst, openTables } from "../../platform/database/MemoryDatabase.ts"
import { userTables } from "./MemoryTables.ts"
import { firstRow, newest, type Scope } from "../../platform/database/Query.ts"
import type { Permission, Role } from "../../domain/Access.ts"
import { Conflict } from "../../domain/Failure.ts"
import type { Window } from "../../platform/database/Window.ts"
import type { Membership, Place, User } from "./User.ts"

export type NewUser = Omit<User, "created_at" | "updated_at">

export interface Member extends User {
  readonly org_id: string | null
  readonly role: Role | null
}

interface Store {
  /** Conflict when the e-mail address or the subject is taken. */
  readonly insert: (user: NewUser) => Effect.Effect<User, Conflict>
  readonly find: (userId: string) => Effect.Effect<Option.Option<User>>
  readonly findBySubject: (subject: string) => Effect.Effect<Option.Option<User>>
  /** Whatever the case of its letters. */
  readonly findByEmail: (email: string) => Effect.Effect<Option.Option<User>>
  /** Every organisation that the person belongs to. */
  readonly membershipsOf: (userId: string) => Effect.Effect<ReadonlyArray<Place>>
  /** Within an organisation: its members, each with their role. */
  readonly list: (scope: Scope, window: Window) => Effect.Effect<ReadonlyArray<Member>>
  readonly putMember: (membership: Place) => Effect.Effect<void>
  readonly oldestOrgAdmin: (orgId: string) => Effect.Effect<Option.Option<string>>
  readonly grant: (orgId: string, userId: string, permission: Permission, grantedBy: string) => Effect.Effect<void>
}

const taken = () => new Conflict({ message: "A user with this e-mail address or subject exists already." })

export const memberKey = (orgId: string, userId: string): string => `${orgId} ${userId}`

export class UserStore extends Context.Tag("corridor/UserStore")<UserStore, Store>() {
  static readonly layer = Layer.effect(
    UserStore,
    Effect.map(SqlClient.SqlClient, (sql): Store => {
      const columns = sql.literal("u.user_id, u.subject, u.email, u.country, u.is_admin, u.created_at, u.updated_at")
      return {
        insert: (user) =>
          sql<User>`insert into users as u ${sql.insert(user)} on conflict do nothing returning ${columns}`.pipe(
            Effect.orDie,
            Effect.flatMap((rows) => (rows[0] === undefined ? Effect.fail(taken()) : Effect.succeed(rows[0])))
          ),
        find: (userId) =>
          sql<User>`select ${columns} from users u where user_id = ${userId}`.pipe(Effect.map(firstRow), Effect.orDie),
        findBySubject: (subject) =>
          sql<User>`select ${columns} from users u where subject = ${subject}`.pipe(Effect.map(firstRow), Effect.orDie),
        findByEmail: (email) =>
          sql<User>`select ${columns} from users u where lower(email) = lower(${email})`.pipe(
            Effect.map(firstRow),
            Effect.orDie
          ),
        membershipsOf: (userId) =>
          sql<Place>`select org_id, user_id, role from memberships
            where user_id = ${userId} order by created_at, org_id`.pipe(Effect.orDie),
        list: (scope, window) => {
          const from = Option.match(scope, {
            onNone: () => sql`(select ${columns}, null::uuid as org_id, null::text as role from users u) u where true`,
            onSome: (orgId) => sql`(select ${columns}, m.org_id, m.role from users u
              join memberships m on m.user_id = u.user_id and m.org_id = ${orgId}) u where true`
          })
          return sql<Member>`select ${columns}, org_id, role from ${from} ${newest(sql, "user_id", window)}`.pipe(
            Effect.orDie
          )
        },
        putMember: (membership) =>
          sql`insert into memberships ${sql.insert(membership)}
            on conflict (org_id, user_id) do update set role = excluded.role, updated_at = now()`.pipe(
            Effect.orDie,
            Effect.asVoid
          ),
        oldestOrgAdmin: (orgId) =>
          sql<{ user_id: string }>`select user_id from memberships where org_id = ${orgId} and role = 'org-admin'
            order by created_at, user_id limit 1`.pipe(
            Effect.map((rows) => Option.map(firstRow(rows), (row) => row.user_id)),
            Effect.orDie
          ),
        grant: (org_id, user_id, permission, granted_by) =>
          sql`insert into member_permissions ${sql.insert({ org_id, user_id, permission, granted_by })}
            on conflict do nothing`.pipe(Effect.orDie, Effect.asVoid)
      }
    })
  )

  static readonly layerMemory = Layer.effect(
    UserStore,
    Effect.map(openTables(userTables), ({ memberships, users }): Store => {
      const membersOf = (orgId: string) => Array.from(memberships.values()).filter((row) => row.org_id === orgId)
      return {
        insert: (user) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) => {
            for (const other of users.values()) {
              const sameEmail = other.email.toLowerCase() === user.email.toLowerCase()
              if (sameEmail || other.subject === user.subject || other.user_id === user.user_id)
                return Effect.fail(taken())
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
            const fresh: Omit<Membership, keyof Place> = { permissions: [], created_at: at, updated_at: at }
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
}
