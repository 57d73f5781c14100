/** Reads orders and captures into outcomes and reports. */
import { Equal, Option, Schema } from "effect"
import type { Money } from "../../domain/Money.ts"
import { Absent, type Enquiry, Report, Unknown } from "../../domain/Outcome.ts"
import {
  outcomeOfReport,
  isMade,
  withMovements,
  unknownOutcome,
  outcomeFrom,
  providerIds,
  unreadable
} from "../client/ProviderReplies.ts"
import type { ProviderReply } from "../client/ProviderHttp.ts"
import { meanings, optional, optionalText, present } from "../client/WireValues.ts"
import { Capture, movementsOf, type Payments, Refund } from "./PaypalMovements.ts"
import { endBy, problemIn, refused, Amount, Links, moneyOf, Payee } from "./PaypalSchemas.ts"

const Unit = Schema.Struct({
  custom_id: optionalText,
  amount: optional(Amount),
  payee: optional(Payee),
  payments: optional(
    Schema.Struct({
      captures: optional(Schema.Array(Capture)),
      refunds: optional(Schema.Array(Refund))
    })
  )
})

const Order = Schema.Struct({
  id: Schema.String,
  status: Schema.String,
  purchase_units: optional(Schema.Array(Unit)),
  links: Links
})
type Order = typeof Order.Type

const readOrder = Schema.decodeUnknownOption(Order)

type State = Report["state"]

const orderStates = meanings<State>({
  // An approved order moves nothing before it is captured.
  pending: "CREATED SAVED PAYER_ACTION_REQUIRED APPROVED",
  processing: "COMPLETED",
  failed: "VOIDED"
})

const captureStates = meanings<State>({
  // A part of a capture went back by hand: what was taken was taken.
  completed: "COMPLETED PARTIALLY_REFUNDED",
  processing: "PENDING",
  failed: "DECLINED FAILED",
  returned: "REFUNDED"
})

/** Statuses that need no operator; others are logged. */
export const isExpectedOrderStatus = (status: string): boolean =>
  (orderStates.has(status) || captureStates.has(status)) && status !== "PARTIALLY_REFUNDED"

/** A capture with an unreadable amount does not complete the payment. */
const stateOf = ({ amount, status }: Capture): State => {
  const state = captureStates.get(status) ?? "processing"
  const isUnreadable = amount !== undefined && moneyOf(amount, amount.currency_code) === undefined
  return state === "completed" && isUnreadable ? "processing" : state
}

/** Payee of an order of ours. We name none, so PayPal fills in the account itself. */
export const payeeIn = (reply: ProviderReply): Payee | undefined =>
  isMade(reply) ? Option.getOrUndefined(readOrder(reply.json))?.purchase_units?.[0]?.payee : undefined

/** Of several captures a completed one counts first, and a failed one last. */
const weights: ReadonlyArray<State> = ["failed", "returned", "processing", "completed"]

const weightOf = (capture: Capture): number => weights.indexOf(stateOf(capture))

/** The attempt goes by the order's id: it is the order that is asked about. */
export const captureReport = (
  orderId: string | null,
  capture: Capture,
  payments: Payments = { captures: [capture], refunds: [] }
): Report => {
  const state = stateOf(capture)
  const movements = movementsOf(payments)
  const { paypal_fee: fee } = capture.seller_receivable_breakdown ?? {}
  const why = capture.status_details?.reason
  return new Report({
    state,
    reason: state === "failed" || state === "returned" ? (why ?? capture.status) : null,
    providerPaymentId: orderId,
    providerStatus: capture.status,
    ...providerIds({ order_id: orderId, capture_id: capture.id }),
    ...withMovements(movements),
    ...present({ providerCode: why, fee: moneyOf(fee, fee?.currency_code) })
  })
}

