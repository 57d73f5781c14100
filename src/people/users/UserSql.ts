/** Users and memberships in PostgreSQL. */
import { SqlClient } from "@effect/sql"
import { Effect, Layer, Option } from "effect"
import { newest, execute, query } from "../../platform/database/Query.ts"
import { Member, MemberRole, User, userTaken, UserStore } from "./UserStore.ts"

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
