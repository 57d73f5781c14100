/** Members at rest. Every change begins with `lock`, so that an organisation's people change one at a time. */
import { Context, type Effect, type Option } from "effect"
import type { OrgId, UserId } from "../../domain/Identifiers.ts"
import type { Permission, Role } from "../../domain/Access.ts"
import type { Window } from "../../platform/database/Window.ts"
import type { OrgMember } from "./Member.ts"

interface Store {
  /** Until the end of the transaction nobody else changes this member, or any org-admin, of the organisation. */
  readonly lock: (orgId: OrgId, userId: UserId) => Effect.Effect<void>
  readonly find: (orgId: OrgId, userId: UserId) => Effect.Effect<Option.Option<OrgMember>>
  /** Whatever the case of the address's letters. */
  readonly findByEmail: (orgId: OrgId, email: string) => Effect.Effect<Option.Option<OrgMember>>
  /** Those who joined last come first. */
  readonly list: (orgId: OrgId, window: Window) => Effect.Effect<ReadonlyArray<OrgMember>>
  readonly countOrgAdmins: (orgId: OrgId) => Effect.Effect<number>
  /** Answers whether there was no such member yet. */
  readonly add: (orgId: OrgId, userId: UserId, role: Role) => Effect.Effect<boolean>
  readonly setRole: (orgId: OrgId, userId: UserId, role: Role) => Effect.Effect<void>
  /** All that they are to have; what stays keeps who granted it. */
  readonly setPermissions: (
    orgId: OrgId,
    userId: UserId,
    permissions: ReadonlyArray<Permission>,
    grantedBy: string
  ) => Effect.Effect<void>
  readonly remove: (orgId: OrgId, userId: UserId) => Effect.Effect<void>
}

export class MemberStore extends Context.Tag("corridor/MemberStore")<MemberStore, Store>() {}
