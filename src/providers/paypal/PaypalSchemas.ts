/** Schemas, amounts and error codes that all of PayPal's answers share. */
import { Option, Schema, Either } from "effect"
import type { Money } from "../../domain/Money.ts"
import { Declined, Unknown } from "../../domain/Outcome.ts"
import type { ProviderReply } from "../client/ProviderHttp.ts"
import {
  majorText,
  minorText,
  moneyOfMajor,
  optionalText,
  meanings,
  optional,
  objectReader
} from "../client/WireValues.ts"
import { Check } from "../port/Callback.ts"
import { credentialsRefused, isMade, unknownOutcome } from "../client/ProviderReplies.ts"
import type { Granted } from "../client/AccessTokens.ts"
import type { RefusalCode } from "../../domain/PaymentStatus.ts"

export const Amount = Schema.Struct({ currency_code: Schema.String, value: Schema.String })

export const Payee = Schema.Struct({ email_address: optionalText, merchant_id: optionalText })
export type Payee = typeof Payee.Type

/** Compares two accounts; undefined where they do not say enough. */
export const isSamePayee = (own: Payee | undefined, other: Payee | undefined): boolean | undefined => {
  if (own?.merchant_id !== undefined && other?.merchant_id !== undefined) return own.merchant_id === other.merchant_id
  if (own?.email_address === undefined || other?.email_address === undefined) return undefined
  return own.email_address.toLowerCase() === other.email_address.toLowerCase()
}

export const moneyOf = (
  amount: { readonly value: string } | undefined,
  currency: string | undefined
): Money | undefined => Option.getOrUndefined(moneyOfMajor(amount?.value, currency))

/** Currencies that PayPal takes whole, whatever ISO 4217 says of them. */
const takenWhole: ReadonlySet<string> = new Set(["HUF", "JPY", "TWD"])

export const paypalDigits = (currency: string): number | undefined => (takenWhole.has(currency) ? 0 : undefined)

/** Amount as text; none if PayPal cannot represent it exactly. */
export const paypalText = (money: Money): Option.Option<string> =>
  takenWhole.has(money.currency) ? minorText(money, 0) : Option.some(majorText(money))

/** Currencies that accounts of every country hold; BRL, CNY and MYR are for accounts of their own countries alone. */
export const paypalCurrencies =
  "AUD CAD CHF CZK DKK EUR GBP HKD HUF ILS JPY MXN NOK NZD PHP PLN SEK SGD THB TWD USD".split(" ")

const readToken = objectReader({
  access_token: Schema.String,
  expires_in: Schema.NumberFromString,
  scope: optionalText
})

/** The scope of the feature Transaction search. */
export const readsBalances = "https://uri.paypal.com/services/reporting/search/read"

export const readBalances = objectReader({
  account_id: optionalText,
  balances: Schema.Array(
    Schema.Struct({ available_balance: Schema.Struct({ currency_code: Schema.String, value: Schema.String }) })
  )
})

export const tokenGranted = (
  reply: ProviderReply
): Either.Either<Granted & { readonly scope: string | undefined }, Declined> => {
  if (reply.status === 401 || reply.status === 403) return Either.left(credentialsRefused(reply))
  const token = Option.filter(readToken(reply.json), () => isMade(reply))
  return Either.fromOption(
    Option.map(token, ({ access_token, expires_in, scope }) => ({
      token: access_token,
      expiresInSeconds: expires_in,
      scope
    })),
    () =>
      new Declined({
        reason: `HTTP ${reply.status}: it gave no access token`,
        code: reply.status === 429 ? "PROVIDER_BUSY" : "PROVIDER_UNAVAILABLE",
        providerCode: `${reply.status}`
      })
  )
}

const readVerification = objectReader({ verification_status: Schema.String })

/** Result of a verification; none where the answer is not about the callback, such as an error of our own account. */
export const verification = (reply: ProviderReply): Option.Option<Check<"vendor">> => {
  // PayPal did not send a callback that it cannot parse.
  if (reply.status === 400 || reply.status === 422) return Option.some(Check.failed)
  return Option.map(readVerification(isMade(reply) ? reply.json : undefined), ({ verification_status: status }) =>
    Check.confirmed("SUCCESS", status)
  )
}

