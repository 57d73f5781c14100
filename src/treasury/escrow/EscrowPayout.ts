/** A payout to an escrow party as an intent: committed with what causes it, and turned into a payment by a worker. */
import { Option, Schema } from "effect"
import { initiatorPermit, type Permit, roles } from "../../domain/Access.ts"
import {
  type BeneficiaryId,
  type EscrowId,
  type OrgId,
  type PaymentId,
  type TransactionId,
  UserId
} from "../../domain/Identifiers.ts"
import type { Money } from "../../domain/Money.ts"

/**
 * - `waiting`: to be sent; its amount stands on the party's ledger account.
 * - `sent`: its payment exists and is not final yet.
 * - `paid`: its payment is completed.
 * - `blocked`: could not be sent, or its payment failed; an item of the operations queue.
 * - `closed`: nothing more is sent for this row; the money is the party's.
 */
export const payoutStatuses = ["waiting", "sent", "paid", "blocked", "closed"] as const
export type PayoutStatus = (typeof payoutStatuses)[number]

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
