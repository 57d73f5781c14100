/** Payouts to escrow parties at rest. Each is changed by the worker that has its lease, or while it is blocked. */
import { Context, type Duration, type Option } from "effect"
import type { EscrowId, OrgId, PaymentId, TransactionId } from "../../domain/Identifiers.ts"
import type { Money } from "../../domain/Money.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"
import type { Scope } from "../../platform/database/Query.ts"
import type { Window } from "../../platform/database/Window.ts"
import type { BlockedPayout, ClaimedPayout, EscrowPayout, Lease, NewPayout, PayoutStatus } from "./EscrowPayout.ts"

export interface PaymentIds {
  readonly payment_id: PaymentId
  readonly transaction_id: TransactionId
}

export interface PayoutPatch {
  readonly status: PayoutStatus
  readonly reason: string | null
  /** Time until a worker takes the row up again; null: never by itself. */
  readonly dueIn: Duration.Duration | null
  /** Of the next payment, in place of one that came to nothing. */
  readonly ids?: PaymentIds
}

export class EscrowPayoutStore extends Context.Tag("corridor/EscrowPayoutStore")<
  EscrowPayoutStore,
  {
    /** Rows that wait to be sent, in the transaction that causes them. Their lease is their own id. */
    readonly insert: (payouts: ReadonlyArray<NewPayout>) => Stored<void>
    /** Due rows, the oldest of each organisation first, then the second of each; none that another worker has. */
    readonly claim: (most: number) => Stored<ReadonlyArray<ClaimedPayout>>
    /** From waiting to sent, in the transaction that creates the payment. False: the lease was lost, so undo it. */
    readonly markSent: (lease: Lease, dueIn: Duration.Duration) => Stored<boolean>
    /** False: the lease was lost. */
    readonly change: (lease: Lease, patch: PayoutPatch) => Stored<boolean>
    readonly find: (scope: Scope, escrowId: EscrowId, payoutId: string) => Stored<Option.Option<EscrowPayout>>
    /** Makes a blocked payout wait again, for a payment of its own; none: it is not blocked. */
    readonly retry: (payout: EscrowPayout, ids: PaymentIds) => Stored<Option.Option<EscrowPayout>>
    /** None: it is not blocked. */
    readonly close: (payout: EscrowPayout, reason: string) => Stored<Option.Option<EscrowPayout>>
    /** Closes what is blocked of a party. */
    readonly closeBlocked: (orgId: OrgId, partyId: string, reason: string) => Stored<void>
    /** The sum of a party's waiting payouts: not to be paid out by another. */
    readonly reserved: (orgId: OrgId, partyId: string, zero: Money) => Stored<Money>
    /** Which of these still wait to be sent. */
    readonly waitingAmong: (orgId: OrgId, ids: ReadonlyArray<string>) => Stored<ReadonlySet<string>>
    /** Blocked payouts, the one that was blocked last first. */
    readonly blocked: (scope: Scope, window: Window) => Stored<ReadonlyArray<BlockedPayout>>
  }
>() {}
