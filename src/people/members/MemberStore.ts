/** Stores members and invitations. Every change of a member begins with `lock`, which serialises changes. */
import { Context, type Option, Schema, Effect, Layer, Duration } from "effect"
import { OrgId, UserId } from "../../domain/Ids.ts"
import { type Permission, type Role, roles } from "../../domain/Access.ts"
import { type Stored, orDatabaseFailure } from "../../platform/database/DatabaseFailure.ts"
import {
  type Window,
  type Scope,
  newest,
  inScope,
  ownedIn,
  anyRow,
  execute,
  queryCount,
  query
} from "../../platform/database/Query.ts"
import { Membership } from "../users/UserStore.ts"
import { SqlClient } from "@effect/sql"
import { invitationTtl } from "../../domain/policies/PeoplePolicies.ts"

export const OrgMember = Schema.Struct({ ...Membership.fields, email: Schema.String })
export type OrgMember = typeof OrgMember.Type

export const Invitation = Schema.Struct({
  invitation_id: Schema.String,
  org_id: OrgId,
  email: Schema.String,
  role: Schema.Literal(...roles),
  status: Schema.Literal("pending", "accepted", "withdrawn", "expired"),
  /** Null: a platform operator. */
  invited_by: Schema.NullOr(UserId),
  accepted_by: Schema.NullOr(UserId),
  expires_at: Schema.DateFromSelf,
  created_at: Schema.DateFromSelf,
  updated_at: Schema.DateFromSelf
})
export type Invitation = typeof Invitation.Type

export interface StoredInvitation extends Invitation {
  /** SHA-256 in hex; the token itself is not stored. */
  readonly token_hash: string
}

interface Store {
  /** Locks this member, and all org-admins, until the end of the transaction. */
  readonly lock: (orgId: OrgId, userId: UserId) => Stored<void>
  readonly find: (orgId: OrgId, userId: UserId) => Stored<Option.Option<OrgMember>>
  /** Ignores case. */
  readonly findByEmail: (orgId: OrgId, email: string) => Stored<Option.Option<OrgMember>>
  /** Newest member first. */
  readonly list: (orgId: OrgId, window: Window) => Stored<ReadonlyArray<OrgMember>>
  readonly countOrgAdmins: (orgId: OrgId) => Stored<number>
  /** False if they are a member already. */
  readonly add: (orgId: OrgId, userId: UserId, role: Role) => Stored<boolean>
  readonly setRole: (orgId: OrgId, userId: UserId, role: Role) => Stored<void>
  /** Replaces all permissions; unchanged ones keep `granted_by`. */
  readonly setPermissions: (
    orgId: OrgId,
    userId: UserId,
    permissions: ReadonlyArray<Permission>,
    grantedBy: string
  ) => Stored<void>
  readonly remove: (orgId: OrgId, userId: UserId) => Stored<void>
}

export class MemberStore extends Context.Tag("corridor/MemberStore")<MemberStore, Store>() {}

export type NewInvitation = Pick<
  StoredInvitation,
  "invitation_id" | "org_id" | "email" | "role" | "invited_by" | "token_hash"
>

interface InvitationQueries {
  /** Inserts an invitation; none if the address already has an open one. */
  readonly insert: (invitation: NewInvitation) => Stored<Option.Option<Invitation>>
  readonly list: (scope: Scope, window: Window) => Stored<ReadonlyArray<Invitation>>
  /** Locks the row until the end of the transaction. */
  readonly findForUpdate: (scope: Scope, id: string) => Stored<Option.Option<Invitation>>
  /** Finds it by the hash of its token, in any organisation, and locks the row. */
  readonly findByHashForUpdate: (tokenHash: string) => Stored<Option.Option<Invitation>>
  readonly accept: (scope: Scope, id: string, userId: UserId) => Stored<void>
  readonly withdraw: (scope: Scope, id: string) => Stored<void>
  /** Withdraws open invitations of this member for these roles; returns their ids. */
  readonly withdrawAllBy: (orgId: OrgId, userId: UserId, roles: ReadonlyArray<Role>) => Stored<ReadonlyArray<string>>
}

