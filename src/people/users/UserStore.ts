/** People and their memberships at rest. */
import { Context, type Effect, type Option } from "effect"
import type { OrgId, UserId } from "../../domain/Identifiers.ts"
import { type Scope } from "../../platform/database/Query.ts"
import type { Permission } from "../../domain/Access.ts"
import type { Conflict } from "../../domain/Failure.ts"
import type { Window } from "../../platform/database/Window.ts"
import type { Member, Place, User } from "./User.ts"

export type NewUser = Omit<User, "created_at" | "updated_at">

interface Store {
  /** Conflict when the e-mail address or the subject is taken. */
  readonly insert: (user: NewUser) => Effect.Effect<User, Conflict>
  readonly find: (userId: UserId) => Effect.Effect<Option.Option<User>>
  readonly findBySubject: (subject: string) => Effect.Effect<Option.Option<User>>
  /** Whatever the case of its letters. */
  readonly findByEmail: (email: string) => Effect.Effect<Option.Option<User>>
  /** Every organisation that the person belongs to. */
  readonly membershipsOf: (userId: UserId) => Effect.Effect<ReadonlyArray<Place>>
  /** Within an organisation: its members, each with their role. */
  readonly list: (scope: Scope, window: Window) => Effect.Effect<ReadonlyArray<Member>>
  readonly putMember: (membership: Place) => Effect.Effect<void>
  readonly oldestOrgAdmin: (orgId: OrgId) => Effect.Effect<Option.Option<UserId>>
  readonly grant: (orgId: OrgId, userId: UserId, permission: Permission, grantedBy: string) => Effect.Effect<void>
}

export class UserStore extends Context.Tag("corridor/UserStore")<UserStore, Store>() {}
