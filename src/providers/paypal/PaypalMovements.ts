/** Movements at PayPal: captures, refunds and disputes, each under its own id. */
import { Option, Schema } from "effect"
import type { Money } from "../../domain/Money.ts"
import type { Movement, MovementState } from "../../domain/Movement.ts"
import type { ProviderReply } from "../client/ProviderHttp.ts"
import { meanings, optional, optionalText, objectReader } from "../client/WireValues.ts"
import { Amount, Links, moneyOf } from "./PaypalSchemas.ts"

const pathIn = (links: Links | undefined, pattern: RegExp): string | undefined =>
  links?.filter(({ rel }) => rel === "up").flatMap(({ href }) => pattern.exec(href)?.[1] ?? [])[0]

export const captureAbove = (links: Links | undefined) => pathIn(links, /\/v2\/payments\/captures\/([A-Z0-9]{1,36})$/)
export const orderAbove = (links: Links | undefined) => pathIn(links, /\/v2\/checkout\/orders\/([A-Z0-9]{1,36})$/)

export const Capture = Schema.Struct({
  id: optionalText,
  status: Schema.String,
  amount: optional(Amount),
  status_details: optional(Schema.Struct({ reason: optionalText })),
  seller_receivable_breakdown: optional(Schema.Struct({ paypal_fee: optional(Amount) }))
})
export type Capture = typeof Capture.Type

export const Refund = Schema.Struct({ id: optionalText, status: optionalText, amount: optional(Amount), links: Links })
export type Refund = typeof Refund.Type

/** An order's payments, as the order itself lists them. */
export interface Payments {
  readonly captures: ReadonlyArray<Capture>
  readonly refunds: ReadonlyArray<Refund>
}

const moneyIn = (amount: typeof Amount.Type | undefined): Money | undefined => moneyOf(amount, amount?.currency_code)

const isCaptured = ({ status }: Capture): boolean =>
  status === "COMPLETED" || status === "REFUNDED" || status === "PARTIALLY_REFUNDED"

/** A capture whose amount is named and cannot be read has not moved yet. */
const collectionOf = (capture: Capture): ReadonlyArray<Movement> => {
  const { amount, id } = capture
  const money = moneyIn(amount)
  if (id === undefined || !isCaptured(capture) || (amount !== undefined && money === undefined)) return []
  return [{ kind: "collection", id, amount: money ?? null, state: "settled" }]
}

const refundStates = meanings<MovementState>({ settled: "COMPLETED", pending: "PENDING", failed: "CANCELLED FAILED" })

const refundOf = ({ amount, id, status }: Refund): ReadonlyArray<Movement> => {
  const state = refundStates.get(status)
  const money = moneyIn(amount)
  return id === undefined || state === undefined || money === undefined
    ? []
    : [{ kind: "refund", id, amount: money, state }]
}

export const movementsOf = ({ captures, refunds }: Payments): ReadonlyArray<Movement> => [
  ...captures.flatMap(collectionOf),
  ...refunds.flatMap(refundOf)
]

const refundsOf = (captureId: string, { refunds }: Payments): ReadonlyArray<Movement> =>
  refunds.filter(({ links }) => (captureAbove(links) ?? captureId) === captureId).flatMap(refundOf)

/** Captures of which money went back that the order's refunds do not explain: PayPal takes it with a dispute. */
export const unexplained = (payments: Payments): ReadonlyArray<Capture> =>
  payments.captures.filter((capture) => {
    const { amount, id, status } = capture
    if (id === undefined || (status !== "REFUNDED" && status !== "PARTIALLY_REFUNDED")) return false
    const gone = refundsOf(id, payments).reduce((sum, refund) => sum + (refund.amount?.minor ?? 0n), 0n)
    return status === "REFUNDED" ? gone < (moneyIn(amount)?.minor ?? 0n) : gone === 0n
  })

/** PayPal says that all of it went back and shows neither a refund nor a dispute: the id is derived from the capture's. */
export const goneWithout = (capture: Capture, payments: Payments): ReadonlyArray<Movement> => {
  const { amount, id, status } = capture
  return id === undefined || status !== "REFUNDED" || refundsOf(id, payments).length > 0
    ? []
    : [{ kind: "refund", id: `${id}:refunded`, amount: moneyIn(amount) ?? null, state: "settled" }]
}

export const readDispute = objectReader({
  dispute_id: Schema.String,
  disputed_transactions: Schema.Array(Schema.Struct({ custom: optionalText, seller_transaction_id: optionalText })),
  dispute_amount: optional(Amount),
  dispute_outcome: Schema.Struct({ outcome_code: Schema.String, amount_refunded: optional(Amount) })
})
export type Dispute = Option.Option.Value<ReturnType<typeof readDispute>>

const readDisputes = objectReader({
  items: optional(Schema.Array(Schema.Struct({ dispute_id: Schema.String, status: optionalText })))
})

/** The ids of those that are resolved; none where the list is not shown. */
export const disputesListed = ({ json, status }: ProviderReply): Option.Option<ReadonlyArray<string>> =>
  status !== 200
    ? Option.none()
    : Option.map(readDisputes(json), ({ items = [] }) =>
        items.filter((one) => one.status === "RESOLVED").map(({ dispute_id }) => dispute_id)
      )

/** While a dispute is open PayPal only holds the money. It takes it with one of these; what it pays itself costs us nothing. */
const lost: ReadonlySet<string> = new Set(["RESOLVED_BUYER_FAVOUR", "ACCEPTED"])

export const isLost = ({ dispute_outcome }: Dispute): boolean => lost.has(dispute_outcome.outcome_code)

/** PayPal refunds what the account gave in to: that refund may tell of the same money, under its own id. */
const isRefunded = ({ dispute_outcome }: Dispute): boolean => dispute_outcome.outcome_code === "ACCEPTED"

/** Undecidable where the order has several captures. */
export const reversalOf = (dispute: Dispute): (Movement & { readonly amount: Money }) | undefined => {
  const { dispute_amount, dispute_id: id, dispute_outcome, disputed_transactions } = dispute
  const amount = moneyIn(dispute_outcome.amount_refunded ?? dispute_amount)
  return amount === undefined || !isLost(dispute) || disputed_transactions.length > 1
    ? undefined
    : { kind: "reversal", id, amount, state: "settled" }
}

/**
 * Whether a refund of the order is the money that a dispute took: PayPal lists its reversals as refunds too. Refunds
 * and dispute together never exceed the capture.
 */
export const isToldByRefund = (dispute: Dispute, captureId: string, payments: Payments): boolean => {
  const refunds = refundsOf(captureId, payments)
  if (isRefunded(dispute)) return refunds.length > 0
  const captured = moneyIn(payments.captures.find(({ id }) => id === captureId)?.amount)
  const gone = refunds.reduce((sum, { amount, state }) => (state === "settled" ? sum + (amount?.minor ?? 0n) : sum), 0n)
  const taken = reversalOf(dispute)?.amount.minor ?? 0n
  return gone > 0n && captured !== undefined && gone + taken > captured.minor
}

/** Money that a dispute took of a capture of this order. */
export const lossIn = (json: unknown, captureId: string, payments: Payments): ReadonlyArray<Movement> => {
  const dispute = Option.getOrUndefined(readDispute(json))
  if (dispute?.disputed_transactions[0]?.seller_transaction_id !== captureId) return []
  const reversal = isToldByRefund(dispute, captureId, payments) ? undefined : reversalOf(dispute)
  return reversal === undefined ? [] : [reversal]
}