export class InvitationStore extends Context.Tag("corridor/InvitationStore")<InvitationStore, InvitationQueries>() {}

const members = query(OrgMember)

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
        execute(sql`select 1 from memberships where org_id = ${orgId} and (role = 'org-admin' or user_id = ${userId})
          order by user_id for update`),
      find: (orgId, userId) => members.first(sql`select * from ${from} where ${one(orgId, userId)}`),
      findByEmail: (orgId, email) =>
        members.first(sql`select * from ${from} where org_id = ${orgId} and lower(email) = lower(${email})`),
      list: (orgId, window) =>
        members.all(sql`select * from ${from} where org_id = ${orgId} ${newest(sql, "user_id", window)}`),
      countOrgAdmins: (orgId) =>
        queryCount(sql`select count(*)::int from memberships where org_id = ${orgId} and role = 'org-admin'`),
      add: (org_id, user_id, role) =>
        anyRow(
          sql`insert into memberships ${sql.insert({ org_id, user_id, role })} on conflict do nothing returning 1`
        ),
      setRole: (orgId, userId, role) =>
        execute(sql`update memberships set role = ${role}, updated_at = now() where ${one(orgId, userId)}`),
      setPermissions: (org_id, user_id, permissions, granted_by) =>
        Effect.gen(function* () {
          const rows = permissions.map((permission) => ({ org_id, user_id, permission, granted_by }))
          const others = rows.length === 0 ? sql.literal("true") : sql`not (${sql.in("permission", permissions)})`
          yield* sql`delete from member_permissions where ${one(org_id, user_id)} and ${others}`
          if (rows.length > 0) yield* sql`insert into member_permissions ${sql.insert(rows)} on conflict do nothing`
          yield* sql`update memberships set updated_at = now() where ${one(org_id, user_id)}`
        }).pipe(orDatabaseFailure),
      remove: (orgId, userId) => execute(sql`delete from memberships where ${one(orgId, userId)}`)
    }
  })
)

const invitations = query(Invitation)
const invitationIds = query(Invitation.pick("invitation_id"))

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
          return yield* invitations.first(sql`insert into invitations
              (invitation_id, org_id, email, role, invited_by, token_hash, expires_at)
            values (${invitation_id}, ${org_id}, ${email}, ${role}, ${invited_by}, ${Buffer.from(token_hash, "hex")},
              now() + make_interval(secs => ${seconds}))
            on conflict (org_id, lower(email)) where status = 'pending' do nothing returning ${columns}`)
        }).pipe(orDatabaseFailure),
      list: (scope, window) =>
        invitations.all(sql`select ${columns} from invitations where ${inScope(sql, scope)}
          ${newest(sql, "invitation_id", window)}`),
      findForUpdate: (scope, id) =>
        invitations.first(sql`select ${columns} from invitations where invitation_id = ${id} and ${ownedIn(sql, scope)}
          for update`),
      findByHashForUpdate: (tokenHash) =>
        invitations.first(sql`select ${columns} from invitations where token_hash = ${Buffer.from(tokenHash, "hex")}
          for update`),
      accept: (scope, id, userId) =>
        execute(sql`update invitations set status = 'accepted', accepted_by = ${userId}, updated_at = now()
          where invitation_id = ${id} and status = 'pending' and ${ownedIn(sql, scope)}`),
      withdraw: (scope, id) =>
        execute(sql`update invitations set status = 'withdrawn', updated_at = now()
          where invitation_id = ${id} and status = 'pending' and ${ownedIn(sql, scope)}`),
      withdrawAllBy: (orgId, userId, roles) =>
        roles.length === 0
          ? Effect.succeed([])
          : sql`update invitations set status = 'withdrawn', updated_at = now()
              where org_id = ${orgId} and invited_by = ${userId} and status = 'pending' and expires_at > now()
                and ${sql.in("role", roles)} returning invitation_id`.pipe(
              invitationIds.all,
              Effect.map((rows) => rows.map(({ invitation_id }) => invitation_id))
            )
    }
  })
)
