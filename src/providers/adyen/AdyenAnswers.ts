/** Reads Adyen's answers about cards, payment links and refunds. */
import { Option, Schema } from "effect"
import { Accepted, Declined, type Enquiry, type Outcome, Report, Unknown } from "../../domain/Outcome.ts"
import type { ProviderReply } from "../client/ProviderHttp.ts"
import {
  enquiryFrom,
  failedReport,
  isOk,
  named,
  noVerdict,
  outcomeFrom,
  providerIds,
  settledOnce,
  unreadable
} from "../client/ProviderReplies.ts"
import type { AttemptContext, CancelAnswer } from "../port/Provider.ts"
import { meaningOf, orNull, textOrNull } from "../port/WireValues.ts"
import { moneyIn } from "./AdyenCorridors.ts"
import { cardRefusal, refusedBy } from "./AdyenRefusals.ts"

export const AdyenAmount = Schema.Struct({ currency: Schema.String, value: Schema.String })

const Result = Schema.Struct({
  resultCode: Schema.String,
  pspReference: textOrNull,
  merchantReference: textOrNull,
  refusalReason: textOrNull,
  refusalReasonCode: textOrNull,
  amount: orNull(AdyenAmount),
  action: orNull(Schema.Struct({ type: textOrNull, method: textOrNull, url: textOrNull }))
})
type Result = typeof Result.Type

const Link = Schema.Struct({
  id: Schema.String,
  status: Schema.String,
  url: textOrNull,
  amount: orNull(AdyenAmount)
})
type Link = typeof Link.Type

const resultIn = Schema.decodeUnknownOption(Result)
const linkIn = Schema.decodeUnknownOption(Link)
const receiptIn = Schema.decodeUnknownOption(Schema.Struct({ pspReference: Schema.String, status: textOrNull }))

interface ResultState extends Pick<Report, "movements"> {
  readonly state: "pending" | "processing" | "completed"
  readonly redirectUrl?: string
}

/** The payment's reference is the id of the collection. */
const completed = ({ amount, pspReference: id }: Result): ResultState | Unknown => {
  const money = amount === null ? undefined : Option.getOrUndefined(moneyIn(amount))
  if (amount !== null && money === undefined) {
    return new Unknown({ reason: `it took an amount of ${amount.currency} that cannot be read` })
  }
  return id === null ? { state: "processing" } : { state: "completed", ...settledOnce("collection", id, money) }
}

const redirected = ({ action }: Result): ResultState => {
  const url = action?.type === "redirect" && action.method !== "POST" ? action.url : null
  return { state: "pending", ...(url === null ? {} : { redirectUrl: url }) }
}

const refused = ({ refusalReason, refusalReasonCode, resultCode }: Result): Declined =>
  cardRefusal(resultCode, refusalReason, refusalReasonCode)

const results: Readonly<Record<string, (result: Result) => ResultState | Declined | Unknown>> = {
  Authorised: completed,
  Received: () => ({ state: "processing" }),
  Pending: () => ({ state: "processing" }),
  PresentToShopper: () => ({ state: "pending" }),
  RedirectShopper: redirected,
  IdentifyShopper: () => ({ state: "pending" }),
  ChallengeShopper: () => ({ state: "pending" }),
  Refused: refused,
  Cancelled: refused,
  Error: refused
}

/** Unknown result codes, such as partial authorisations, count as processing. */
const resultState = (result: Result): ResultState | Declined | Unknown =>
  meaningOf(results, result.resultCode)?.(result) ?? { state: "processing" }

const outcomeOfResult = (result: Result): Outcome => {
  const current = resultState(result)
  if ("_tag" in current) return current
  const { movements = [], redirectUrl, state } = current
  return new Accepted({
    state,
    // A payer who comes back from a bank's page gets a result with a reference of its own.
    providerPaymentId: state === "pending" ? null : result.pspReference,
    providerStatus: result.resultCode,
    nextAction: redirectUrl === undefined ? null : "redirect",
    actionData: redirectUrl === undefined ? {} : { redirect_url: redirectUrl },
    ...providerIds({ psp_reference: result.pspReference }),
    ...named(movements)
  })
}

export const toPayment = outcomeFrom(resultIn, outcomeOfResult, refusedBy)

const reportOfResult = (result: Result): Report | Unknown => {
  const { pspReference: id, resultCode: status } = result
  const current = resultState(result)
  const ids = providerIds({ psp_reference: id })
  if ("_tag" in current) {
    return current._tag === "Unknown" ? current : new Report({ ...failedReport(current, id, status), ...ids })
  }
  const { movements = [], state } = current
  return new Report({
    state,
    reason: null,
    providerPaymentId: id,
    providerStatus: status,
    ...ids,
    ...named(movements)
  })
}

