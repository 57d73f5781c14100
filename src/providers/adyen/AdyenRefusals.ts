/** Adyen's refusal reasons and our refusal codes. */
import { Option, Schema } from "effect"
import type { RefusalCode } from "../../domain/PaymentStatus.ts"
import { Declined, Unknown } from "../../domain/Outcome.ts"
import type { ProviderReply } from "../client/ProviderHttp.ts"
import { credentialsRefused, noVerdict } from "../client/ProviderReplies.ts"
import { meaningOf, textOrNull } from "../port/WireValues.ts"

interface Meaning {
  readonly code: RefusalCode
  /** Not due to the payer: another provider may accept the same card or account. */
  readonly others?: true
}

const of = (code: RefusalCode): Meaning => ({ code })
const ofOthers = (code: RefusalCode): Meaning => ({ code, others: true })

/** By `refusalReasonCode`. */
const ofCards: Readonly<Record<string, Meaning>> = {
  "2": of("CARD_DECLINED"),
  "3": of("CARD_DECLINED"),
  "4": ofOthers("PROVIDER_UNAVAILABLE"),
  "5": of("CARD_DECLINED"),
  "6": of("CARD_EXPIRED"),
  "7": ofOthers("INVALID_ORDER"),
  "8": of("CARD_INVALID"),
  "9": ofOthers("PROVIDER_UNAVAILABLE"),
  "10": ofOthers("NOT_SUPPORTED"),
  "11": of("AUTHENTICATION_FAILED"),
  "12": of("INSUFFICIENT_FUNDS"),
  "14": of("SUSPECTED_FRAUD"),
  "15": of("NOT_APPROVED"),
  "16": of("NOT_APPROVED"),
  "17": of("AUTHENTICATION_FAILED"),
  "18": of("AUTHENTICATION_FAILED"),
  "20": of("SUSPECTED_FRAUD"),
  "21": ofOthers("PROVIDER_UNAVAILABLE"),
  "22": of("SUSPECTED_FRAUD"),
  "24": of("CARD_INVALID"),
  "28": of("LIMIT_EXCEEDED"),
  "29": of("LIMIT_EXCEEDED"),
  "31": of("SUSPECTED_FRAUD"),
  "32": of("CARD_INVALID"),
  "38": of("AUTHENTICATION_FAILED"),
  "39": of("AUTHENTICATION_FAILED"),
  "42": of("AUTHENTICATION_FAILED")
}

const withMeaning = (reason: string, providerCode: string, { code, others }: Meaning): Declined =>
  new Declined({ reason, code, providerCode, ...(others === true ? {} : { instrument: true }) })

export const cardRefusal = (resultCode: string, reason: string | null, reasonCode: string | null): Declined => {
  const said = reason ?? resultCode
  const known = meaningOf(ofCards, reasonCode)
  if (known !== undefined) return withMeaning(said, reasonCode ?? resultCode, known)
  if (resultCode === "Cancelled") return withMeaning(said, resultCode, of("NOT_APPROVED"))
  // An error of Adyen's own says nothing about the card.
  if (resultCode === "Error") return new Declined({ reason: said, providerCode: reasonCode ?? resultCode })
  return withMeaning(said, reasonCode ?? resultCode, of("CARD_DECLINED"))
}

/** By the `reason` of a transfer. */
const ofTransfers: Readonly<Record<string, Meaning>> = {
  amountLimitExceeded: ofOthers("LIMIT_EXCEEDED"),
  notEnoughBalance: ofOthers("PROVIDER_BALANCE_LOW"),
  counterpartyAccountBlocked: of("ACCOUNT_INVALID"),
  counterpartyAccountClosed: of("ACCOUNT_INVALID"),
  counterpartyAccountNotFound: of("ACCOUNT_INVALID"),
  invalidAccount: of("ACCOUNT_INVALID"),
  invalidToAccount: of("ACCOUNT_INVALID"),
  counterpartyAddressRequired: ofOthers("INVALID_ORDER"),
  formatError: ofOthers("INVALID_ORDER"),
  invalidAmount: ofOthers("INVALID_ORDER"),
  counterpartyBankTimedOut: ofOthers("PROVIDER_UNAVAILABLE"),
  counterpartyBankUnavailable: ofOthers("PROVIDER_UNAVAILABLE"),
  internalTimeout: ofOthers("PROVIDER_UNAVAILABLE"),
  notSupported: ofOthers("NOT_SUPPORTED"),
  routeNotFound: ofOthers("NOT_SUPPORTED"),
  unableToRouteTransaction: ofOthers("NOT_SUPPORTED"),
  accountHierarchyNotActive: ofOthers("CREDENTIALS_REFUSED"),
  fraud: of("SUSPECTED_FRAUD"),
  securityViolation: of("SUSPECTED_FRAUD")
}

export const transferRefusal = (status: string, reason: string | null): Declined => {
  const known = meaningOf(ofTransfers, reason)
  const said = `the transfer is ${status}${reason === null ? "" : `: ${reason}`}`
  return known === undefined
    ? new Declined({ reason: said, providerCode: reason ?? status })
    : withMeaning(said, reason ?? status, known)
}

/** The errors of payments and of transfers have their words in different places. */
const errorIn = Schema.decodeUnknownOption(
  Schema.Struct({ errorCode: Schema.String, message: textOrNull, detail: textOrNull, title: textOrNull })
)

/** It was sent before, or is just being worked on. */
const IN_PROGRESS = "704"

const definite: ReadonlySet<number> = new Set([400, 404, 422])

/** Unknown without an error body of Adyen's. */
export const refusedBy = (reply: ProviderReply): Declined | Unknown => {
  if (reply.status === 401 || reply.status === 403) return credentialsRefused(reply)
  const error = Option.getOrUndefined(errorIn(reply.json))
  if (error === undefined || !definite.has(reply.status)) return noVerdict(reply)
  const { detail, errorCode, message, title } = error
  if (errorCode === IN_PROGRESS) return new Unknown({ reason: "it was sent before and is being worked on" })
  return new Declined({
    reason: message ?? detail ?? title ?? errorCode,
    code: "INVALID_ORDER",
    providerCode: errorCode
  })
}
