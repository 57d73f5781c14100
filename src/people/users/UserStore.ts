/** People and their memberships at rest. */
import { Context, type Option, Schema } from "effect"
import { OrgId, UserId } from "../../domain/Ids.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"
import type { Scope, Window } from "../../platform/database/Query.ts"
import { type Permission, permissions, roles } from "../../domain/Access.ts"
import { Conflict } from "../../domain/Failure.ts"

/** A person, and their place in an organisation, as the stores hold them. */
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

export type NewUser = Omit<User, "created_at" | "updated_at">

interface Store {
  /** Conflict when the e-mail address or the subject is taken. */
  readonly insert: (user: NewUser) => Stored<User, Conflict>
  readonly find: (userId: UserId) => Stored<Option.Option<User>>
  readonly findBySubject: (subject: string) => Stored<Option.Option<User>>
  /** Whatever the case of its letters. */
  readonly findByEmail: (email: string) => Stored<Option.Option<User>>
  /** Every organisation that the person belongs to. */
  readonly membershipsOf: (userId: UserId) => Stored<ReadonlyArray<Place>>
  /** Within an organisation: its members, each with their role. */
  readonly list: (scope: Scope, window: Window) => Stored<ReadonlyArray<Member>>
  readonly putMember: (membership: Place) => Stored<void>
  readonly oldestOrgAdmin: (orgId: OrgId) => Stored<Option.Option<UserId>>
  readonly grant: (orgId: OrgId, userId: UserId, permission: Permission, grantedBy: string) => Stored<void>
}

export class UserStore extends Context.Tag("corridor/UserStore")<UserStore, Store>() {}
