/** Reads Adyen's answers about cards, payment links, refunds and transfers. */
import { Option, Schema } from "effect"
import { Accepted, Declined, type Outcome, Report, Unknown, Absent, type Enquiry } from "../../domain/Outcome.ts"
import {
  acceptedBy,
  enquiryFrom,
  failedReport,
  foundFrom,
  isOk,
  withMovements,
  outcomeFrom,
  providerIds,
  settledOnce,
  outcomeOfReport,
  unreadable
} from "../client/ProviderReplies.ts"
import type { ProviderReply } from "../client/ProviderHttp.ts"
import type { AttemptContext, CancelAnswer } from "../port/Provider.ts"
import { meaningOf, meanings, orNull, present, textOrNull, objectReader } from "../client/WireValues.ts"
import { moneyIn } from "./AdyenCorridors.ts"
import { cardRefusal, refusedBy, transferRefusal } from "./AdyenRefusals.ts"
import type { Movement } from "../../domain/Movement.ts"

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
const receiptIn = objectReader({ pspReference: Schema.String, status: textOrNull })

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
  return { state: "pending", ...present({ redirectUrl: url ?? undefined }) }
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

const reportOfState = (result: Result, { movements = [], state }: ResultState): Report =>
  new Report({
    state,
    reason: null,
    providerPaymentId: result.pspReference,
    providerStatus: result.resultCode,
    ...providerIds({ psp_reference: result.pspReference }),
    ...withMovements(movements)
  })

const outcomeOfResult = (result: Result): Outcome => {
  const current = resultState(result)
  if ("_tag" in current) return current
  const { redirectUrl, state } = current
  return new Accepted({
    ...acceptedBy(reportOfState(result, current), state),
    // A payer who comes back from a bank's page gets a result with a reference of its own.
    ...(state === "pending" ? { providerPaymentId: null, nextAction: null } : {}),
    ...(redirectUrl === undefined ? {} : redirectTo(redirectUrl))
  })
}

export const toPayment = outcomeFrom(resultIn, outcomeOfResult, refusedBy)

const reportOfResult = (result: Result): Report | Unknown => {
  const { pspReference: id, resultCode: status } = result
  const current = resultState(result)
  if (!("_tag" in current)) return reportOfState(result, current)
  return current._tag === "Unknown"
    ? current
    : new Report({ ...failedReport(current, id, status), ...providerIds({ psp_reference: id }) })
}

/** A returning customer may carry the result of another payment. */
const isAbout = ({ merchantReference, pspReference }: Result, attempt: AttemptContext): boolean =>
  merchantReference === null
    ? pspReference !== null && pspReference === attempt.providerPaymentId
    : merchantReference === attempt.reference

/** A result that is not taken any more, or never was one, says nothing about the payment. */
export const aboutDetails = (attempt: AttemptContext) =>
  foundFrom(resultIn, (result) =>
    isAbout(result, attempt)
      ? reportOfResult(result)
      : new Unknown({ reason: "the customer came back with the result of another payment" })
  )

const linkStates = meanings<ResultState["state"] | "failed">({
  pending: "active",
  // A paid link does not name the payments by which it was paid. Each comes with its own callback, which completes it.
  processing: "paymentPending completed paid",
  failed: "expired"
})

const isPaid = (status: string | null): boolean => status === "completed" || status === "paid"

const redirectTo = (url: string): NonNullable<Report["waitsFor"]> => ({
  nextAction: "redirect",
  actionData: { redirect_url: url }
})

const linkExpired = new Declined({ reason: "the link expired unpaid", code: "NOT_APPROVED", providerCode: "expired" })

