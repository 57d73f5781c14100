/** Members in PostgreSQL. */
import { SqlClient } from "@effect/sql"
import { Effect, Layer, Schema } from "effect"
import type { OrgId, UserId } from "../../domain/Identifiers.ts"
import { orDatabaseFailure } from "../../platform/database/DatabaseFailure.ts"
import { rowAs, rowsAs, theRowAs } from "../../platform/database/Rows.ts"
import { OrgMember } from "./Member.ts"
import { newest } from "../../platform/database/Query.ts"
import { MemberStore } from "./MemberStore.ts"

const member = rowAs(OrgMember)
const members = rowsAs(OrgMember)
const counted = theRowAs(Schema.Struct({ count: Schema.NumberFromString }))

export const memberStoreSql = Layer.effect(
  MemberStore,
  Effect.map(SqlClient.SqlClient, (sql): MemberStore["Type"] => {
    const from = sql.literal(`(select m.org_id, m.user_id, u.email, m.role, m.created_at, m.updated_at,
        coalesce((select array_agg(p.permission order by p.permission) from member_permissions p
          where p.org_id = m.org_id and p.user_id = m.user_id), '{}') as permissions
      from memberships m join users u on u.user_id = m.user_id) member`)
    const one = (orgId: OrgId, userId: UserId) => sql`org_id = ${orgId} and user_id = ${userId}`
    return {
      lock: (orgId, userId) =>
        sql`select 1 from memberships where org_id = ${orgId} and (role = 'org-admin' or user_id = ${userId})
          order by user_id for update`.pipe(orDatabaseFailure, Effect.asVoid),
      find: (orgId, userId) =>
        sql`select * from ${from} where ${one(orgId, userId)}`.pipe(Effect.flatMap(member), orDatabaseFailure),
      findByEmail: (orgId, email) =>
        sql`select * from ${from} where org_id = ${orgId} and lower(email) = lower(${email})`.pipe(
          Effect.flatMap(member),
          orDatabaseFailure
        ),
      list: (orgId, window) =>
        sql`select * from ${from} where org_id = ${orgId} ${newest(sql, "user_id", window)}`.pipe(
          Effect.flatMap(members),
          orDatabaseFailure
        ),
      countOrgAdmins: (orgId) =>
        sql`select count(*) from memberships where org_id = ${orgId} and role = 'org-admin'`.pipe(
          Effect.flatMap(counted),
          Effect.map(({ count }) => count),
          orDatabaseFailure
        ),
      add: (org_id, user_id, role) =>
        sql`insert into memberships ${sql.insert({ org_id, user_id, role })} on conflict do nothing returning 1`.pipe(
          Effect.map((rows) => rows.length > 0),
          orDatabaseFailure
        ),
      setRole: (orgId, userId, role) =>
        sql`update memberships set role = ${role}, updated_at = now() where ${one(orgId, userId)}`.pipe(
          orDatabaseFailure,
          Effect.asVoid
        ),
      setPermissions: (org_id, user_id, permissions, granted_by) =>
        Effect.gen(function* () {
          const rows = permissions.map((permission) => ({ org_id, user_id, permission, granted_by }))
          const others = rows.length === 0 ? sql.literal("true") : sql`not (${sql.in("permission", permissions)})`
          yield* sql`delete from member_permissions where ${one(org_id, user_id)} and ${others}`
          if (rows.length > 0) yield* sql`insert into member_permissions ${sql.insert(rows)} on conflict do nothing`
          yield* sql`update memberships set updated_at = now() where ${one(org_id, user_id)}`
        }).pipe(orDatabaseFailure),
      remove: (orgId, userId) =>
        sql`delete from memberships where ${one(orgId, userId)}`.pipe(orDatabaseFailure, Effect.asVoid)
    }
  })
)
