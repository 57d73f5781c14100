/**
 * Events of a payment's change, as the exact bytes of every delivery. Written with the change, in its statement. Features
 * with accounts of their own add events through `FundingEvents`.
 */
import { BigDecimal, Context, type Option } from "effect"
import type { AnyCurrencyCode } from "../../domain/Currency.ts"
import type { OrgId } from "../../domain/Ids.ts"
import type { Conflict } from "../../domain/Failure.ts"
import { stringifyWire, toWireText, WireNumber } from "../../domain/Decimal.ts"
import { type Entry, kindOf, type LedgerAccount } from "../../domain/Ledger.ts"
import { Money } from "../../domain/Money.ts"
import type { PaymentStatus } from "../../domain/PaymentStatus.ts"
import type { Allocation, Payment, Refund } from "../store/Payment.ts"
import type { StoredEvent } from "../../webhooks/Webhook.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"

const wire = (money: Money): WireNumber => new WireNumber(toWireText(money.toShown()))

const dataOf = (payment: Payment, previous: PaymentStatus, at: Date) => ({
  payment_id: payment.payment_id,
  transaction_id: payment.transaction_id,
  status: payment.status,
  previous_status: previous,
  amount: wire(payment.amount),
  currency: payment.amount.currency,
  target_amount: wire(payment.target),
  target_currency: payment.target.currency,
  direction: payment.direction,
  payment_method: payment.payment_method,
  provider: payment.provider,
  client_reference: payment.client_reference,
  updated_at: at.toISOString(),
  ...(payment.failure === null ? {} : { failure: payment.failure })
})

/** `dispatched`: sent to a provider for the first time, whatever the answer was. */
const eventTypesOf = (previous: PaymentStatus, next: PaymentStatus, dispatched: boolean): ReadonlyArray<string> => {
  const types: Array<string> = dispatched ? ["payment.processing"] : []
  if (next !== previous) {
    if (next === "completed") types.push("payment.completed")
    if (next === "failed" || next === "rejected") types.push("payment.failed")
    if (next === "canceled") types.push("payment.canceled")
    types.push("transaction.updated")
  }
  return types
}

/** Time and ids of the events of a change. */
interface EventContext {
  readonly at: Date
  readonly newId: () => string
}

const eventOf = ({ at, newId }: EventContext, payment: Payment, event_type: string, data: string): StoredEvent => {
  const { org_id, payment_id } = payment
  const event_id = newId()
  const envelope = JSON.stringify({ event_id, event_type, org_id, created_at: at })
  const payload = `${envelope.slice(0, -1)},"data":${data}}`
  return { event_id, org_id, event_type, payment_id, payload, created_at: at }
}

type Events = ReadonlyArray<StoredEvent>

/** `payment`: after the change. `reversal`: amount that the provider reversed in full, which changed the status. */
export const eventsOf = (
  context: EventContext,
  payment: Payment,
  previous: PaymentStatus,
  dispatched = false,
  reversal?: ProviderReversal
): Events => {
  const types = eventTypesOf(previous, payment.status, dispatched)
  if (types.length === 0) return []
  // All events of a change have the same data, so they share one text.
  const data = stringifyWire({ ...dataOf(payment, previous, context.at), ...disputeData(reversal) })
  return types.map((type) => eventOf(context, payment, type, data))
}

/** Amount that a provider reversed (`returned`) or reinstated (`regained`). */
export interface ProviderReversal {
  readonly kind: "returned" | "regained"
  readonly amount: Money
}

const disputeData = (reversal: ProviderReversal | undefined) => {
  if (reversal === undefined) return {}
  const { amount, kind } = reversal
  return { dispute: { kind, amount: wire(amount), currency: amount.currency } }
}

/** Event of a reversal; none if the status changes too, since that event has it. */
export const disputeEvent = (
  context: EventContext,
  payment: Payment,
  reversal: ProviderReversal,
  previous: PaymentStatus
): Events => {
  if (payment.status !== previous) return []
  const data = stringifyWire({ ...dataOf(payment, previous, context.at), ...disputeData(reversal) })
  return [eventOf(context, payment, "transaction.updated", data)]
}

