/** Why a payment can have failed, in words that stay the same. */
export const failureCodes = {
  PROVIDER_DECLINED: "the last provider that was asked refused it",
  NOT_SENT: "there was no time left to send it to a provider, so nobody was asked",
  PROVIDER_FAILED: "a provider took it and reported later that it failed",
  NEVER_RECEIVED: "a provider that had not answered says that it never had it",
  NOT_SETTLED: "a ramp was paid for, and nobody settles it",
  UNDERPAID: "less arrived than was asked for",
  OTP_EXHAUSTED: "the one-time password was wrong too often",
  REJECTED: "a reviewer turned it away",
  ROUTING_CONFIG_NOT_FOUND: "no provider served it any more once it was reviewed",
  RESOLVED_AS_FAILED: "an operator settled it by hand"
} as const

export type FailureCode = keyof typeof failureCodes
