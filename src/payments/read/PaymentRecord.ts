/** A payment as its record on the wire. */
import { BigDecimal } from "effect"
import type { PaymentRecord, TimelineItem } from "../../contract/api/PaymentsApi.ts"
import { isBuiltInRail } from "../../domain/Corridor.ts"
import { subRegionOf } from "../../domain/Country.ts"
import { virtualAccountIn } from "../../domain/Ledger.ts"
import type { Payment, Refund, Attempt, Leg } from "../store/Payment.ts"
import type { PaymentStatus } from "../../domain/PaymentStatus.ts"
import type { PaymentDelivery } from "../../webhooks/delivery/DeliveryStore.ts"
import { lastReportedAt, unallocatedSums, describeSum } from "../store/UnallocatedMoney.ts"
import type { PaymentHistory } from "../store/PaymentStore.ts"

const pathOf = ({ direction, provider }: Payment): (typeof PaymentRecord.Type)["payment_path_method"] => {
  if (direction === "external") return "intermediary"
  if (provider === null) return null
  return isBuiltInRail(provider) ? "direct" : "third_party"
}

const instructionsOf = ({ action_data, amount, next_action, ramp, status }: Payment): string | null => {
  const { account_name, account_number, bank_name, expires_at, payment_link, redirect_url, reference } = action_data
  switch (next_action) {
    case "bank_transfer":
      return `Transfer to account ${account_number} (${account_name}) at ${bank_name}, reference ${reference}, before ${expires_at}.`
    case "pay_by_link":
      return `Pay at ${payment_link}.`
    case "redirect":
      return `Send the customer to ${redirect_url}.`
    case "collect_otp":
      return "Ask the customer for the one-time password and submit it."
    default:
      return ramp?.collection === "crypto" && status === "pending" && typeof action_data["address"] === "string"
        ? `Send ${amount.toString()} to ${action_data["address"]} on ${ramp.network}.`
        : null
  }
}

/** Both null where nothing is converted. */
const rateView = (rate: Refund["rate"]) => ({
  rate: rate === undefined ? null : BigDecimal.unsafeFromString(rate.value),
  rate_basis: rate?.basis ?? null
})

const refundView = ({
  amount,
  created_at,
  rate,
  reason,
  refund_id,
  requested_by,
  settled_at,
  state,
  target
}: Refund) => ({
  refund_id,
  amount: amount.toShown(),
  currency: amount.currency,
  target_amount: target.toShown(),
  target_currency: target.currency,
  ...rateView(rate),
  state,
  reason,
  requested_by: requested_by ?? null,
  created_at,
  settled_at
})

export const recordOf = (payment: Payment): typeof PaymentRecord.Type => ({
  payment_id: payment.payment_id,
  amount: payment.amount.toShown(),
  currency: payment.amount.currency,
  user_id: payment.user_id,
  status: payment.status,
  direction: payment.direction,
  payment_method: payment.payment_method,
  org_id: payment.org_id,
  beneficiary_id: payment.beneficiary_id,
  transaction_id: payment.transaction_id,
  target_amount: payment.target.toShown(),
  target_currency: payment.target.currency,
  from_currency: payment.amount.currency,
  region_id: subRegionOf(payment.country),
  payment_path_method: pathOf(payment),
  bank_account: payment.bank_account,
  card_details: payment.card_details,
  mobile_money_details: payment.mobile_money_details,
  payer_details: payment.payer_details,
  recipient_info: payment.recipient_info,
  metadata: payment.metadata,
  user_metadata: payment.user_metadata,
  webhook_metadata: payment.webhook_metadata,
  fee_ids: payment.fee_ids,
  total_fees: payment.total_fees === null ? null : payment.total_fees.toShown(),
  provider: payment.provider,
  provider_payment_id: payment.provider_payment_id,
  provider_status: payment.provider_status,
  provider_data: payment.provider_data,
  payout_initiated: payment.payout_id !== null,
  payout_id: payment.payout_id,
  instructions: instructionsOf(payment),
  comments: payment.comments,
  client_reference: payment.client_reference,
  description: payment.description,
  country: payment.country,
  refunds: payment.refunds.filter(({ of }) => of === undefined).map(refundView),
  refunded_amount: payment.refunded.toShown(),
  failure: payment.failure,
  virtual_account_id: virtualAccountIn(payment.funding),
  created_at: payment.created_at,
  updated_at: payment.updated_at
})

/** Everything that happened to a payment, in the order of time. */
type Item = typeof TimelineItem.Type

/** Both times may be those of two instances, whose clocks may differ. */
const latencyOf = ({ answered_at, started_at }: Attempt): number | null =>
  answered_at === null ? null : Math.max(0, answered_at.getTime() - started_at.getTime())

