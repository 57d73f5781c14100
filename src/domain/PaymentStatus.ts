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

/** Correction by an operator: a ramp that was paid out after it had failed. */
export const canCorrect = (from: PaymentStatus, to: PaymentStatus): boolean => from === "failed" && to === "completed"

/** Final for providers, except for refunds of completed payments. */
export const isFinal = (status: PaymentStatus): boolean => status === "completed" || transitions[status].length === 0

/** Reasons of refusals by providers. Uncertain ones have none. */
const refusalCodes = {
  INSUFFICIENT_FUNDS: "the payer's account does not hold enough",
  CARD_DECLINED: "the card's issuer refused it",
  CARD_EXPIRED: "the card has expired",
  CARD_INVALID: "the card's number, expiry or security code is wrong",
  AUTHENTICATION_FAILED: "the payer did not prove who they are",
  NOT_APPROVED: "the payer turned it down, or did not answer in time",
  ACCOUNT_INVALID: "the account or number is unknown, closed or cannot take part",
  LIMIT_EXCEEDED: "a limit of the account or of the provider was reached",
  SUSPECTED_FRAUD: "it was taken for fraud, or the law forbids it",
  PROVIDER_BALANCE_LOW: "our own account at the provider does not hold enough",
  NOT_SUPPORTED: "the provider does not do this kind of payment",
  INVALID_ORDER: "the provider found the order itself wrong",
  CREDENTIALS_REFUSED: "the provider did not take our credentials",
  PROVIDER_BUSY: "the provider was asked too often",
  PROVIDER_UNAVAILABLE: "the provider could not be reached, or says that it is down"
} as const

export type RefusalCode = keyof typeof refusalCodes

export const refusalCodeNames = Object.keys(refusalCodes) as ReadonlyArray<RefusalCode>

/** Why a payment can have failed, in words that stay the same. */
export const failureCodes = {
  ...refusalCodes,
  PROVIDER_DECLINED: "the last provider that was asked refused it",
  NOT_SENT: "no time was left to send it to a provider, and none was called",
  PROVIDER_FAILED: "a provider took it and reported later that it failed",
  NEVER_RECEIVED: "the provider confirmed that it never received the order",
  NOT_SETTLED: "the customer paid for a ramp and no provider could pay it out",
  UNDERPAID: "less arrived than was asked for",
  EXPIRED: "the customer did not pay in time",
  OTP_EXHAUSTED: "the one-time password was wrong too often",
  REJECTED: "a reviewer, a rule or a block list turned it away",
  ROUTING_CONFIG_NOT_FOUND: "no provider served it any more once it was reviewed",
  RESOLVED_AS_FAILED: "an operator resolved it by hand"
} as const

export type FailureCode = keyof typeof failureCodes
