/** Adyen's refusal reasons and our refusal codes. */
import { Option, Schema } from "effect"
import { Declined, Unknown } from "../../domain/Outcome.ts"
import type { ProviderReply } from "../client/ProviderHttp.ts"
import { credentialsRefused, unknownOutcome } from "../client/ProviderReplies.ts"
import { refusalsBy, textOrNull, objectReader } from "../client/WireValues.ts"

/** By `refusalReasonCode`. */
const ofCards = refusalsBy({
  instrument: {
    CARD_DECLINED: "2 3 5",
    CARD_EXPIRED: "6",
    CARD_INVALID: "8 24 32",
    AUTHENTICATION_FAILED: "11 17 18 38 39 42",
    INSUFFICIENT_FUNDS: "12",
    SUSPECTED_FRAUD: "14 20 22 31",
    NOT_APPROVED: "15 16",
    LIMIT_EXCEEDED: "28 29"
  },
  provider: { PROVIDER_UNAVAILABLE: "4 9 21", INVALID_ORDER: "7", NOT_SUPPORTED: "10" }
})

export const cardRefusal = (resultCode: string, reason: string | null, reasonCode: string | null): Declined => {
  const about = { reason: reason ?? resultCode, providerCode: reasonCode ?? resultCode }
  const known = ofCards.get(reasonCode)
  if (known !== undefined) return new Declined({ ...about, ...known })
  if (resultCode === "Cancelled") {
    return new Declined({ ...about, providerCode: resultCode, code: "NOT_APPROVED", instrument: true })
  }
  // An error of Adyen's own says nothing about the card.
  return new Declined({
    ...about,
    ...(resultCode === "Error" ? {} : { code: "CARD_DECLINED" as const, instrument: true as const })
  })
}

/** By the `reason` of a transfer. */
const ofTransfers = refusalsBy({
  instrument: {
    ACCOUNT_INVALID: `counterpartyAccountBlocked counterpartyAccountClosed counterpartyAccountNotFound invalidAccount
      invalidToAccount`,
    SUSPECTED_FRAUD: "fraud securityViolation"
  },
  provider: {
    LIMIT_EXCEEDED: "amountLimitExceeded",
    PROVIDER_BALANCE_LOW: "notEnoughBalance",
    INVALID_ORDER: "counterpartyAddressRequired formatError invalidAmount",
    PROVIDER_UNAVAILABLE: "counterpartyBankTimedOut counterpartyBankUnavailable internalTimeout",
    NOT_SUPPORTED: "notSupported routeNotFound unableToRouteTransaction",
    CREDENTIALS_REFUSED: "accountHierarchyNotActive"
  }
})

export const transferRefusal = (status: string, reason: string | null): Declined =>
  new Declined({
    reason: `the transfer is ${status}${reason === null ? "" : `: ${reason}`}`,
    providerCode: reason ?? status,
    ...ofTransfers.get(reason)
  })

/** The errors of payments and of transfers have their words in different places. */
const errorIn = objectReader({ errorCode: Schema.String, message: textOrNull, detail: textOrNull, title: textOrNull })

/** Sent before, or still in progress. */
const IN_PROGRESS = "704"

const definite: ReadonlySet<number> = new Set([400, 404, 422])

/** Unknown without an error body of Adyen's. */
export const refusedBy = (reply: ProviderReply): Declined | Unknown => {
  if (reply.status === 401 || reply.status === 403) return credentialsRefused(reply)
  const error = Option.getOrUndefined(errorIn(reply.json))
  if (error === undefined || !definite.has(reply.status)) return unknownOutcome(reply)
  const { detail, errorCode, message, title } = error
  if (errorCode === IN_PROGRESS) return new Unknown({ reason: "it was sent before and is being worked on" })
  return new Declined({
    reason: message ?? detail ?? title ?? errorCode,
    code: "INVALID_ORDER",
    providerCode: errorCode
  })
}
