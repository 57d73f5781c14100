/** A member of an organisation and an invitation into one, as the stores hold them. */
import { Schema } from "effect"
import { OrgId, UserId } from "../../domain/Identifiers.ts"
import { roles } from "../../domain/Access.ts"
import { Membership } from "../users/User.ts"

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