const attemptItem = ({ refunds }: Payment, attempt: Attempt): Item => {
  const refund = refunds.find(({ refund_id }) => refund_id === attempt.attempt_id)
  const { outcome, reason } = attempt
  return {
    at: attempt.started_at,
    kind: "attempt",
    attempt_id: attempt.attempt_id,
    provider: attempt.provider,
    leg: attempt.leg,
    outcome,
    reason,
    latency_ms: latencyOf(attempt),
    // Amount of a refund or return. The other attempts are for the payment's own amount.
    amount: refund === undefined ? null : refund.amount.toShown(),
    currency: refund?.amount.currency ?? null,
    rate_basis: refund?.rate?.basis ?? null
  }
}

/** Times of a payment's events: of changes of its status, of signals about it, of its refunds. */
export const eventTimesOf = (
  { refunds }: Payment,
  { attempts, callbacks, items, statusChanges }: PaymentHistory
): ReadonlyArray<Date> => [
  ...statusChanges.map(({ at }) => at),
  ...attempts.flatMap(({ answered_at }) => answered_at ?? []),
  ...refunds.flatMap(({ settled_at }) => settled_at ?? []),
  ...callbacks.map(({ received_at }) => received_at),
  ...items.map(({ opened_at }) => opened_at)
]

const turnOfStatus: Readonly<Record<PaymentStatus, number>> = {
  initiated: 0,
  reviewed: 0,
  confirmed: 0,
  pending: 2,
  processing: 2,
  completed: 4,
  failed: 4,
  rejected: 4,
  canceled: 4,
  refunded: 6
}

const turnOfLeg: Readonly<Record<Leg, number>> = { payment: 1, collection: 1, settlement: 3, refund: 5, return: 5 }

/**
 * Order of items within a millisecond: an attempt after the status that led to it and before the status that it led to.
 * A declined attempt comes before the next candidate's.
 */
const turnOf = (item: Item): number => {
  switch (item.kind) {
    case "status":
      return turnOfStatus[item.to]
    case "attempt":
      return turnOfLeg[item.leg as Leg] + (item.outcome === "declined" ? 0 : 0.5)
    default:
      return 7
  }
}

/** Parts of a payin that were held back when it was completed, and their releases. */
const reserveItems = ({ reserve, updated_at }: Payment, { statusChanges }: PaymentHistory): ReadonlyArray<Item> =>
  (reserve?.parts ?? []).flatMap(({ amount, release_at, released, released_at }): ReadonlyArray<Item> => {
    const part = { kind: "reserve", currency: amount.currency, release_at } as const
    const at = statusChanges.find(({ to_status }) => to_status === "completed")?.at ?? updated_at
    return [
      { ...part, at, change: "held", amount: amount.toShown() },
      ...(released_at === null || released === null
        ? []
        : [{ ...part, at: released_at, change: "released" as const, amount: released.toShown() }])
    ]
  })

export const timelineOf = (
  payment: Payment,
  history: PaymentHistory,
  deliveries: ReadonlyArray<PaymentDelivery>
): ReadonlyArray<Item> => {
  const { allocations, attempts, callbacks, items, movements, statusChanges } = history
  const all: ReadonlyArray<Item> = [
    ...statusChanges.map((row): Item => ({
      at: row.at,
      kind: "status",
      from: row.from_status,
      to: row.to_status,
      cause: row.cause
    })),
    ...attempts.map((attempt) => attemptItem(payment, attempt)),
    ...callbacks.map((callback): Item => ({
      at: callback.received_at,
      kind: "callback",
      provider: callback.provider,
      event_id: callback.event_key,
      report: callback.report,
      effect: callback.effect
    })),
    ...items.map((item): Item => ({
      at: item.opened_at,
      kind: "operator",
      item: item.kind,
      detail: item.detail,
      closed_at: item.closed_at,
      closed_by: item.closed_by
    })),
    ...unallocatedSums(payment, history).map((sum): Item => ({
      at: lastReportedAt(payment, history),
      kind: "operator",
      item: "suspense",
      detail: describeSum(payment, sum),
      closed_at: null,
      closed_by: null
    })),
    ...movements.map((movement): Item => ({
      at: movement.heard_at,
      kind: "movement",
      movement: movement.kind,
      provider: movement.provider,
      movement_id: movement.movement_id,
      attempt_id: movement.attempt_id,
      amount: movement.amount.toShown(),
      currency: movement.amount.currency,
      state: movement.state,
      source: movement.source
    })),
    ...allocations.map((allocation): Item => ({
      at: allocation.at,
      kind: "allocation",
      amount: allocation.accountAmount.toShown(),
      currency: allocation.accountAmount.currency,
      note: allocation.note,
      by: allocation.by
    })),
    ...reserveItems(payment, history),
    ...deliveries.map((delivery): Item => ({
      at: delivery.event_at,
      kind: "delivery",
      delivery_id: delivery.delivery_id,
      webhook_id: delivery.webhook_id,
      event_id: delivery.event_id,
      event_type: delivery.event_type,
      status: delivery.status,
      attempts: delivery.attempts,
      last_status_code: delivery.last_status_code,
      last_error: delivery.last_error
    }))
  ]
  return all.toSorted((a, b) => a.at.getTime() - b.at.getTime() || turnOf(a) - turnOf(b))
}
