/** A person, and their place in an organisation, as the stores hold them. */
import type { Permission, Role } from "../../domain/Access.ts"

export interface User {
  readonly user_id: string
  /** `sub` of the tokens that the identity provider issues for this person. */
  readonly subject: string
  readonly email: string
  readonly country: string | null
  readonly is_admin: boolean
  readonly created_at: Date
  readonly updated_at: Date
}

export interface Membership {
  readonly org_id: string
  readonly user_id: string
  readonly role: Role
  /** What was granted to them beyond their role. */
  readonly permissions: ReadonlyArray<Permission>
  readonly created_at: Date
  readonly updated_at: Date
}

export type Place = Pick<Membership, "org_id" | "user_id" | "role">