const reportOfLink = ({ id, status, url }: Link): Report => {
  const state = linkStates.get(status) ?? "processing"
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

/** An expired link takes no further payment, but keeps what was paid. `under way`: it is being paid. */
export const cancelOfLink = ({ providerStatus, state }: Pick<Report, "providerStatus" | "state">) => {
  if (state === "failed") return "canceled"
  return state === "processing" && !isPaid(providerStatus) ? "under way" : "refused"
}

/** Outcome of closing a link that was open a moment before. */
export const closingAnswer = (reply: ProviderReply): CancelAnswer => {
  if (isOk(reply)) {
    const link = aboutLink(reply)
    if (link._tag !== "Report") return "unknown"
    return cancelOfLink(link) === "canceled" ? "canceled" : "refused"
  }
  return refusedOrUnknown(reply)
}

export const isExpectedPaymentStatus = (status: string): boolean =>
  Object.hasOwn(results, status) || linkStates.has(status) || status === "received"

/** A payout has left once it is booked, and may still be returned. */
const Transfer = Schema.Struct({
  id: Schema.String,
  status: Schema.String,
  reason: textOrNull,
  reference: textOrNull,
  amount: AdyenAmount
})
export type Transfer = typeof Transfer.Type

export const transferIn = Schema.decodeUnknownOption(Transfer)
const foundIn = objectReader({ data: Schema.optionalWith(Schema.Array(Schema.Unknown), { default: () => [] }) })

const states = meanings<Report["state"]>({
  processing: `received authorised pending pendingApproval pendingExecution approvalPending bookingPending
    bankTransferPending`,
  completed: "booked credited",
  failed: "refused rejected cancelled expired error",
  // `failed` may be said of what was booked before, which is money that came back.
  returned: "failed returned reversed"
})

export const isExpectedTransferStatus = (status: string): boolean => states.has(status)

const stateOf = ({ status }: Transfer): Report["state"] => states.get(status) ?? "processing"

/**
 * A transfer that failed may have been booked before, so it is named with the money that came back. That money has no id of
 * its own: it is derived from the transfer's.
 */
const movementsOf = (transfer: Transfer): ReadonlyArray<Movement> => {
  const { amount: said, id } = transfer
  const state = stateOf(transfer)
  const amount = Option.getOrNull(moneyIn(said))
  const paid = { kind: "disbursement", id, amount, state: "settled" } as const
  if (state === "completed") return [paid]
  return state === "returned" ? [paid, { ...paid, kind: "reinstatement", id: `${id}:returned` }] : []
}

export const reportOfTransfer = (transfer: Transfer): Report | Unknown => {
  const { amount, id, reason, status } = transfer
  const state = stateOf(transfer)
  const about = {
    state,
    providerPaymentId: id,
    providerStatus: status,
    ...providerIds({ transfer_id: id }),
    ...withMovements(movementsOf(transfer))
  }
  if (state === "failed" || state === "returned") {
    return new Report({ ...about, ...failedReport(transferRefusal(status, reason), id, status, state) })
  }
  return state === "completed" && Option.isNone(moneyIn(amount))
    ? new Unknown({ reason: `it paid out an amount of ${amount.currency} that cannot be read` })
    : new Report({ ...about, reason: null })
}

const outcomeOfTransfer = (transfer: Transfer): Outcome => {
  const report = reportOfTransfer(transfer)
  return report._tag === "Unknown" ? report : outcomeOfReport(report, transferRefusal(transfer.status, transfer.reason))
}

export const toTransfer = outcomeFrom(transferIn, outcomeOfTransfer, refusedBy)

export const aboutTransfer = enquiryFrom(transferIn, reportOfTransfer)

/** The one of our reference among those that were found. */
export const aboutTransfers =
  (reference: string) =>
  (reply: ProviderReply): Enquiry =>
    foundFrom(foundIn, (found) => {
      const ours = found.data
        .flatMap((one) => Option.toArray(transferIn(one)))
        .find((one) => one.reference === reference)
      if (ours !== undefined) return reportOfTransfer(ours)
      // An unreadable entry found by our reference may be the payment itself.
      return found.data.length === 0 ? new Absent() : unreadable(reply)
    })(reply)
