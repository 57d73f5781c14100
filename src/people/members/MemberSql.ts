/** Members and invitations in PostgreSQL. */
import { SqlClient } from "@effect/sql"
import { Effect, Layer, Schema, Duration } from "effect"
import type { OrgId, UserId } from "../../domain/Ids.ts"
import { orDatabaseFailure } from "../../platform/database/DatabaseFailure.ts"
import { rowAs, rowsAs, theRowAs, newest, inScope, ownedIn } from "../../platform/database/Query.ts"
import { OrgMember, MemberStore, Invitation, InvitationStore } from "./MemberStore.ts"
import { invitationTtl } from "../../domain/policies/PeoplePolicies.ts"

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

const invitation = rowAs(Invitation)
const invitations = rowsAs(Invitation)
const invitationIds = rowsAs(Invitation.pick("invitation_id"))

export const invitationStoreSql = Layer.effect(
  InvitationStore,
  Effect.map(SqlClient.SqlClient, (sql): InvitationStore["Type"] => {
    const columns = sql.literal(`invitation_id, org_id, email, role, invited_by, accepted_by,
      case when status = 'pending' and expires_at <= now() then 'expired' else status end as status,
      expires_at, created_at, updated_at`)
    const seconds = Duration.toSeconds(invitationTtl)
    return {
      insert: ({ email, invitation_id, invited_by, org_id, role, token_hash }) =>
        Effect.gen(function* () {
          yield* sql`update invitations set status = 'expired', updated_at = now() where org_id = ${org_id}
            and lower(email) = lower(${email}) and status = 'pending' and expires_at <= now()`
          return yield* sql`insert into invitations
              (invitation_id, org_id, email, role, invited_by, token_hash, expires_at)
            values (${invitation_id}, ${org_id}, ${email}, ${role}, ${invited_by}, ${Buffer.from(token_hash, "hex")},
              now() + make_interval(secs => ${seconds}))
            on conflict (org_id, lower(email)) where status = 'pending' do nothing returning ${columns}`.pipe(
            Effect.flatMap(invitation)
          )
        }).pipe(orDatabaseFailure),
      list: (scope, window) =>
        sql`select ${columns} from invitations where ${inScope(sql, scope)}
          ${newest(sql, "invitation_id", window)}`.pipe(Effect.flatMap(invitations), orDatabaseFailure),
      findForUpdate: (scope, id) =>
        sql`select ${columns} from invitations where invitation_id = ${id} and ${ownedIn(sql, scope)}
          for update`.pipe(Effect.flatMap(invitation), orDatabaseFailure),
      findByHashForUpdate: (tokenHash) =>
        sql`select ${columns} from invitations where token_hash = ${Buffer.from(tokenHash, "hex")}
          for update`.pipe(Effect.flatMap(invitation), orDatabaseFailure),
      accept: (scope, id, userId) =>
        sql`update invitations set status = 'accepted', accepted_by = ${userId}, updated_at = now()
          where invitation_id = ${id} and status = 'pending' and ${ownedIn(sql, scope)}`.pipe(
          orDatabaseFailure,
          Effect.asVoid
        ),
      withdraw: (scope, id) =>
        sql`update invitations set status = 'withdrawn', updated_at = now()
          where invitation_id = ${id} and status = 'pending' and ${ownedIn(sql, scope)}`.pipe(
          orDatabaseFailure,
          Effect.asVoid
        ),
      withdrawAllBy: (orgId, userId, roles) =>
        roles.length === 0
          ? Effect.succeed([])
          : sql`update invitations set status = 'withdrawn', updated_at = now()
              where org_id = ${orgId} and invited_by = ${userId} and status = 'pending' and expires_at > now()
                and ${sql.in("role", roles)} returning invitation_id`.pipe(
              Effect.flatMap(invitationIds),
              Effect.map((rows) => rows.map(({ invitation_id }) => invitation_id)),
              orDatabaseFailure
            )
    }
  })
)