const AllLinks = Schema.Array(Schema.Struct({ href: Schema.String, rel: optionalText }))
export type Links = typeof AllLinks.Type
export const Links = optional(AllLinks)

const readProblem = objectReader({
  name: Schema.String,
  message: optionalText,
  details: optional(
    Schema.Array(
      // Payouts put the link to the batch of a duplicate here, and leave `links` empty.
      Schema.Struct({ field: optionalText, issue: optionalText, description: optionalText, link: Links })
    )
  ),
  links: Links
})

interface Problem {
  readonly name: string
  readonly issue: string | undefined
  readonly field: string | undefined
  readonly reason: string
  readonly links: Links
}

export const problemIn = ({ json }: ProviderReply): Problem | undefined =>
  Option.getOrUndefined(
    Option.map(readProblem(json), ({ details, links, message, name }) => ({
      name,
      issue: details?.[0]?.issue,
      field: details?.[0]?.field,
      reason: details?.[0]?.description ?? details?.[0]?.issue ?? message ?? name,
      links: [...(links ?? []), ...(details ?? []).flatMap(({ link = [] }) => link)]
    }))
  )

/** Issues after which nothing is captured any more. `none`: no code of ours is certain. */
const ends = meanings<RefusalCode | "none">({
  CARD_DECLINED: "INSTRUMENT_DECLINED PAYMENT_SOURCE_DECLINED_BY_PROCESSOR",
  CARD_EXPIRED: "CARD_EXPIRED",
  ACCOUNT_INVALID: "PAYER_CANNOT_PAY PAYER_ACCOUNT_RESTRICTED PAYER_ACCOUNT_LOCKED_OR_CLOSED",
  LIMIT_EXCEEDED: `TRANSACTION_LIMIT_EXCEEDED TRANSACTION_RECEIVING_LIMIT_EXCEEDED
    MAX_NUMBER_OF_PAYMENT_ATTEMPTS_EXCEEDED`,
  SUSPECTED_FRAUD: "COMPLIANCE_VIOLATION PAYEE_BLOCKED_TRANSACTION TRANSACTION_BLOCKED_BY_PAYEE",
  none: `TRANSACTION_REFUSED DECLINED_DUE_TO_RELATED_TXN PAYEE_ACCOUNT_RESTRICTED PAYEE_ACCOUNT_LOCKED_OR_CLOSED
    PAYEE_ACCOUNT_INVALID`
})

/** Undefined where the issue is not final. */
export const endBy = (issue: string | undefined): { readonly code?: RefusalCode } | undefined => {
  const code = ends.get(issue)
  return code === "none" ? {} : code && { code }
}

/** Names of errors of payouts, and of the items that failed. */
const payoutCodes = meanings<RefusalCode>({
  PROVIDER_BALANCE_LOW: "INSUFFICIENT_FUNDS",
  ACCOUNT_INVALID: `RECEIVER_ACCOUNT_LOCKED RECEIVER_COUNTRY_NOT_ALLOWED RECEIVER_UNCONFIRMED
    RECEIVER_STATE_RESTRICTED`,
  SUSPECTED_FRAUD: "RISK_DECLINE"
})

export const payoutCode = (name: string | undefined): RefusalCode | undefined => payoutCodes.get(name)

const codeOf = ({ field, issue, name }: Problem): RefusalCode => {
  const known = endBy(issue)?.code ?? payoutCode(name)
  if (known !== undefined) return known
  if (/receiver/.test(field ?? "")) return "ACCOUNT_INVALID"
  return /NOT_SUPPORTED|NOT_ENABLED|UNSUPPORTED/.test(issue ?? "") ? "NOT_SUPPORTED" : "INVALID_ORDER"
}

/** An order exists under this key or invoice, and may have been paid. */
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
  if (problem === undefined || (reply.status !== 400 && reply.status !== 422)) return unknownOutcome(reply)
  if (seenBefore.has(problem.issue ?? "")) return new Unknown({ reason: `it was seen before: ${problem.reason}` })
  return new Declined({
    reason: problem.reason,
    code: codeOf(problem),
    providerCode: problem.issue ?? problem.name
  })
}
