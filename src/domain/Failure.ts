/** Every way in which a request can fail on purpose. The HTTP layer turns each into one status, code and message. */
import { Data } from "effect"

export const codes = {
  VALIDATION_ERROR: 400,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  INVALID_STATE: 409,
  PAYLOAD_TOO_LARGE: 413,
  RATE_LIMITED: 429,
  INTERNAL_ERROR: 500
} as const

export type Code = keyof typeof codes

interface Words {
  readonly message: string
}

export class Invalid extends Data.TaggedError("Invalid")<Words> {
  readonly code = "VALIDATION_ERROR"
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

export class Conflict extends Data.TaggedError("Conflict")<Words> {
  readonly code = "INVALID_STATE"
}

export class TooLarge extends Data.TaggedError("TooLarge")<Words & { readonly closeConnection: boolean }> {
  readonly code = "PAYLOAD_TOO_LARGE"
}

export class RateLimited extends Data.TaggedError("RateLimited")<Words & { readonly retryAfterSeconds: number }> {
  readonly code = "RATE_LIMITED"
}

export type Failure = Invalid | Unauthorized | Forbidden | NotFound | Conflict | TooLarge | RateLimited

/** One sentence for every id that the caller cannot see, whether it belongs to someone else or to nobody. */
export const notFound = (what: string): NotFound => new NotFound({ message: `No ${what} with this id.` })
