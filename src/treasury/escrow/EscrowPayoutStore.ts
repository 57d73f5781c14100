/** Store of payouts to escrow parties. A row is changed by the worker that holds its lease, or while it is blocked. */
import { Context, type Duration, Option, Schema } from "effect"
import { BeneficiaryId, EscrowId, OrgId, PaymentId, TransactionId, UserId } from "../../domain/Ids.ts"
import { CurrencyCode } from "../../domain/Currency.ts"
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

/** The caller who asked for the payout. */
export const Initiator = Schema.Struct({
  kind: Schema.Literal("user", "api_key", "operator"),
  id: Schema.String,
  name: Schema.NullOr(Schema.String),
  user_id: Schema.NullOr(UserId),
  role: Schema.Literal(...roles, "admin")
})
export type Initiator = typeof Initiator.Type

/** Columns of a payout. */
export const PayoutRow = Schema.Struct({
  payout_id: Schema.String,
  org_id: OrgId,
  escrow_id: EscrowId,
  /** Null: requested by itself, not by a disbursement. */
  milestone_id: Schema.NullOr(Schema.String),
  party_id: Schema.String,
  beneficiary_id: BeneficiaryId,
  amount: Schema.String,
  currency: Schema.typeSchema(CurrencyCode),
  description: Schema.String,
  /** Assigned with the row; the payment exists once `sent_at` is set. */
  payment_id: PaymentId,
  transaction_id: TransactionId,
  initiator: Initiator,
  status: Schema.Literal(...payoutStatuses),
  reason: Schema.NullOr(Schema.String),
  /** Number of payments created so far. */
  sends: Schema.Int,
  sent_at: Schema.NullOr(Schema.DateFromSelf),
  created_at: Schema.DateFromSelf,
  updated_at: Schema.DateFromSelf
})

export interface EscrowPayout extends Omit<typeof PayoutRow.Type, "amount" | "currency"> {
  /** Upper limit of payout plus fee. */
  readonly amount: Money
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
  "payout_id" | "org_id" | "escrow_id" | "party_id" | "amount" | "reason" | "created_at"
> {
  readonly escrow_name: string
  readonly party_name: string
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

type PaymentIds = Pick<EscrowPayout, "payment_id" | "transaction_id">

export interface PayoutPatch {
  readonly status: EscrowPayout["status"]
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
