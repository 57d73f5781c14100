/** Payouts to escrow parties at rest. Each is changed by the worker that has its lease, or while it is blocked. */
import { Context, type Duration, Option, Schema } from "effect"
import {
  type EscrowId,
  type OrgId,
  type PaymentId,
  type TransactionId,
  type BeneficiaryId,
  UserId
} from "../../domain/Ids.ts"
import type { Money } from "../../domain/Money.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"
import type { Scope, Window } from "../../platform/database/Query.ts"
import { initiatorPermit, type Permit, roles } from "../../domain/Access.ts"

/** A payout to an escrow party as an intent: committed with what causes it, and turned into a payment by a worker. */

/**
 * - `waiting`: to be sent; its amount stands on the party's ledger account.
 * - `sent`: its payment exists and is not final yet.
 * - `paid`: its payment is completed.
 * - `blocked`: could not be sent, or its payment failed; an item of the operations queue.
 * - `closed`: nothing more is sent for this row; the money is the party's.
 */
export const payoutStatuses = ["waiting", "sent", "paid", "blocked", "closed"] as const
type PayoutStatus = (typeof payoutStatuses)[number]

/** The caller who asked for the payout. */
export const Initiator = Schema.Struct({
  kind: Schema.Literal("user", "api_key", "operator"),
  id: Schema.String,
  name: Schema.NullOr(Schema.String),
  user_id: Schema.NullOr(UserId),
  role: Schema.Literal(...roles, "admin")
})
export type Initiator = typeof Initiator.Type

export interface EscrowPayout {
  readonly payout_id: string
  readonly org_id: OrgId
  readonly escrow_id: EscrowId
  /** Null: asked for by itself, not by a disbursement. */
  readonly milestone_id: string | null
  readonly party_id: string
  readonly beneficiary_id: BeneficiaryId
  /** What the payout and its fee may take. */
  readonly amount: Money
  readonly description: string
  /** Chosen with the row; the payment exists once `sent_at` is set. */
  readonly payment_id: PaymentId
  readonly transaction_id: TransactionId
  readonly initiator: Initiator
  readonly status: PayoutStatus
  readonly reason: string | null
  /** Payments created for it so far. */
  readonly sends: number
  readonly sent_at: Date | null
  readonly created_at: Date
  readonly updated_at: Date
}

export type NewPayout = Omit<EscrowPayout, "status" | "reason" | "sends" | "sent_at" | "created_at" | "updated_at">

/** The right to change a row, until the next worker takes it up. */
export interface Lease extends Pick<EscrowPayout, "payout_id" | "org_id"> {
  readonly lease_token: string
}

/** Taken up by one worker. */
export interface ClaimedPayout extends EscrowPayout, Lease {
  /** Times that a worker has taken the row up since it began to wait. */
  readonly tries: number
}

/** A blocked payout as an item of the operations queue. */
export interface BlockedPayout extends Pick<
  EscrowPayout,
  "payout_id" | "org_id" | "escrow_id" | "party_id" | "amount"
> {
  readonly escrow_name: string
  readonly party_name: string
  readonly reason: string | null
  readonly created_at: Date
}

export const initiatorOf = ({ actor, role }: Permit<"escrow">): Initiator => ({
  kind: actor.kind,
  id: actor.id,
  name: actor.name ?? null,
  user_id: Option.getOrNull(actor.userId),
  role
})

/** What the initiator was allowed to do, for the worker that carries it on. */
export const permitOf = ({ initiator, org_id }: Pick<EscrowPayout, "initiator" | "org_id">): Permit<"escrow"> => {
  const { id, kind, name, role, user_id } = initiator
  const actor = { kind, id, userId: Option.fromNullable(user_id), ...(name === null ? {} : { name }) }
  return initiatorPermit("escrow", org_id, { actor, role })
}

interface PaymentIds {
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
