/** Stores members and invitations. Every change of a member begins with `lock`, which serialises changes. */
import { Context, type Option, Schema } from "effect"
import { OrgId, UserId } from "../../domain/Ids.ts"
import { type Permission, type Role, roles } from "../../domain/Access.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"
import type { Window, Scope } from "../../platform/database/Query.ts"
import { Membership } from "../users/UserStore.ts"

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
  /** None if the address already has an open invitation. */
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
