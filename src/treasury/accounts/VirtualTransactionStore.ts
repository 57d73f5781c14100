/**
 * What went through virtual accounts, at rest. A withdrawal's row only names its payment: what became of it is read from
 * there, so that nothing has to be kept in step.
 */
import { Context, type Option } from "effect"
import type { AccountId, OrgId, PaymentId, TransactionId, UserId } from "../../domain/Identifiers.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"
import type { Scope } from "../../platform/database/Query.ts"
import type { Window } from "../../platform/database/Window.ts"
import type { NewVirtualTransaction, VirtualTransaction } from "./VirtualTransaction.ts"

export class VirtualTransactionStore extends Context.Tag("corridor/VirtualTransactionStore")<
  VirtualTransactionStore,
  {
    /** Belongs in the transaction that moves the money. Answers in the order of the rows. */
    readonly insert: (rows: ReadonlyArray<NewVirtualTransaction>) => Stored<ReadonlyArray<VirtualTransaction>>
    /** `userId`: only if the account is this user's. */
    readonly find: (
      scope: Scope,
      id: TransactionId,
      userId?: UserId | undefined
    ) => Stored<Option.Option<VirtualTransaction>>
    readonly findByPayment: (orgId: OrgId, paymentId: PaymentId) => Stored<Option.Option<VirtualTransaction>>
    readonly list: (scope: Scope, accountId: AccountId, window: Window) => Stored<ReadonlyArray<VirtualTransaction>>
  }
>() {}
