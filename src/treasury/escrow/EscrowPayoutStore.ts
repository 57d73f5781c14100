/** Store of payouts to escrow parties. A row is changed by the worker that holds its lease, or while it is blocked. */
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
  /** Null: requested by itself, not by a disbursement. */
  readonly milestone_id: string | null
  readonly party_id: string
  readonly beneficiary_id: BeneficiaryId
  /** Upper limit of payout plus fee. */
  readonly amount: Money
  readonly description: string
  /** Assigned with the row; the payment exists once `sent_at` is set. */
  readonly payment_id: PaymentId
  readonly transaction_id: TransactionId
  readonly initiator: Initiator
  readonly status: PayoutStatus
  readonly reason: string | null
  /** Number of payments created so far. */
  readonly sends: number
  readonly sent_at: Date | null
  readonly created_at: Date
  readonly updated_at: Date
}

export type NewPayout = Omit<EscrowPayout, "status" | "reason" | "sends" | "sent_at" | "created_at" | "updated_at">

/** Permission to change a row, until another worker claims it. */
export interface Lease extends Pick<EscrowPayout, "payout_id" | "org_id"> {
  readonly lease_token: string
}

/** A row claimed by one worker. */
export interface ClaimedPayout extends EscrowPayout, Lease {
  /** Number of claims since the row began to wait. */
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

/** The initiator's permit, for the worker. */
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
  /** Time until the next claim; null: never. */
  readonly dueIn: Duration.Duration | null
  /** Ids of the next payment, after one that failed. */
  readonly ids?: PaymentIds
}

export class EscrowPayoutStore extends Context.Tag("corridor/EscrowPayoutStore")<
  EscrowPayoutStore,
  {
    /** Inserts waiting rows, in the transaction that causes them. Their first lease token is their own id. */
    readonly insert: (payouts: ReadonlyArray<NewPayout>) => Stored<void>
    /** Claims due rows, round-robin by organisation, oldest first. Skips rows that another worker holds. */
    readonly claim: (most: number) => Stored<ReadonlyArray<ClaimedPayout>>
    /** From waiting to sent, in the transaction that creates the payment. False: the lease was lost, so roll back. */
    readonly markSent: (lease: Lease, dueIn: Duration.Duration) => Stored<boolean>
    /** False: the lease was lost. */
    readonly change: (lease: Lease, patch: PayoutPatch) => Stored<boolean>
    readonly find: (scope: Scope, escrowId: EscrowId, payoutId: string) => Stored<Option.Option<EscrowPayout>>
    /** Makes a blocked payout wait again, with a new payment. None: not blocked. */
    readonly retry: (payout: EscrowPayout, ids: PaymentIds) => Stored<Option.Option<EscrowPayout>>
    /** None: not blocked. */
    readonly close: (payout: EscrowPayout, reason: string) => Stored<Option.Option<EscrowPayout>>
    /** Closes all blocked payouts of a party. */
    readonly closeBlocked: (orgId: OrgId, partyId: string, reason: string) => Stored<void>
    /** Sum of a party's waiting payouts, which other payouts must leave. */
    readonly reserved: (orgId: OrgId, partyId: string, zero: Money) => Stored<Money>
    /** Those of the given payouts that still wait. */
    readonly waitingAmong: (orgId: OrgId, ids: ReadonlyArray<string>) => Stored<ReadonlySet<string>>
    /** Blocked payouts, most recently blocked first. */
    readonly blocked: (scope: Scope, window: Window) => Stored<ReadonlyArray<BlockedPayout>>
  }
>() {}