/** A returning customer may carry the result of another payment. */
const isAbout = ({ merchantReference, pspReference }: Result, attempt: AttemptContext): boolean =>
  merchantReference === null
    ? pspReference !== null && pspReference === attempt.providerPaymentId
    : merchantReference === attempt.reference

/** A result that is not taken any more, or never was one, says nothing about the payment. */
export const aboutDetails =
  (attempt: AttemptContext) =>
  (reply: ProviderReply): Enquiry => {
    if (!isOk(reply)) return noVerdict(reply)
    const result = Option.getOrUndefined(resultIn(reply.json))
    if (result === undefined) return unreadable(reply)
    return isAbout(result, attempt)
      ? reportOfResult(result)
      : new Unknown({ reason: "the customer came back with the result of another payment" })
  }

const linkStates: Readonly<Record<string, ResultState["state"] | "failed">> = {
  active: "pending",
  paymentPending: "processing",
  // A link does not name the payments by which it was paid. Each comes with its own callback, which completes it.
  completed: "processing",
  paid: "processing",
  expired: "failed"
}

const isPaid = (status: string | null): boolean => status === "completed" || status === "paid"

const redirectTo = (url: string): NonNullable<Report["waitsFor"]> => ({
  nextAction: "redirect",
  actionData: { redirect_url: url }
})

const linkExpired = new Declined({
  reason: "the link expired unpaid",
  code: "NOT_APPROVED",
  providerCode: "expired"
})

const reportOfLink = ({ id, status, url }: Link): Report => {
  const state = meaningOf(linkStates, status) ?? "processing"
  if (state === "failed") return failedReport(linkExpired, id, status)
  return new Report({
    state,
    reason: null,
    providerPaymentId: id,
    providerStatus: status,
    ...providerIds({ payment_link_id: id }),
    ...(state === "pending" && url !== null ? { waitsFor: redirectTo(url) } : {})
  })
}

const outcomeOfLink = (link: Link): Outcome => {
  const report = reportOfLink(link)
  if (link.url === null) return new Unknown({ reason: "the link cannot be read" })
  return new Accepted({
    state: report.state === "processing" ? "processing" : "pending",
    providerPaymentId: link.id,
    providerStatus: link.status,
    ...redirectTo(link.url),
    providerData: { payment_link_id: link.id }
  })
}

export const toLink = outcomeFrom(linkIn, outcomeOfLink, refusedBy)

/** A callback may have told the number of the payment since, so the report leaves the link's id out. */
export const aboutLink = enquiryFrom(linkIn, (link) => new Report({ ...reportOfLink(link), providerPaymentId: null }))

/** Adyen only takes note of a refund; its callback reports the result. */
export const toRefund = outcomeFrom(
  receiptIn,
  ({ pspReference, status }) =>
    new Accepted({
      state: "processing",
      providerPaymentId: pspReference,
      providerStatus: status,
      nextAction: null,
      actionData: {},
      providerData: { psp_reference: pspReference },
      movements: [{ kind: "refund", id: pspReference, amount: null, state: "pending" }]
    }),
  refusedBy
)

const refusedOrUnknown = (reply: ProviderReply): CancelAnswer => {
  const refusal = refusedBy(reply)
  return refusal._tag === "Declined" && refusal.code === "INVALID_ORDER" ? "refused" : "unknown"
}

/** Adyen only takes note of a cancellation. Refused credentials and proxy errors leave it unknown. */
export const cancelAnswer = (reply: ProviderReply): CancelAnswer => {
  if (isOk(reply)) return Option.isSome(receiptIn(reply.json)) ? "asked" : "unknown"
  return refusedOrUnknown(reply)
}

/** Nothing is paid any more by a link that has expired, and what was paid stays. `under way`: it is being paid. */
export const cancelOfLink = ({ providerStatus, state }: Pick<Report, "providerStatus" | "state">) => {
  if (state === "failed") return "canceled"
  return state === "processing" && !isPaid(providerStatus) ? "under way" : "refused"
}

/** What became of the wish to close a link that was open a moment before. */
export const closingAnswer = (reply: ProviderReply): CancelAnswer => {
  if (isOk(reply)) {
    const link = aboutLink(reply)
    if (link._tag !== "Report") return "unknown"
    return cancelOfLink(link) === "canceled" ? "canceled" : "refused"
  }
  return refusedOrUnknown(reply)
}

export const knownStatuses: ReadonlySet<string> = new Set([
  ...Object.keys(results),
  ...Object.keys(linkStates),
  "received"
])
