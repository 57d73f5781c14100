/** Every way in which a request can fail on purpose. The HTTP layer turns each into one status, code and message. */
import { Data, Duration } from "effect"
import type { PaymentId, TransactionId } from "./Ids.ts"
import { currencyOf, kindOf, type LedgerAccount } from "./Ledger.ts"
import { busyRetryAfter } from "./policies/DatabasePolicies.ts"
import type { Rate } from "./Exchange.ts"

export const codes = {
  VALIDATION_ERROR: 400,
  RATE_MISMATCH: 400,
  OTP_INVALID: 400,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  INVALID_STATE: 409,
  INSUFFICIENT_FUNDS: 409,
  IDEMPOTENCY_CONFLICT: 409,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  ROUTING_CONFIG_NOT_FOUND: 422,
  RATE_LIMITED: 429,
  INTERNAL_ERROR: 500,
  ALL_PROVIDERS_FAILED: 502,
  SERVICE_UNAVAILABLE: 503
} as const

export type Code = keyof typeof codes

interface Words {
  readonly message: string
}

/** Once a payment exists, its ids go with the answer. */
interface OfPayment {
  readonly paymentId?: PaymentId
  readonly transactionId?: TransactionId
}

export class Invalid extends Data.TaggedError("Invalid")<Words> {
  readonly code = "VALIDATION_ERROR"
}

/** A rate that is unknown, expired, locked for something else, or does not give the amounts that were sent. */
export class RateMismatch extends Data.TaggedError("RateMismatch")<Words & OfPayment> {
  readonly code = "RATE_MISMATCH"
}

/** A wrong one-time password. */
export class OtpInvalid extends Data.TaggedError("OtpInvalid")<Words & OfPayment> {
  readonly code = "OTP_INVALID"
}

export class Unauthorized extends Data.TaggedError("Unauthorized")<Words> {
  readonly code = "UNAUTHORIZED"
}

export class Forbidden extends Data.TaggedError("Forbidden")<Words> {
  readonly code = "FORBIDDEN"
}

export class NotFound extends Data.TaggedError("NotFound")<Words> {
  readonly code = "NOT_FOUND"
}

/** `rate`: the one that it could go on at, if it is accepted. */
export class Conflict extends Data.TaggedError("Conflict")<Words & OfPayment & { readonly rate?: Rate }> {
  readonly code = "INVALID_STATE"
}

/** Hint in the refusal: how to get funds. */
const wayToFunds = (account: LedgerAccount): string => {
  switch (kindOf(account)) {
    case "settlement":
      return `: collect payins in ${currencyOf(account)}, convert from another currency with org_rate_id, or ask the operator of the service for a higher limit`
    case "virtual":
      return ": transfer to the account; in the sandbox, simulate a deposit"
    case "escrow":
      return ": fund the escrow"
    default:
      return ""
  }
}

/** An account of the books would pass its floor. Nothing was posted. */
export class InsufficientFunds extends Data.TaggedError("InsufficientFunds")<
  OfPayment & { readonly account: LedgerAccount }
> {
  readonly code = "INSUFFICIENT_FUNDS"
  override get message(): string {
    const { account } = this
    return `Not enough money: the ${currencyOf(account)} balance does not cover this. Send less, or add funds first${wayToFunds(account)}.`
  }
}

/** The key was used for something else, or is being used right now: only then it is worth trying again, after a while. */
export class IdempotencyConflict extends Data.TaggedError("IdempotencyConflict")<
  Words & { readonly retryAfterSeconds?: number }
> {
  readonly code = "IDEMPOTENCY_CONFLICT"
}

export class TooLarge extends Data.TaggedError("TooLarge")<Words & { readonly closeConnection: boolean }> {
  readonly code = "PAYLOAD_TOO_LARGE"
}

/** A body in an encoding that is not understood. */
export class UnsupportedMediaType extends Data.TaggedError("UnsupportedMediaType")<Words> {
  readonly code = "UNSUPPORTED_MEDIA_TYPE"
}

export class RateLimited extends Data.TaggedError("RateLimited")<Words & { readonly retryAfterSeconds: number }> {
  readonly code = "RATE_LIMITED"
}

export class NoRoute extends Data.TaggedError("NoRoute")<Words & OfPayment> {
  readonly code = "ROUTING_CONFIG_NOT_FOUND"
}

/** The payment exists and has failed: its ids go with the answer, so that it can be looked up. */
export class AllProvidersFailed extends Data.TaggedError("AllProvidersFailed")<
  Words & { readonly paymentId: PaymentId; readonly transactionId: TransactionId }
> {
  readonly code = "ALL_PROVIDERS_FAILED"
}

/** A rule, a block list or the screening refused the payment, which is `rejected`. Not for the payer's eyes. */
export class RefusedByRule extends Data.TaggedError("RefusedByRule")<
  Words & { readonly paymentId: PaymentId; readonly transactionId: TransactionId }
> {
  readonly code = "INVALID_STATE"
}

interface Later extends Words {
  readonly retryAfterSeconds: number
  /** For the log; it leaves the process in no answer. */
  readonly cause?: unknown
}

/** Rejected for lack of capacity or time. Nothing was written, and a later try may succeed. */
export class Busy extends Data.TaggedError("Busy")<Later> {
  readonly code = "SERVICE_UNAVAILABLE"
}

/** The connection to the database was cut. Nothing was written. */
export class NotWritten extends Data.TaggedError("NotWritten")<Later> {
  readonly code = "SERVICE_UNAVAILABLE"
}

/** The database was lost while something was written, or busy once a provider was asked: only a look can tell. */
export class MaybeWritten extends Data.TaggedError("MaybeWritten")<Later> {
  readonly code = "SERVICE_UNAVAILABLE"
}

/** Failures of the database. Only after `MaybeWritten` can a repeated request act twice. */
export type DatabaseFailure = Busy | NotWritten | MaybeWritten

export const isDatabaseFailure = (error: unknown): error is DatabaseFailure =>
  error instanceof Busy || error instanceof NotWritten || error instanceof MaybeWritten

export type Failure =
  | Invalid
  | RateMismatch
  | OtpInvalid
  | Unauthorized
  | Forbidden
  | NotFound
  | Conflict
  | InsufficientFunds
  | IdempotencyConflict
  | TooLarge
  | UnsupportedMediaType
  | NoRoute
  | RateLimited
  | AllProvidersFailed
  | RefusedByRule
  | DatabaseFailure

const laterWith = (message: string, cause: unknown): Later => ({
  message,
  retryAfterSeconds: Duration.toSeconds(busyRetryAfter),
  ...(cause === undefined ? {} : { cause })
})

const nothingDone = "The service is busy and has done nothing for this request. Send it again in a few seconds."

export const busy = (cause?: unknown): Busy => new Busy(laterWith(nothingDone, cause))

export const notWritten = (cause?: unknown): NotWritten => new NotWritten(laterWith(nothingDone, cause))

export const maybeWritten = (cause?: unknown): MaybeWritten =>
  new MaybeWritten(
    laterWith(
      "The database was lost or too busy while this was written, and whether it was is unknown. Look it up before you send it again. Only what moves money can be sent again without a look, with the same Idempotency-Key.",
      cause
    )
  )

/** Same message for every wrong credential or signature, so an attacker learns nothing from it. */
export const unauthorized = (): Unauthorized =>
  new Unauthorized({
    message:
      "Missing or invalid credentials. Send both headers, Authorization and X-Api-Key; the one that is not used holds NONE."
  })

/** Same message for every id that the caller cannot see, existing or not. */
export const notFound = (what: string): NotFound => new NotFound({ message: `No ${what} with this id.` })
