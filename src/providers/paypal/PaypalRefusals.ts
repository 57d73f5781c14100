/** PayPal's error codes and our refusal codes. */
import { Option, Schema } from "effect"
import type { RefusalCode } from "../../domain/PaymentStatus.ts"
import { Declined, Unknown } from "../../domain/Outcome.ts"
import type { ProviderReply } from "../client/ProviderHttp.ts"
import { credentialsRefused, noVerdict } from "../client/ProviderReplies.ts"
import { meaningOf, optional, optionalText } from "../port/WireValues.ts"

const readProblem = Schema.decodeUnknownOption(
  Schema.Struct({
    name: Schema.String,
    message: optionalText,
    details: optional(
      Schema.Array(Schema.Struct({ field: optionalText, issue: optionalText, description: optionalText }))
    ),
    links: optional(Schema.Array(Schema.Struct({ href: Schema.String, rel: optionalText })))
  })
)

export interface Problem {
  readonly name: string
  readonly issue: string | undefined
  readonly field: string | undefined
  readonly reason: string
  readonly links: ReadonlyArray<{ readonly href: string; readonly rel?: string | undefined }>
}

export const problemIn = ({ json }: ProviderReply): Problem | undefined =>
  Option.getOrUndefined(
    Option.map(readProblem(json), ({ details, links, message, name }) => ({
      name,
      issue: details?.[0]?.issue,
      field: details?.[0]?.field,
      reason: details?.[0]?.description ?? details?.[0]?.issue ?? message ?? name,
      links: links ?? []
    }))
  )

/** Issues after which nothing is captured any more; null: no certain code of ours. */
const ends: Readonly<Record<string, RefusalCode | null>> = {
  INSTRUMENT_DECLINED: "CARD_DECLINED",
  PAYMENT_SOURCE_DECLINED_BY_PROCESSOR: "CARD_DECLINED",
  CARD_EXPIRED: "CARD_EXPIRED",
  PAYER_CANNOT_PAY: "ACCOUNT_INVALID",
  PAYER_ACCOUNT_RESTRICTED: "ACCOUNT_INVALID",
  PAYER_ACCOUNT_LOCKED_OR_CLOSED: "ACCOUNT_INVALID",
  TRANSACTION_LIMIT_EXCEEDED: "LIMIT_EXCEEDED",
  TRANSACTION_RECEIVING_LIMIT_EXCEEDED: "LIMIT_EXCEEDED",
  MAX_NUMBER_OF_PAYMENT_ATTEMPTS_EXCEEDED: "LIMIT_EXCEEDED",
  COMPLIANCE_VIOLATION: "SUSPECTED_FRAUD",
  PAYEE_BLOCKED_TRANSACTION: "SUSPECTED_FRAUD",
  TRANSACTION_BLOCKED_BY_PAYEE: "SUSPECTED_FRAUD",
  TRANSACTION_REFUSED: null,
  DECLINED_DUE_TO_RELATED_TXN: null,
  PAYEE_ACCOUNT_RESTRICTED: null,
  PAYEE_ACCOUNT_LOCKED_OR_CLOSED: null,
  PAYEE_ACCOUNT_INVALID: null
}

/** Undefined where the issue is not final. */
export const endBy = (issue: string | undefined): { readonly code?: RefusalCode } | undefined => {
  const code = meaningOf(ends, issue)
  if (code === undefined) return undefined
  return code === null ? {} : { code }
}

/** Names of errors of payouts, and of the items that failed. */
const payoutCodes: Readonly<Record<string, RefusalCode>> = {
  INSUFFICIENT_FUNDS: "PROVIDER_BALANCE_LOW",
  RECEIVER_ACCOUNT_LOCKED: "ACCOUNT_INVALID",
  RECEIVER_COUNTRY_NOT_ALLOWED: "ACCOUNT_INVALID",
  RECEIVER_UNCONFIRMED: "ACCOUNT_INVALID",
  RECEIVER_STATE_RESTRICTED: "ACCOUNT_INVALID",
  RISK_DECLINE: "SUSPECTED_FRAUD"
}

export const payoutCode = (name: string | undefined): RefusalCode | undefined => meaningOf(payoutCodes, name)

const codeOf = ({ field, issue, name }: Problem): RefusalCode => {
  const known = endBy(issue)?.code ?? payoutCode(name)
  if (known !== undefined) return known
  if (/receiver/.test(field ?? "")) return "ACCOUNT_INVALID"
  return /NOT_SUPPORTED|NOT_ENABLED|UNSUPPORTED/.test(issue ?? "") ? "NOT_SUPPORTED" : "INVALID_ORDER"
}

/** There is an order under this key or invoice already, which may have been paid. */
const seenBefore: ReadonlySet<string> = new Set([
  "DUPLICATE_INVOICE_ID",
  "DUPLICATE_REQUEST_ID",
  "ORDER_ALREADY_CAPTURED",
  "ORDER_COMPLETION_IN_PROGRESS",
  "PREVIOUS_REQUEST_IN_PROGRESS"
])

/** A definite refusal before anything moved, or unknown. */
export const refused = (reply: ProviderReply): Declined | Unknown => {
  if (reply.status === 401 || reply.status === 403) return credentialsRefused(reply)
  const problem = problemIn(reply)
  if (problem === undefined || (reply.status !== 400 && reply.status !== 422)) return noVerdict(reply)
  if (seenBefore.has(problem.issue ?? "")) return new Unknown({ reason: `it was seen before: ${problem.reason}` })
  return new Declined({
    reason: problem.reason,
    code: codeOf(problem),
    providerCode: problem.issue ?? problem.name
  })
}
