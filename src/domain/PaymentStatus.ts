/** The life of a payment: one table, which the database holds too. */
export const paymentStatuses = [
  "initiated",
  "reviewed",
  "confirmed",
  "processing",
  "pending",
  "completed",
  "failed",
  "refunded",
  "rejected",
  "canceled"
] as const

export type PaymentStatus = (typeof paymentStatuses)[number]

export const transitions: Readonly<Record<PaymentStatus, ReadonlyArray<PaymentStatus>>> = {
  initiated: ["reviewed", "confirmed", "processing", "pending", "completed", "failed", "rejected", "canceled"],
  reviewed: ["confirmed", "rejected", "canceled"],
  confirmed: ["processing", "pending", "completed", "failed", "canceled"],
  processing: ["pending", "completed", "failed", "canceled"],
  pending: ["processing", "completed", "failed", "canceled"],
  completed: ["refunded"],
  failed: [],
  refunded: [],
  rejected: [],
  canceled: []
}

export const canMove = (from: PaymentStatus, to: PaymentStatus): boolean => transitions[from].includes(to)

/** What an operator alone can put right: a ramp that was settled after it had failed. */
export const canCorrect = (from: PaymentStatus, to: PaymentStatus): boolean => from === "failed" && to === "completed"

/** Nothing that a provider says can move a payment out of these, other than giving completed money back. */
export const isSettled = (status: PaymentStatus): boolean => status === "completed" || transitions[status].length === 0
