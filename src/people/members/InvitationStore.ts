/** Invitations at rest: the hash of a token, never the token. */
import { Context, type Option } from "effect"
import type { OrgId, UserId } from "../../domain/Identifiers.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"
import { type Scope } from "../../platform/database/Query.ts"
import type { Role } from "../../domain/Access.ts"
import type { Window } from "../../platform/database/Window.ts"
import type { Invitation, StoredInvitation } from "./Member.ts"

export type NewInvitation = Pick<
  StoredInvitation,
  "invitation_id" | "org_id" | "email" | "role" | "invited_by" | "token_hash"
>

interface Store {
  /** None when the address has an open invitation into the organisation. */
  readonly insert: (invitation: NewInvitation) => Stored<Option.Option<Invitation>>
  readonly list: (scope: Scope, window: Window) => Stored<ReadonlyArray<Invitation>>
  /** Inside a transaction the row stays locked until its end. */
  readonly findForUpdate: (scope: Scope, id: string) => Stored<Option.Option<Invitation>>
  /** The same, by what its holder has; a token names one invitation among those of all organisations. */
  readonly findByHashForUpdate: (tokenHash: string) => Stored<Option.Option<Invitation>>
  readonly accept: (scope: Scope, id: string, userId: UserId) => Stored<void>
  readonly withdraw: (scope: Scope, id: string) => Stored<void>
  /** Those that are open, made by this member and to one of these roles; answers with their ids. */
  readonly withdrawAllBy: (orgId: OrgId, userId: UserId, roles: ReadonlyArray<Role>) => Stored<ReadonlyArray<string>>
}

export class InvitationStore extends Context.Tag("corridor/InvitationStore")<InvitationStore, Store>() {}
