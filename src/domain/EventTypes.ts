/** Every kind of event that the service sends to webhook endpoints. */
export const eventTypes = [
  "payment.completed",
  "payment.failed",
  "payment.processing",
  "payment.canceled",
  "payment.refunded",
  "payment.refund_failed",
  "virtual_account.deposit",
  "virtual_account.withdrawal",
  "virtual_account.frozen",
  "virtual_account.unfrozen",
  "kyb.approved",
  "kyb.rejected",
  "kyc.approved",
  "kyc.rejected",
  "transaction.updated"
] as const

export type EventType = (typeof eventTypes)[number]
