/** Reads look-ups of charges, transfers and refunds into reports. */
import { Duration, Equal, Schema } from "effect"
import type { Money } from "../../domain/Money.ts"
import { Absent, type Enquiry, Report, Unknown } from "../../domain/Outcome.ts"
import type { ProviderReply } from "../client/ProviderHttp.ts"
import { withMovements, unknownOutcome, providerIds, settledOnce } from "../client/ProviderReplies.ts"
import type { AttemptContext, RefundOrder } from "../port/Provider.ts"
import { answerOf, messageIn, pages, refundState, refusalIn, isNotFoundMessage } from "./FlutterwaveAnswers.ts"
import {
  collectionOf,
  commentsOf,
  moneyIn,
  Refund,
  refundMovement,
  Transaction,
  transactionOf
} from "./FlutterwaveMovements.ts"
import { pageLife } from "./FlutterwaveRequests.ts"
import { meanings, optionalText, present } from "../client/WireValues.ts"

/** A pending charge does not say whether its customer has done anything yet. */
const chargeStates = meanings<Report["state"]>({ pending: "pending", completed: "successful", failed: "failed" })

const transferStates = meanings<Report["state"]>({
  processing: "NEW PENDING",
  completed: "SUCCESSFUL",
  failed: "FAILED"
})

export const isExpectedStatus = (status: string): boolean =>
  chargeStates.has(status.toLowerCase()) ||
  transferStates.has(status.toUpperCase()) ||
  /^(new|pending|completed|failed)/i.test(status)

export const isNotFound = (reply: ProviderReply): boolean => {
  const message = messageIn(reply)
  return (reply.status === 400 || reply.status === 404) && message !== undefined && isNotFoundMessage(message)
}

/** Without the scope of the refusal: a report comes too late for another provider. */
const failedFor = (reason: string, isPayout: boolean) => {
  const { code } = refusalIn(reason, isPayout)
  return { reason, ...present({ code }) }
}

export const transactionIn = answerOf(Schema.Struct({ data: Transaction }))

/**
 * Amount and currency of our order, to check a transaction that was not found by its own id: payers can reuse a tx_ref.
 */
export interface Wanted {
  readonly money: Money
  /** `reference`: money that came under our reference is ours, whatever its amount. `hint`: only of the whole amount. */
  readonly foundBy: "reference" | "hint"
}

const isWanted = (said: Money | undefined, state: Report["state"], { foundBy, money }: Wanted): boolean =>
  foundBy === "reference" && state === "completed"
    ? said?.currency === money.currency
    : said !== undefined && Equal.equals(said, money)

/** A clock of theirs, and the last steps of a try that was begun in time. */
const pageGrace = Duration.minutes(15)

/** The customer may have been sent to a page. */
export interface Page {
  readonly sentAt: Date
  readonly now: number
}

/** On a page that is still open another card may be tried, under the same reference. */
const mayTryAgain = (createdAt: string | undefined, { now, sentAt }: Page): boolean => {
  const tried = Date.parse(createdAt ?? "")
  const from = Number.isNaN(tried) ? sentAt.getTime() : tried
  return now < from + Duration.toMillis(pageLife) + Duration.toMillis(pageGrace)
}

export const chargeReport =
  (reference: string, page: Page | null, wanted?: Wanted) =>
  (reply: ProviderReply): Enquiry => {
    if (isNotFound(reply)) {
      // Without a payment attempt a page has no transaction.
      return page === null
        ? new Absent()
        : new Unknown({ reason: "there was no attempt to pay on its page", untried: true })
    }
    const data = transactionIn(reply)?.data
    if (data === undefined) return unknownOutcome(reply)
    if (data.tx_ref !== reference) return new Unknown({ reason: "it answered about another transaction" })
    const state = chargeStates.get(data.status.toLowerCase()) ?? "processing"
    const said = moneyIn(data.amount, data.currency)
    if (wanted !== undefined && !isWanted(said, state, wanted)) {
      return new Unknown({ reason: "it answered about another amount" })
    }
    const failed = state === "failed" ? failedFor(data.processor_response ?? "the charge failed", false) : undefined
    if (failed !== undefined && page !== null && mayTryAgain(data.created_at, page)) {
      return new Report({
        state: "pending",
        reason: failed.reason,
        // Another try is another transaction.
        providerPaymentId: null,
        providerStatus: data.status
      })
    }
    if (state === "completed" && (said === undefined || data.id === undefined)) {
      return new Unknown({ reason: "it took an amount that cannot be read, or has no id for it" })
    }
    const fee = state === "completed" ? moneyIn(data.app_fee, data.currency) : undefined
    // On a page another try may follow, and is another transaction. So is that of the whole amount after one of a part.
    const isLast = page === null || state === "completed" || state === "failed"
    const isWhole = wanted === undefined || Equal.equals(said, wanted.money)
    return new Report({
      state,
      ...(failed ?? { reason: null }),
      providerPaymentId: isLast && isWhole ? (data.id ?? null) : null,
      providerStatus: data.status,
      ...providerIds({ transaction_id: data.id, flw_ref: data.flw_ref }),
      ...withMovements(collectionOf(data)),
      ...present({ fee })
    })
  }

