/** Error bodies as they are on the wire, for the typed client and the API reference. */
import { HttpApiSchema } from "@effect/platform"
import { Schema } from "effect"
import { PaymentId, TransactionId } from "../../domain/Ids.ts"
import { WireDecimal } from "../../domain/Decimal.ts"

export const meanings = {
  400: "A field is missing or invalid; the message names it",
  401: "Missing, malformed or expired credentials, or incomplete headers",
  403: "The credential lacks the role, permission or feature",
  404: "Not found, or not visible to the caller",
  409: "Conflicts with the current state",
  413: "Body over 256 KiB",
  415: "Unsupported `Content-Encoding` of the body",
  429: "Too many requests, or too many payment prompts for one phone number; Retry-After is the wait in seconds",
  500: "Unexpected failure; `error` is the correlation id to quote",
  503: "Overloaded; nothing was done, unless the message says that the outcome is unknown. Retry-After is the wait in seconds"
} as const

type Status = keyof typeof meanings

const standard = (status: Status) =>
  Schema.Struct({ status: Schema.Literal("error"), message: Schema.String }).annotations(
    HttpApiSchema.annotations({ status, description: meanings[status] })
  )

export const BadRequest = standard(400)
export const Unauthorized = standard(401)
export const Forbidden = standard(403)
export const NotFound = standard(404)
export const Conflict = standard(409)
export const PayloadTooLarge = standard(413)
export const UnsupportedMediaType = standard(415)
export const TooManyRequests = standard(429)
export const ServiceUnavailable = standard(503)
export const InternalError = Schema.Struct({
  status: Schema.Literal("error"),
  message: Schema.String,
  error: Schema.String
}).annotations(HttpApiSchema.annotations({ status: 500, description: meanings[500] }))

const coded = {
  status: Schema.Literal("error"),
  error: Schema.String,
  message: Schema.String,
  code: Schema.String
}

export const InitiationBadRequest = Schema.Struct(coded).annotations(
  HttpApiSchema.annotations({ status: 400, description: meanings[400] })
)

export const InitiationNotFound = Schema.Struct(coded).annotations(
  HttpApiSchema.annotations({ status: 404, description: meanings[404] })
)

const ofPayment = {
  payment_id: Schema.optionalWith(PaymentId, { exact: true }),
  transaction_id: Schema.optionalWith(TransactionId, { exact: true })
}

export const InitiationConflict = Schema.Struct({
  ...coded,
  ...ofPayment,
  rate: Schema.optionalWith(WireDecimal, { exact: true }).annotations({
    description: "Extension. New rate, to be sent as `accept_rate` with `review`"
  })
}).annotations(HttpApiSchema.annotations({ status: 409, description: meanings[409] }))

export const NoRoute = Schema.Struct(coded).annotations(
  HttpApiSchema.annotations({ status: 422, description: "No routing configuration for the payment's corridor" })
)

export const AllProvidersFailed = Schema.Struct({
  ...coded,
  payment_id: PaymentId,
  transaction_id: TransactionId
}).annotations(
  HttpApiSchema.annotations({ status: 502, description: "Every candidate declined; the payment is `failed`" })
)

/** Initiation endpoints return errors with a code, and act for the credential's organisation. */
export const isInitiationPath = (path: string): boolean =>
  path === "/v1/payments-init" || path.startsWith("/v1/payments-init/")
