/** An error of each status as callers meet it, so that a reader sees more of an operation than its success. */
import { type Code, codes, busy, unauthorized } from "../../domain/Failure.ts"

interface Refusal {
  readonly summary: string
  readonly code: Code
  readonly message: string
}

const refusals: ReadonlyArray<Refusal> = [
  { summary: "A field is missing", code: "VALIDATION_ERROR", message: "amount: is missing." },
  {
    summary: "A rate that has run out",
    code: "RATE_MISMATCH",
    message: "org_rate_id: this rate has expired; look it up again."
  },
  { summary: "A wrong password", code: "OTP_INVALID", message: "otp: that is not the one-time password." },
  { summary: "No valid credential", code: "UNAUTHORIZED", message: unauthorized().message },
  { summary: "Another role", code: "FORBIDDEN", message: "Only a platform admin may do this." },
  { summary: "No such id", code: "NOT_FOUND", message: "No payment with this id." },
  {
    summary: "Not in this state",
    code: "INVALID_STATE",
    message: "The payment is completed, which does not allow this."
  },
  {
    summary: "Not enough money",
    code: "INSUFFICIENT_FUNDS",
    message: "Not enough money: the KES balance does not cover this. Send less, or add funds first."
  },
  {
    summary: "A key that was used for another body",
    code: "IDEMPOTENCY_CONFLICT",
    message: "This Idempotency-Key was used for another request."
  },
  { summary: "A large body", code: "PAYLOAD_TOO_LARGE", message: "The body is larger than 256 KiB." },
  { summary: "A packed body", code: "UNSUPPORTED_MEDIA_TYPE", message: "Send the body without a Content-Encoding." },
  {
    summary: "No provider serves the corridor",
    code: "ROUTING_CONFIG_NOT_FOUND",
    message: "No provider serves card payins in FR."
  },
  { summary: "Too many requests", code: "RATE_LIMITED", message: "Too many requests. Try again in 3 seconds." },
  { summary: "A mistake of ours", code: "INTERNAL_ERROR", message: "Something went wrong on our side." },
  {
    summary: "Everybody declined",
    code: "ALL_PROVIDERS_FAILED",
    message: "Every provider of this corridor declined the payment. Nothing was moved; the timeline says why."
  },
  { summary: "Too busy", code: "SERVICE_UNAVAILABLE", message: busy().message }
]

const CORRELATION = "0199c2a5-0c11-7d2f-8b10-1a2b3c4d5e6f"

const ofPayment = {
  payment_id: "0199c2a5-0c11-7d20-8f10-3b2c1d0e9f88",
  transaction_id: "0199c2a5-0c11-7d21-9a41-7c6b5a493827"
}

/** What only an initiation or an action can meet. */
const initiationOnly: ReadonlyArray<Code> = ["RATE_MISMATCH", "OTP_INVALID", "INSUFFICIENT_FUNDS"]

/** By the name of the schema that it has. */
const bodyOf = ({ code, message }: Refusal, shape: "Error" | "InternalError" | "InitiationError") => {
  if (shape === "Error") return { status: "error", message }
  if (shape === "InternalError") return { status: "error", message, error: CORRELATION }
  return {
    ...{ status: "error", error: code === "INTERNAL_ERROR" ? CORRELATION : message, message, code },
    ...(code === "ALL_PROVIDERS_FAILED" ? ofPayment : {})
  }
}

export const errorExamples = (status: string, shape: "Error" | "InternalError" | "InitiationError") =>
  Object.fromEntries(
    refusals
      .filter(({ code }) => String(codes[code]) === status)
      .filter(({ code }) => shape === "InitiationError" || !initiationOnly.includes(code))
      .map((refusal) => [refusal.code.toLowerCase(), { summary: refusal.summary, value: bodyOf(refusal, shape) }])
  )