/** Return of a ramp's collected amount that completed, or failed after that, once its payout had come back. */
const returnedOf = ({ refunds, status }: Payment, before: Payment): Refund | undefined => {
  if (status !== "refunded") return undefined
  const wasCompleted = (part: Refund) =>
    before.refunds.some(({ refund_id, state }) => refund_id === part.refund_id && state === "completed")
  return refunds.find(
    (part) => part.of?.from === "ramp" && part.state === (wasCompleted(part) ? "failed" : "completed")
  )
}

/** Event of a refund that completed or failed, or of a payment that its provider refunded in full. */
export const refundEvent = (
  context: EventContext,
  payment: Payment,
  finished: Refund | undefined,
  before: Payment,
  reversal?: ProviderReversal
): Events => {
  const isRamp = payment.direction === "external"
  const part = isRamp ? returnedOf(payment, before) : finished
  const byProvider = !isRamp && part === undefined && payment.status === "refunded" && before.status !== "refunded"
  if (!isRamp && part?.of !== undefined) return []
  if (part === undefined && !byProvider) return []
  const { currency, minor } = payment.refunded
  const type = part === undefined || part.state === "completed" ? "payment.refunded" : "payment.refund_failed"
  const data = {
    ...dataOf(payment, before.status, context.at),
    amount: wire(part?.amount ?? new Money({ currency, minor: minor - before.refunded.minor })),
    refund_id: part?.refund_id ?? null,
    rate: part?.rate === undefined ? null : new WireNumber(toWireText(BigDecimal.unsafeFromString(part.rate.value))),
    rate_basis: part?.rate?.basis ?? null,
    refunded_amount: wire(payment.refunded),
    ...(byProvider && payment.direction === "inbound" ? disputeData(reversal) : {})
  }
  return [eventOf(context, payment, type, stringifyWire(data))]
}

/** Events of allocations to or from the organisation, by a rule or by an operator. */
export const allocationEvents = (
  context: EventContext,
  payment: Payment,
  allocations: ReadonlyArray<Allocation>
): Events =>
  allocations.map(({ note, accountAmount }) => {
    const adjustment = { amount: wire(accountAmount), currency: accountAmount.currency, reason: note }
    const data = stringifyWire({ ...dataOf(payment, payment.status, context.at), adjustment })
    return eventOf(context, payment, "transaction.updated", data)
  })

/** A virtual account that payins may credit. */
export interface CreditedAccount {
  readonly ledger: LedgerAccount
  readonly currency: AnyCurrencyCode
  readonly isClosed: boolean
}

/** Whether a payin credits a virtual account. Each of its changes then writes statement lines of that account. */
export const creditsAccount = ({ direction, funding }: Pick<Payment, "direction" | "funding">): boolean =>
  direction === "inbound" && funding !== null && kindOf(funding) === "virtual"

/** Checks and events of features that keep accounts of their own, for each change of a payment from or to one. */
export class FundingEvents extends Context.Tag("corridor/FundingEvents")<
  FundingEvents,
  {
    /** Checks that the account may still pay, in the transaction that sends a payment held for review. */
    readonly admit: (payment: Payment) => Stored<void, Conflict>
    /** Events of a change. `payment`: after the change. `entries`: those that the change posts. */
    readonly of: (
      payment: Payment,
      previous: PaymentStatus,
      entries: ReadonlyArray<Entry>
    ) => Stored<ReadonlyArray<StoredEvent>>
    /**
     * Writes statement lines and events for entries that moved money of the account, in the transaction of the change.
     * `note`: the operator's, for a decision.
     */
    readonly posted: (payment: Payment, entries: ReadonlyArray<Entry>, note: string | null) => Stored<void>
    /** The virtual account that a payin names, if it is one of the organisation's. */
    readonly creditedAccount: (orgId: OrgId, accountId: string) => Stored<Option.Option<CreditedAccount>>
  }
>() {}
