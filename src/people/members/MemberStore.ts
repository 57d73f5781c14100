/** Members at rest. Every change begins with `lock`, so that an organisation's people change one at a time. */
import { Context, type Option, Schema } from "effect"
import { OrgId, UserId } from "../../domain/Ids.ts"
import { type Permission, type Role, roles } from "../../domain/Access.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"
import type { Window, Scope } from "../../platform/database/Query.ts"
import { Membership } from "../users/UserStore.ts"

/** A member of an organisation and an invitation into one, as the stores hold them. */
export const OrgMember = Schema.Struct({ ...Membership.fields, email: Schema.String })
export type OrgMember = typeof OrgMember.Type

export const Invitation = Schema.Struct({
  invitation_id: Schema.String,
  org_id: OrgId,
  email: Schema.String,
  role: Schema.Literal(...roles),
  status: Schema.Literal("pending", "accepted", "withdrawn", "expired"),
  /** Null: an operator of the platform. */
  invited_by: Schema.NullOr(UserId),
  accepted_by: Schema.NullOr(UserId),
  expires_at: Schema.DateFromSelf,
  created_at: Schema.DateFromSelf,
  updated_at: Schema.DateFromSelf
})
export type Invitation = typeof Invitation.Type

export interface StoredInvitation extends Invitation {
  /** SHA-256 in hexadecimal; the token itself is nowhere. */
  readonly token_hash: string
}

interface Store {
  /** Until the end of the transaction nobody else changes this member, or any org-admin, of the organisation. */
  readonly lock: (orgId: OrgId, userId: UserId) => Stored<void>
  readonly find: (orgId: OrgId, userId: UserId) => Stored<Option.Option<OrgMember>>
  /** Whatever the case of the address's letters. */
  readonly findByEmail: (orgId: OrgId, email: string) => Stored<Option.Option<OrgMember>>
  /** Those who joined last come first. */
  readonly list: (orgId: OrgId, window: Window) => Stored<ReadonlyArray<OrgMember>>
  readonly countOrgAdmins: (orgId: OrgId) => Stored<number>
  /** Answers whether there was no such member yet. */
  readonly add: (orgId: OrgId, userId: UserId, role: Role) => Stored<boolean>
  readonly setRole: (orgId: OrgId, userId: UserId, role: Role) => Stored<void>
  /** All that they are to have; what stays keeps who granted it. */
  readonly setPermissions: (
    orgId: OrgId,
    userId: UserId,
    permissions: ReadonlyArray<Permission>,
    grantedBy: string
  ) => Stored<void>
  readonly remove: (orgId: OrgId, userId: UserId) => Stored<void>
}

export class MemberStore extends Context.Tag("corridor/MemberStore")<MemberStore, Store>() {}

/** Invitations at rest: the hash of a token, never the token. */
export type NewInvitation = Pick<
  StoredInvitation,
  "invitation_id" | "org_id" | "email" | "role" | "invited_by" | "token_hash"
>

interface InvitationQueries {
  /** None when the address has an open invitation into the organisation. */
  readonly insert: (invitation: NewInvitation) => Stored<Option.Option<Invitation>>
  readonly list: (scope: Scope, window: Window) => Stored<ReadonlyArray<Invitation>>
  /** Inside a transaction the row stays locked until its end. */
  readonly findForUpdate: (scope: Scope, id: string) => Stored<Option.Option<Invitation>>
  /** The same, by what its holder has; a token names one invitation among those of all organisations. */
  readonly findByHashForUpdate: (tokenHash: string) => Stored<Option.Option<Invitation>>
  readonly accept: (scope: Scope, id: string, userId: UserId) => Stored<void>
  readonly withdraw: (scope: Scope, id: string) => Stored<void>
  /** Those that are open, made by this member and to one of these roles; answers with their ids. */
  readonly withdrawAllBy: (orgId: OrgId, userId: UserId, roles: ReadonlyArray<Role>) => Stored<ReadonlyArray<string>>
}

export class InvitationStore extends Context.Tag("corridor/InvitationStore")<InvitationStore, InvitationQueries>() {}
