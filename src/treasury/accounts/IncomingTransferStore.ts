/** Stores transfers that providers received for virtual accounts, and how far each provider's list was read. */
import { Context, type Duration, type Option, Schema } from "effect"
import { ProviderName } from "../../domain/Corridor.ts"
import { AnyCurrencyCode } from "../../domain/Currency.ts"
import { AccountId, ConfigId, OrgId } from "../../domain/Ids.ts"
import { Money } from "../../domain/Money.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"
import type { Scope, Window } from "../../platform/database/Query.ts"
import { type TransferKind, transferKinds } from "../../providers/port/AccountIssuer.ts"

export const TransferRow = Schema.Struct({
  transfer_id: Schema.String,
  provider: ProviderName,
  /** The configuration whose account received the money; null: the platform's. */
  account: Schema.NullOr(ConfigId),
  kind: Schema.Literal(...transferKinds),
  /** The provider's id of the transfer. */
  movement_id: Schema.String,
  issuer_reference: Schema.NullOr(Schema.String),
  amount: Schema.String,
  currency: Schema.typeSchema(AnyCurrencyCode),
  sender: Schema.NullOr(Schema.String),
  /** Whose money it is; null: unknown. */
  org_id: Schema.NullOr(OrgId),
  account_id: Schema.NullOr(AccountId),
  /**
   * - `credited`: on the virtual account.
   * - `suspense`: an operator decides.
   * - `receivable`: owed by the organisation, since the account could not bear the return.
   * - `resolved`: by an operator, or by a later transfer that undid it.
   */
  state: Schema.Literal("credited", "suspense", "receivable", "resolved"),
  reason: Schema.NullOr(Schema.String),
  decided_by: Schema.NullOr(Schema.String),
  created_at: Schema.DateFromSelf
})

export interface StoredTransfer extends Omit<typeof TransferRow.Type, "amount" | "currency"> {
  readonly amount: Money
}

export type NewTransfer = Omit<StoredTransfer, "created_at">

/** How a transfer changes what its provider holds. */
export const effectOf = ({ amount, kind }: Pick<StoredTransfer, "amount" | "kind">): Money =>
  kind === "reversal" ? amount.negate() : amount

export type Decision = Pick<StoredTransfer, "org_id" | "account_id" | "reason" | "decided_by"> & {
  readonly state: "receivable" | "resolved"
}

/** A return in state `receivable` is owed by its account, until later money of the account has paid it. */
export const owedBy = ({ account_id, amount, state }: Pick<StoredTransfer, "account_id" | "amount" | "state">): Money =>
  state === "receivable" && account_id !== null ? amount : Money.zero(amount.currency)

/** Whether one undoes the other: the one takes money from the provider that the other brings. */
export const isOpposite = (one: TransferKind, other: TransferKind): boolean =>
  (one === "reversal") !== (other === "reversal")

export class IncomingTransferStore extends Context.Tag("corridor/IncomingTransferStore")<
  IncomingTransferStore,
  {
    /**
     * Inside the transaction that books it. False: it is recorded already; a concurrent insert is waited for. `owed`: what
     * the account owes, if it is not all of a return in state `receivable`.
     */
    readonly insert: (transfer: NewTransfer, owed?: Money) => Stored<boolean>
    /** Notes another amount or currency of a recorded transfer. False: it is the same, or noted already. */
    readonly contradict: (transfer: NewTransfer) => Stored<boolean>
    /** Gives a transfer that an operator stated the provider's id of it. False: none was stated. */
    readonly nameStated: (transfer: NewTransfer) => Stored<boolean>
    /**
     * Locks the oldest transfer in suspense that a later one of the same amount undoes. `of`: its id, if the provider
     * says so.
     */
    readonly undoneBy: (transfer: NewTransfer, of: string | null) => Stored<Option.Option<StoredTransfer>>
    /** Pays what an account owes for returns, the oldest first. Returns the amount paid, at most `upTo`. */
    readonly payOwed: (orgId: OrgId, accountId: AccountId, upTo: Money) => Stored<Money>
    /** Locks the transfer until the end of the transaction. */
    readonly lock: (transferId: string) => Stored<Option.Option<StoredTransfer>>
    /** `owed`: as with `insert`. */
    readonly resolve: (transferId: string, decision: Decision, owed?: Money) => Stored<StoredTransfer>
    /** In suspense, newest first. Transfers without an organisation are in no organisation's scope. */
    readonly open: (scope: Scope, window: Window) => Stored<ReadonlyArray<StoredTransfer>>
    /**
     * Takes up the list of a provider if it is due, for the lease. Returns the time up to which it was read; the first
     * time, the time of the call.
     */
    readonly claimList: (provider: ProviderName) => Stored<Option.Option<Date>>
    /** A list that became due while it was being read stays due. `until`: absent if it could not be read. */
    readonly listed: (provider: ProviderName, dueIn: Duration.Duration, until?: Date) => Stored<void>
    /** Makes the list due now. */
    readonly listSoon: (provider: ProviderName) => Stored<void>
  }
>() {}
