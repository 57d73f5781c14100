/** People and their memberships at rest. */
import { Context, type Option } from "effect"
import type { OrgId, UserId } from "../../domain/Identifiers.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"
import { type Scope } from "../../platform/database/Query.ts"
import type { Permission } from "../../domain/Access.ts"
import type { Conflict } from "../../domain/Failure.ts"
import type { Window } from "../../platform/database/Window.ts"
import type { Member, Place, User } from "./User.ts"

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
