/** What all of Circle's answers share: their form, their refusals, and what an order comes to. */
import { Option, Schema } from "effect"
import { Accepted, Declined, type Outcome, type Report, Unknown } from "../../domain/Outcome.ts"
import type { ProviderReply } from "../client/ProviderHttp.ts"
import { credentialsRefused, noVerdict } from "../client/ProviderReplies.ts"

export const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { nullable: true })

export const Amount = Schema.Struct({ amount: Schema.String, currency: Schema.String })

/** Everything is in `data`. */
export const enclosed = <A, I>(schema: Schema.Schema<A, I>) =>
  Schema.decodeUnknownEither(Schema.Struct({ data: schema }))

const decodeProblem = Schema.decodeUnknownOption(
  Schema.Struct({ code: optional(Schema.String), message: optional(Schema.String) })
)

/** What is refused before anything was made. */
export const refusalOf = (reply: ProviderReply): Declined | Unknown => {
  const { code, message } = Option.getOrElse(decodeProblem(reply.json), (): { code?: string; message?: string } => ({}))
  switch (reply.status) {
    case 400:
    case 404:
      return new Declined({
        reason: message ?? `HTTP ${reply.status}`,
        code: "INVALID_ORDER",
        providerCode: code ?? `${reply.status}`
      })
    case 401:
    case 403:
      return credentialsRefused(reply)
    case 409:
      return new Unknown({ reason: "Circle has another order under this key, or still works on it" })
    default:
      return noVerdict(reply)
  }
}

export const unreadable = (reply: ProviderReply): Unknown => noVerdict(reply, "whose body cannot be read")

/** `isInstruments`: where it failed, that is for the recipient's address. */
export const acceptedAs = (
  report: Report,
  answer: Pick<Accepted, "nextAction" | "actionData">,
  isInstruments = false
): Outcome => {
  const {
    code,
    fee,
    movements,
    providerCode,
    providerData = {},
    providerPaymentId,
    providerStatus,
    reason,
    state
  } = report
  if (state === "failed" || state === "returned") {
    return new Declined({
      reason: reason ?? "Circle says that it failed",
      ...(code === undefined ? {} : { code }),
      ...(providerCode === undefined ? {} : { providerCode }),
      ...(providerPaymentId === null ? {} : { providerPaymentId }),
      ...(isInstruments ? { instrument: true } : {})
    })
  }
  return new Accepted({
    ...answer,
    providerData,
    state,
    providerPaymentId,
    providerStatus,
    ...(movements === undefined ? {} : { movements }),
    ...(fee === undefined ? {} : { fee })
  })
}