const Transfer = Schema.Struct({
  id: optionalText,
  reference: Schema.String,
  status: Schema.String,
  amount: optionalText,
  fee: optionalText,
  currency: optionalText,
  complete_message: optionalText
})

const transferOf = (data: typeof Transfer.Type): Report => {
  const state = transferStates.get(data.status.toUpperCase()) ?? "processing"
  const money = moneyIn(data.amount, data.currency)
  const fee = state === "completed" ? moneyIn(data.fee, data.currency) : undefined
  const message =
    data.complete_message === undefined || data.complete_message === "" ? undefined : data.complete_message
  return new Report({
    state,
    ...(state === "failed" ? failedFor(message ?? "the transfer failed", true) : { reason: null }),
    providerPaymentId: data.id ?? null,
    providerStatus: data.status,
    ...providerIds({ transfer_id: data.id }),
    ...(state === "completed" && data.id !== undefined ? settledOnce("disbursement", data.id, money) : {}),
    ...present({ fee })
  })
}

const transferIn = answerOf(Schema.Struct({ data: Transfer }))
const transfersIn = answerOf(Schema.Struct({ data: Schema.Array(Transfer) }))

export const transferReport =
  (reference: string) =>
  (reply: ProviderReply): Enquiry => {
    const data = transferIn(reply)?.data
    if (data === undefined) return unknownOutcome(reply)
    return data.reference === reference
      ? transferOf(data)
      : new Unknown({ reason: "it answered about another transfer" })
  }

/** A list that holds others' was not searched by the reference, so that it says nothing of what it does not hold. */
export const transfersReport =
  (reference: string) =>
  (reply: ProviderReply): Enquiry => {
    if (isNotFound(reply)) return new Absent()
    const data = transfersIn(reply)?.data
    if (data === undefined) return unknownOutcome(reply)
    const ours = data.filter((one) => one.reference === reference)
    const [first] = ours.toSorted((a, b) => weightOf(b) - weightOf(a))
    if (first !== undefined) return transferOf(first)
    return data.length === 0 ? new Absent() : new Unknown({ reason: "its list was not searched by our reference" })
  }

/** Of several, one that was paid counts most, and one that failed least: another may still be paid. */
const weightOf = ({ status }: typeof Transfer.Type): number =>
  ["failed", "processing", "completed"].indexOf(transferStates.get(status.toUpperCase()) ?? "processing")

const refundIn = answerOf(Schema.Struct({ data: Refund }))
export const refundsIn = answerOf(Schema.Struct({ data: Schema.Array(Refund), ...pages }))

const refundOf = (refund: Refund, { currency }: Money): Report => {
  const { id, status } = refund
  const state = refundState(status)
  return new Report({
    state,
    reason: state === "failed" ? "the refund failed" : null,
    providerPaymentId: id,
    providerStatus: status,
    movements: [refundMovement(refund, currency)]
  })
}

export const refundReport =
  (id: string, { money }: AttemptContext) =>
  (reply: ProviderReply): Enquiry => {
    const data = refundIn(reply)?.data
    if (data === undefined) return unknownOutcome(reply)
    return data.id === id ? refundOf(data, money) : new Unknown({ reason: "it answered about another refund" })
  }

/** Of the refunds that it lists: the one whose comments begin with our reference. A list without it proves nothing. */
export const refundAmong =
  ({ broughtBy, money, reference }: AttemptContext) =>
  (all: ReadonlyArray<Refund>): Enquiry => {
    const paid = broughtBy?.providerPaymentId ?? null
    const ours = all.filter(
      (one) =>
        `${commentsOf(one)} `.startsWith(`${reference} `) &&
        (paid === null || transactionOf(one) === paid) &&
        Equal.equals(moneyIn(one.amount_refunded, money.currency), money)
    )
    const [only] = ours
    return only !== undefined && ours.length === 1
      ? refundOf(only, money)
      : new Unknown({ reason: "its id was lost, and its list of refunds does not show which one it is" })
  }

/** The transaction that a refund is of, by its own id. */
export const refundableIn =
  ({ attempt: { providerPaymentId, reference }, collectionId, money }: RefundOrder) =>
  (reply: ProviderReply): string | undefined => {
    const data = transactionIn(reply)?.data
    const known = collectionId ?? providerPaymentId
    const paid = moneyIn(data?.amount, data?.currency)
    const isEnough = paid !== undefined && paid.currency === money.currency && paid.minor >= money.minor
    return (known === null ? isEnough : data?.id === known) &&
      data?.tx_ref === reference &&
      data.status.toLowerCase() === "successful"
      ? data.id
      : undefined
  }