const pageOf = (links: Links | undefined) =>
  links?.find(({ href, rel }) => (rel === "payer-action" || rel === "approve") && /^https?:\/\//.test(href))?.href

const waitingAt = (page: string | undefined): Pick<Report, "waitsFor"> =>
  page === undefined ? {} : { waitsFor: { nextAction: "redirect", actionData: { redirect_url: page } } }

const paymentsOf = ({ purchase_units: units }: Order): Payments => {
  const { captures = [], refunds = [] } = units?.[0]?.payments ?? {}
  return { captures, refunds }
}

const orderReport = (order: Order): Report => {
  const payments = paymentsOf(order)
  const [first] = payments.captures.toSorted((a, b) => weightOf(b) - weightOf(a))
  if (order.status === "COMPLETED" && first !== undefined) return captureReport(order.id, first, payments)
  const state = orderStates.get(order.status) ?? "processing"
  return new Report({
    state,
    reason: state === "failed" ? order.status : null,
    providerPaymentId: order.id,
    providerStatus: order.status,
    ...providerIds({ order_id: order.id }),
    ...waitingAt(state === "pending" ? pageOf(order.links) : undefined)
  })
}

export const orderOutcome = outcomeFrom(readOrder, (order) => outcomeOfReport(orderReport(order)), refused, isMade)

/** State of an order, and whether it waits for us to capture it. */
export type OrderState = { readonly approved: string } | { readonly said: Enquiry; readonly payments?: Payments }

/** Conditions for an order to be ours. The reference alone can be forged with the public client id. */
export interface Ours {
  readonly reference: string
  readonly isPayee: (other: Payee | undefined) => boolean
  /** Of an order that a hint named: what it must be for. */
  readonly money?: Money
}

export const orderStateOf =
  ({ isPayee, money, reference }: Ours) =>
  (reply: ProviderReply): OrderState => {
    const unknown = (reason: string): OrderState => ({
      said: new Unknown({ reason: `the order of this id ${reason}` })
    })
    if (reply.status === 404 && problemIn(reply) !== undefined) return { said: new Absent() }
    if (!isMade(reply)) return { said: unknownOutcome(reply) }
    const order = Option.getOrUndefined(readOrder(reply.json))
    if (order === undefined) return { said: unreadable(reply) }
    const unit = order.purchase_units?.[0]
    if (unit?.custom_id !== reference) return unknown("is not of this reference")
    if (!isPayee(unit.payee)) return unknown("has another payee")
    if (money !== undefined && !Equal.equals(moneyOf(unit.amount, unit.amount?.currency_code), money)) {
      return unknown("is of another amount")
    }
    return order.status === "APPROVED"
      ? { approved: order.id }
      : { said: orderReport(order), payments: paymentsOf(order) }
  }

/** Outcome of a capture; an order that was captured before is looked at once more. */
export type Captured = Enquiry | "captured before"

export const captured =
  (orderId: string) =>
  (reply: ProviderReply): Captured => {
    if (isMade(reply)) {
      return Option.match(readOrder(reply.json), { onNone: () => unreadable(reply), onSome: orderReport })
    }
    const problem = problemIn(reply)
    const issue = problem?.issue
    if (problem === undefined || reply.status >= 500) return unknownOutcome(reply)
    if (issue === "ORDER_ALREADY_CAPTURED") return "captured before"
    if (issue === "ORDER_NOT_APPROVED" || issue === "PAYER_ACTION_REQUIRED") {
      return new Report({
        state: "pending",
        reason: null,
        providerPaymentId: orderId,
        providerStatus: "PAYER_ACTION_REQUIRED",
        ...waitingAt(pageOf(problem.links))
      })
    }
    const end = endBy(issue)
    if (end === undefined || issue === undefined) return new Unknown({ reason: `not captured: ${problem.reason}` })
    return new Report({
      state: "failed",
      reason: problem.reason,
      providerPaymentId: orderId,
      providerStatus: issue,
      providerCode: issue,
      ...end
    })
  }

/** Captures and refunds of an order, if the answer shows them. */
export const paymentsOfOrder = (reply: ProviderReply): Option.Option<Payments> =>
  isMade(reply) ? Option.map(readOrder(reply.json), paymentsOf) : Option.none()
