/** Movements in Stripe's objects: charges, refunds and disputes, each under its own id. */
import { Option } from "effect"
import type { Money } from "../../domain/Money.ts"
import type { Movement } from "../../domain/Movement.ts"
import { moneyIn } from "./StripeRequests.ts"
import { chargeOf, type Dispute, type Intent, referenceIn, type Refund } from "./StripeSchemas.ts"

const moneyOf = (amount: string | null, currency: string | null): Money | null =>
  Option.getOrNull(moneyIn(amount, currency))

/** An intent that succeeded has one charge that succeeded, its latest: it cannot be confirmed a second time. */
export const movementsOfIntent = (intent: Intent): ReadonlyArray<Movement> => {
  const charge = chargeOf(intent)
  if (intent.status !== "succeeded" || charge === null) return []
  const amount = moneyOf(intent.amount_received, intent.currency)
  return [{ kind: "collection", id: charge.id, amount, state: "settled" }]
}

/**
 * A refund made by hand has left our balance as soon as it is there. One of ours is settled once it succeeded. One that
 * failed, or was canceled in the dashboard, may have succeeded before, so it is named with the money that came back.
 */
export const movementsOfRefund = (refund: Refund): ReadonlyArray<Movement> => {
  const { currency, id, status } = refund
  const reference = referenceIn(refund)
  const amount = moneyOf(refund.amount, currency)
  const ours = reference === null ? {} : { refund: reference }
  const given = { kind: "refund", id, amount, state: "settled", ...ours } as const
  if (status === "failed" || status === "canceled") {
    // The money that comes back has no id of its own: it is derived from the refund's.
    return [given, { ...given, kind: "reinstatement", id: `${id}:failed` }]
  }
  return [status === "succeeded" || reference === null ? given : { ...given, state: "pending" }]
}

interface Withdrawal {
  readonly isWithdrawn: boolean
  readonly isReinstated: boolean
}

const isBack = ({ amount }: Dispute["balance_transactions"][number]): boolean =>
  !amount.startsWith("-") && amount !== "0"

/** An inquiry (`warning_…`) withdraws nothing. Without balance transactions the status tells. */
const withdrawalOf = ({ balance_transactions: moved, status }: Dispute): Withdrawal => {
  if (moved.length > 0) {
    const isReinstated = moved.some(isBack)
    return { isWithdrawn: isReinstated || moved.some(({ amount }) => amount.startsWith("-")), isReinstated }
  }
  const isWithdrawn = ["needs_response", "under_review", "won", "lost"].includes(status ?? "")
  return { isWithdrawn, isReinstated: status === "won" }
}

/**
 * A dispute that is lost still gives back what the payer was refunded before it. How much of the payment that is, only
 * balance transactions in its own currency tell.
 */
const reinstatedBy = ({ amount, balance_transactions: moved, currency, status }: Dispute): Money | null => {
  if (status !== "lost") return moneyOf(amount, currency)
  const back = moved.filter(isBack)
  const sum = back.reduce((all, one) => all + BigInt(one.amount), 0n)
  return sum > 0n && back.every((one) => one.currency === currency) ? moneyOf(`${sum}`, currency) : null
}

/** The fee of a dispute is no part of the payment, and not in its amount. */
export const movementsOfDispute = (
  dispute: Dispute,
  withdrawal: Withdrawal = withdrawalOf(dispute)
): ReadonlyArray<Movement> => {
  const { id } = dispute
  const amount = moneyOf(dispute.amount, dispute.currency)
  if (amount === null) return []
  const back = withdrawal.isReinstated ? reinstatedBy(dispute) : null
  const about = { id, state: "settled" } as const
  return [
    ...(withdrawal.isWithdrawn ? [{ ...about, kind: "reversal", amount } as const] : []),
    ...(back === null ? [] : [{ ...about, kind: "reinstatement", amount: back } as const])
  ]
}

/** Lists of a charge that are not empty. */
export const listsOf = (intent: Intent): { readonly hasRefunds: boolean; readonly hasDisputes: boolean } => {
  const charge = chargeOf(intent)
  return { hasRefunds: !["", "0"].includes(charge?.amount_refunded ?? ""), hasDisputes: charge?.disputed === true }
}
