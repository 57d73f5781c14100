/** Members at rest. Every change begins with `lock`, so that an organisation's people change one at a time. */
import { Context, type Option } from "effect"
import type { OrgId, UserId } from "../../domain/Identifiers.ts"
import type { Permission, Role } from "../../domain/Access.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"
import type { Window } from "../../platform/database/Window.ts"
import type { OrgMember } from "./Member.ts"

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
