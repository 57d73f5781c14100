/** Errors in the document: schemas as on the wire, codes and examples. */
import type { OpenApi, OpenApiJsonSchema as JsonSchema } from "@effect/platform"
import { meanings as statusMeanings, isInitiationPath } from "../api/ErrorSchemas.ts"
import { type Code, codes, busy, unauthorized } from "../../domain/Failure.ts"

/** Example of an error. */
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
  {
    summary: "A compressed body",
    code: "UNSUPPORTED_MEDIA_TYPE",
    message: "Send the body without a Content-Encoding."
  },
  {
    summary: "No provider serves the corridor",
    code: "ROUTING_CONFIG_NOT_FOUND",
    message: "No provider serves card payins in FR."
  },
  { summary: "Too many requests", code: "RATE_LIMITED", message: "Too many requests. Try again in 3 seconds." },
  { summary: "Internal error", code: "INTERNAL_ERROR", message: "Something went wrong on our side." },
  {
    summary: "All providers declined",
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

/** Codes of initiations and actions only. */
const initiationOnly: ReadonlyArray<Code> = ["RATE_MISMATCH", "OTP_INVALID", "INSUFFICIENT_FUNDS"]

/** Body of an error in one of the schemas. */
const bodyOf = ({ code, message }: Refusal, shape: "Error" | "InternalError" | "InitiationError") => {
  if (shape === "Error") return { status: "error", message }
  if (shape === "InternalError") return { status: "error", message, error: CORRELATION }
  return {
    ...{ status: "error", error: code === "INTERNAL_ERROR" ? CORRELATION : message, message, code },
    ...(code === "ALL_PROVIDERS_FAILED" ? ofPayment : {})
  }
}

const errorExamples = (status: string, shape: "Error" | "InternalError" | "InitiationError") =>
  Object.fromEntries(
    refusals
      .filter(({ code }) => String(codes[code]) === status)
      .filter(({ code }) => shape === "InitiationError" || !initiationOnly.includes(code))
      .map((refusal) => [refusal.code.toLowerCase(), { summary: refusal.summary, value: bodyOf(refusal, shape) }])
  )

type Schemas = Record<string, JsonSchema.JsonSchema>

export const codeMeanings: Readonly<Record<Code, string>> = {
  VALIDATION_ERROR: "a field is missing or invalid",
  RATE_MISMATCH: "the rate was used, has expired or does not fit the amounts: look it up again",
  OTP_INVALID: "wrong one-time password",
  UNAUTHORIZED: "no valid credential",
  FORBIDDEN: "the credential's role does not suffice",
  NOT_FOUND: "no such payment",
  INVALID_STATE: "not allowed in the current status; an initiation: refused by a rule",
  INSUFFICIENT_FUNDS: "insufficient balance; the message says how to add funds",
  IDEMPOTENCY_CONFLICT: "the Idempotency-Key was used for another body, or its first request is still running",
  PAYLOAD_TOO_LARGE: "the body is too large",
  UNSUPPORTED_MEDIA_TYPE: "unsupported Content-Encoding of the body",
  ROUTING_CONFIG_NOT_FOUND: "no routing configuration for the corridor",
  RATE_LIMITED: "too many requests",
  INTERNAL_ERROR: "unexpected failure; `error` is the correlation id to quote",
  ALL_PROVIDERS_FAILED: "every provider of the route declined",
  SERVICE_UNAVAILABLE: "overloaded, nothing was done; or the outcome is unknown, as the message says"
}

const allCodes = Object.keys(codes) as ReadonlyArray<Code>

const status = { type: "string", enum: ["error"] }
const message = { type: "string", description: "What is wrong and how to fix it, with the name of the field" }

const codeList = allCodes.map((code) => `- \`${code}\` (${codes[code]}): ${codeMeanings[code]}`).join("\n")

const schemas = {
  Error: { type: "object", required: ["status", "message"], properties: { status, message } },
  InternalError: {
    type: "object",
    required: ["status", "message", "error"],
    properties: { status, message, error: { type: "string", description: "The correlation id to quote" } }
  },
  InitiationError: {
    type: "object",
    description: "The body of every error under `/payments-init`.",
    required: ["status", "error", "message", "code"],
    properties: {
      status,
      error: { type: "string", description: "The same as `message`; for a 500 the correlation id to quote" },
      message,
      code: { type: "string", enum: allCodes, description: codeList },
      payment_id: { type: "string", format: "uuid", description: "Once a payment exists" },
      transaction_id: { type: "string", format: "uuid", description: "Once a payment exists" },
      rate: {
        type: "number",
        description: "Extension. New rate, to be sent as `accept_rate` with `review`"
      }
    }
  }
} as const

const refTo = (name: keyof typeof schemas) => ({ $ref: `#/components/schemas/${name}` })

type Responses = OpenApi.OpenAPISpecOperation["responses"]
type Response = Responses[number]

const shapeOf = (response: Response): string => {
  const schema = response.content?.["application/json"]?.schema as { readonly properties?: object } | undefined
  return Object.keys(schema?.properties ?? {}).join(" ")
}

const withSchema = (response: Response, name: keyof typeof schemas, wanted: string): Response =>
  ({
    ...response,
    content: { "application/json": { schema: refTo(name), examples: errorExamples(wanted, name) } }
  }) as Response

const codesOf = (wanted: string): string => {
  const fitting = allCodes.filter((code) => String(codes[code]) === wanted).map((code) => `\`${code}\``)
  return fitting.length === 0 ? "" : `. \`code\` is ${fitting.join(" or ")}`
}

const initiationError = (response: Response, wanted: string): Response => ({
  ...withSchema(response, "InitiationError", wanted),
  description: `${response.description}${codesOf(wanted)}`
})

const standardError = (response: Response, wanted: string): Response => {
  const shape = shapeOf(response)
  if (shape === "status message") return withSchema(response, "Error", wanted)
  return shape === "status message error" ? withSchema(response, "InternalError", wanted) : response
}

/** Replaces the generated descriptions of successes and of 400. */
const withPlainDescription = (wanted: string, response: Response): Response => {
  if (wanted === "400") return { ...response, description: statusMeanings[400] }
  return wanted.startsWith("2") ? { ...response, description: "Success" } : response
}

/** `path` includes the version. */
export const withErrors = (path: string, responses: Responses): Responses =>
  Object.fromEntries(
    Object.entries(responses).map(([wanted, response]) => {
      const described = withPlainDescription(wanted, response)
      if (wanted.startsWith("2")) return [wanted, described]
      return [wanted, isInitiationPath(path) ? initiationError(described, wanted) : standardError(described, wanted)]
    })
  )

export const errorSchemas = schemas as unknown as Schemas
