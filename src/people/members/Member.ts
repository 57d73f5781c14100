/** A member of an organisation and an invitation into one, as the stores hold them. */
import type { Role } from "../../domain/Access.ts"
import type { Membership } from "../users/User.ts"

export interface OrgMember extends Membership {
  readonly email: string
}

export interface Invitation {
  readonly invitation_id: string
  readonly org_id: string
  readonly email: string
  readonly role: Role
  readonly status: "pending" | "accepted" | "withdrawn" | "expired"
  /** Null: an operator of the platform. */
  readonly invited_by: string | null
  readonly accepted_by: string | null
  readonly expires_at: Date
  readonly created_at: Date
  readonly updated_at: Date
}

export interface StoredInvitation extends Invitation {
  /** SHA-256 in hexadecimal; the token itself is nowhere. */
  readonly token_hash: string
}
