/** Every error of the document in the shape that it has on the wire, with the codes that it may carry. */
import type { OpenApi, OpenApiJsonSchema as JsonSchema } from "@effect/platform"
import { meanings as statusMeanings } from "../api/Errors.ts"
import { type Code, codes } from "../../domain/Failure.ts"
import { isInitiation } from "../api/Initiation.ts"
import { errorExamples } from "./ErrorExamples.ts"

type Schemas = Record<string, JsonSchema.JsonSchema>

export const codeMeanings: Readonly<Record<Code, string>> = {
  VALIDATION_ERROR: "something in the request is missing or wrong",
  RATE_MISMATCH: "the rate was used, has expired or does not fit the amounts: look it up again",
  OTP_INVALID: "that is not the one-time password",
  UNAUTHORIZED: "no valid credential",
  FORBIDDEN: "the credential's role does not suffice",
  NOT_FOUND: "no such payment",
  INVALID_STATE: "the payment's state does not allow it",
  INSUFFICIENT_FUNDS: "the balance does not cover it: the message says how to add funds",
  IDEMPOTENCY_CONFLICT: "the Idempotency-Key was used for another body, or its first request is still running",
  PAYLOAD_TOO_LARGE: "the body is too large",
  UNSUPPORTED_MEDIA_TYPE: "the body is packed in a way that is not understood",
  ROUTING_CONFIG_NOT_FOUND: "no routing configuration for the corridor",
  RATE_LIMITED: "too many requests",
  INTERNAL_ERROR: "something went wrong on our side; `error` is the correlation id to quote",
  ALL_PROVIDERS_FAILED: "the primary provider and all fallbacks declined it",
  SERVICE_UNAVAILABLE: "overloaded, and nothing was done; or the outcome is unknown, and the message says so"
}

const allCodes = Object.keys(codes) as ReadonlyArray<Code>

const status = { type: "string", enum: ["error"] }
const message = { type: "string", description: "What is wrong, and what to change; it names the field" }

const codeWords = allCodes.map((code) => `- \`${code}\` (${codes[code]}): ${codeMeanings[code]}`).join("\n")

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
      error: { type: "string", description: "The same as `message`; of a 500 the correlation id to quote" },
      message,
      code: { type: "string", enum: allCodes, description: codeWords },
      payment_id: { type: "string", format: "uuid", description: "Once a payment exists" },
      transaction_id: { type: "string", format: "uuid", description: "Once a payment exists" },
      rate: {
        type: "number",
        description: "Extension. The rate that a `review` goes on at when it is sent as `accept_rate`"
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

/** The platform calls a success by the name of its schema, and a 400 by what its own decoder makes of it. */
const inOurWords = (wanted: string, response: Response): Response => {
  if (wanted === "400") return { ...response, description: statusMeanings[400] }
  return wanted.startsWith("2") ? { ...response, description: "Success" } : response
}

/** `path` is the endpoint's own, with its version. */
export const withErrors = (path: string, responses: Responses): Responses =>
  Object.fromEntries(
    Object.entries(responses).map(([wanted, response]) => {
      const described = inOurWords(wanted, response)
      if (wanted.startsWith("2")) return [wanted, described]
      return [wanted, isInitiation(path) ? initiationError(described, wanted) : standardError(described, wanted)]
    })
  )

export const errorSchemas = schemas as unknown as Schemas
