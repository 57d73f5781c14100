/**
 * Movements: transfers of money at one account of a provider, each under the provider's own id. Reports name them, so that
 * the same transfer told twice, late or out of order is still one.
 */
import type { Money } from "./Money.ts"

/**
 * - `collection`: money of a payer came in.
 * - `disbursement`: money went out to a recipient.
 * - `refund`: money went back to a payer, by us or in the provider's dashboard.
 * - `reversal`: the provider took money back: a chargeback, a dispute, a bank return of a collection.
 * - `reinstatement`: money came back to us: a dispute that was won, a refund or a payout that was returned.
 */
export const movementKinds = ["collection", "disbursement", "refund", "reversal", "reinstatement"] as const
export type MovementKind = (typeof movementKinds)[number]

/** `settled`: the money has moved. A settled movement that is undone later is followed by another one. */
export const movementStates = ["pending", "settled", "failed"] as const
export type MovementState = (typeof movementStates)[number]

export interface Movement {
  readonly kind: MovementKind
  /** The provider's id of this one transfer: unique within its account and kind, the same with every report. */
  readonly id: string
  /** Null where the provider does not repeat it: what the order named. */
  readonly amount: Money | null
  readonly state: MovementState
  /** The amount is all that moved under this id so far, and may grow: the provider tells totals and no list. */
  readonly isTotal?: true
}

/** Whether it adds to what the provider account holds, or takes from it. */
export const signOf = (kind: MovementKind): 1n | -1n => (kind === "collection" || kind === "reinstatement" ? 1n : -1n)
