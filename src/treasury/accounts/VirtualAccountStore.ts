/** Virtual accounts at rest. Their balances are not here: they are in the books. */
import { Context, type Option } from "effect"
import type { AccountId, OrgId, UserId } from "../../domain/Identifiers.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"
import type { Scope } from "../../platform/database/Query.ts"
import type { Window } from "../../platform/database/Window.ts"
import type { AccountStatus, VirtualAccount } from "./VirtualAccount.ts"

export type NewVirtualAccount = Pick<
  VirtualAccount,
  "account_id" | "org_id" | "user_id" | "customer_id" | "currency" | "virtual_account_name"
>

export interface AccountFilter {
  readonly user_id?: UserId | undefined
  readonly currency?: string | undefined
}

export class VirtualAccountStore extends Context.Tag("corridor/VirtualAccountStore")<
  VirtualAccountStore,
  {
    readonly insert: (account: NewVirtualAccount) => Stored<VirtualAccount>
    readonly find: (scope: Scope, id: AccountId) => Stored<Option.Option<VirtualAccount>>
    readonly list: (scope: Scope, filter: AccountFilter, window: Window) => Stored<ReadonlyArray<VirtualAccount>>
    /**
     * For a transaction that moves money: the account keeps its status until the end of it. The lock is shared, since the
     * books keep the balance: movements do not wait for each other here, in whatever order they lock, only a freeze does.
     * Whoever holds it must not change the account.
     */
    readonly lock: (orgId: OrgId, id: AccountId) => Stored<Option.Option<VirtualAccount>>
    /** For a transaction that changes the account: no movement is under way on it from here to the end. */
    readonly lockForChange: (scope: Scope, id: AccountId) => Stored<Option.Option<VirtualAccount>>
    readonly setStatus: (
      orgId: OrgId,
      id: AccountId,
      status: AccountStatus,
      reason: string | null
    ) => Stored<VirtualAccount>
  }
>() {}
