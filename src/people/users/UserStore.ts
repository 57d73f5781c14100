/** Stores users and their memberships. */
import { Context, Option, Schema, Effect, Layer } from "effect"
import { OrgId, UserId } from "../../domain/Ids.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"
import { type Scope, type Window, newest, execute, query } from "../../platform/database/Query.ts"
import { type Permission, permissions, roles } from "../../domain/Access.ts"
import { Conflict } from "../../domain/Failure.ts"
import { SqlClient } from "@effect/sql"

export const User = Schema.Struct({
  user_id: UserId,
  /** Claim `sub` of the user's tokens. */
  subject: Schema.String,
  email: Schema.String,
  country: Schema.NullOr(Schema.String),
  is_admin: Schema.Boolean,
  created_at: Schema.DateFromSelf,
  updated_at: Schema.DateFromSelf
})
export type User = typeof User.Type

export const Membership = Schema.Struct({
  org_id: OrgId,
  user_id: UserId,
  role: Schema.Literal(...roles),
  /** Granted beyond the role. */
  permissions: Schema.Array(Schema.Literal(...permissions)),
  created_at: Schema.DateFromSelf,
  updated_at: Schema.DateFromSelf
})
export type Membership = typeof Membership.Type

export const MemberRole = Membership.pick("org_id", "user_id", "role")
export type MemberRole = typeof MemberRole.Type

/** A user, with their role if the query is for one organisation. */
export const Member = Schema.Struct({
  ...User.fields,
  org_id: Schema.NullOr(OrgId),
  role: Schema.NullOr(Schema.Literal(...roles))
})
export type Member = typeof Member.Type

export const userTaken = () => new Conflict({ message: "A user with this e-mail address or subject already exists." })

export type NewUser = Omit<User, "created_at" | "updated_at">

interface Store {
  /** Conflict if the e-mail address or the subject is taken. */
  readonly insert: (user: NewUser) => Stored<User, Conflict>
  readonly find: (userId: UserId) => Stored<Option.Option<User>>
  readonly findBySubject: (subject: string) => Stored<Option.Option<User>>
  /** Ignores case. */
  readonly findByEmail: (email: string) => Stored<Option.Option<User>>
  /** All memberships of a user. */
  readonly membershipsOf: (userId: UserId) => Stored<ReadonlyArray<MemberRole>>
  /** Within an organisation: its members, with their roles. */
  readonly list: (scope: Scope, window: Window) => Stored<ReadonlyArray<Member>>
  readonly putMember: (membership: MemberRole) => Stored<void>
  readonly oldestOrgAdmin: (orgId: OrgId) => Stored<Option.Option<UserId>>
  readonly grant: (orgId: OrgId, userId: UserId, permission: Permission, grantedBy: string) => Stored<void>
}

export class UserStore extends Context.Tag("corridor/UserStore")<UserStore, Store>() {}

const user = query(User)
const userId = query(User.pick("user_id"))
const memberRoles = query(MemberRole)
const members = query(Member)

export const userStoreSql = Layer.effect(
  UserStore,
  Effect.map(SqlClient.SqlClient, (sql): UserStore["Type"] => {
    const columns = sql.literal("u.user_id, u.subject, u.email, u.country, u.is_admin, u.created_at, u.updated_at")
    return {
      insert: (fresh) =>
        sql`insert into users as u ${sql.insert(fresh)} on conflict do nothing returning ${columns}`.pipe(
          user.first,
          Effect.flatMap(Effect.mapError(userTaken))
        ),
      find: (userId) => user.first(sql`select ${columns} from users u where user_id = ${userId}`),
      findBySubject: (subject) => user.first(sql`select ${columns} from users u where subject = ${subject}`),
      findByEmail: (email) => user.first(sql`select ${columns} from users u where lower(email) = lower(${email})`),
      membershipsOf: (userId) =>
        memberRoles.all(sql`select org_id, user_id, role from memberships
          where user_id = ${userId} order by created_at, org_id`),
      list: (scope, window) => {
        const from = Option.match(scope, {
          onNone: () => sql`(select ${columns}, null::uuid as org_id, null::text as role from users u) u where true`,
          onSome: (orgId) => sql`(select ${columns}, m.org_id, m.role from users u
            join memberships m on m.user_id = u.user_id and m.org_id = ${orgId}) u where true`
        })
        return members.all(sql`select ${columns}, org_id, role from ${from} ${newest(sql, "user_id", window)}`)
      },
      putMember: (membership) =>
        execute(sql`insert into memberships ${sql.insert(membership)}
          on conflict (org_id, user_id) do update set role = excluded.role, updated_at = now()`),
      oldestOrgAdmin: (orgId) =>
        sql`select user_id from memberships where org_id = ${orgId} and role = 'org-admin'
          order by created_at, user_id limit 1`.pipe(userId.first, Effect.map(Option.map(({ user_id }) => user_id))),
      grant: (org_id, user_id, permission, granted_by) =>
        execute(sql`insert into member_permissions ${sql.insert({ org_id, user_id, permission, granted_by })}
          on conflict do nothing`)
    }
  })
)
