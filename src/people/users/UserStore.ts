/** Stores users and their memberships. */
import { Context, type Option, Schema } from "effect"
import { OrgId, UserId } from "../../domain/Ids.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"
import type { Scope, Window } from "../../platform/database/Query.ts"
import { type Permission, permissions, roles } from "../../domain/Access.ts"
import { Conflict } from "../../domain/Failure.ts"

export const User = Schema.Struct({
  user_id: UserId,
  /** Claim `sub` of the user's tokens. */
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
  /** Granted beyond the role. */
  permissions: Schema.Array(Schema.Literal(...permissions)),
  created_at: Schema.DateFromSelf,
  updated_at: Schema.DateFromSelf
})
export type Membership = typeof Membership.Type

export const MemberRole = Membership.pick("org_id", "user_id", "role")
export type MemberRole = typeof MemberRole.Type

/** A user, with their role if the query is for one organisation. */
export const Member = Schema.Struct({
  ...User.fields,
  org_id: Schema.NullOr(OrgId),
  role: Schema.NullOr(Schema.Literal(...roles))
})
export type Member = typeof Member.Type

export const userTaken = () => new Conflict({ message: "A user with this e-mail address or subject already exists." })

export type NewUser = Omit<User, "created_at" | "updated_at">

interface Store {
  /** Conflict if the e-mail address or the subject is taken. */
  readonly insert: (user: NewUser) => Stored<User, Conflict>
  readonly find: (userId: UserId) => Stored<Option.Option<User>>
  readonly findBySubject: (subject: string) => Stored<Option.Option<User>>
  /** Ignores case. */
  readonly findByEmail: (email: string) => Stored<Option.Option<User>>
  /** All memberships of a user. */
  readonly membershipsOf: (userId: UserId) => Stored<ReadonlyArray<MemberRole>>
  /** Within an organisation: its members, with their roles. */
  readonly list: (scope: Scope, window: Window) => Stored<ReadonlyArray<Member>>
  readonly putMember: (membership: MemberRole) => Stored<void>
  readonly oldestOrgAdmin: (orgId: OrgId) => Stored<Option.Option<UserId>>
  readonly grant: (orgId: OrgId, userId: UserId, permission: Permission, grantedBy: string) => Stored<void>
}

export class UserStore extends Context.Tag("corridor/UserStore")<UserStore, Store>() {}
