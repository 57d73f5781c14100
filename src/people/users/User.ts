/** A person, and their place in an organisation, as the stores hold them. */
import { Schema } from "effect"
import { OrgId, UserId } from "../../domain/Identifiers.ts"
import { Conflict } from "../../domain/Failure.ts"
import { permissions, roles } from "../../domain/Access.ts"

export const User = Schema.Struct({
  user_id: UserId,
  /** `sub` of the tokens that the identity provider issues for this person. */
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
  /** What was granted to them beyond their role. */
  permissions: Schema.Array(Schema.Literal(...permissions)),
  created_at: Schema.DateFromSelf,
  updated_at: Schema.DateFromSelf
})
export type Membership = typeof Membership.Type

export const Place = Membership.pick("org_id", "user_id", "role")
export type Place = typeof Place.Type

/** A user, with their role where an organisation is looked at. */
export const Member = Schema.Struct({
  ...User.fields,
  org_id: Schema.NullOr(OrgId),
  role: Schema.NullOr(Schema.Literal(...roles))
})
export type Member = typeof Member.Type

export const userTaken = () => new Conflict({ message: "A user with this e-mail address or subject exists already." })
