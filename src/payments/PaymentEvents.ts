/** The events that a change of state sends out, as the exact bytes that every delivery repeats. */
import { stringifyWire, toWireText, WireNumber } from "../domain/Decimal.ts"
import type { Money } from "../domain/Money.ts"
import type { PaymentStatus } from "../domain/PaymentStatus.ts"
import type { Payment, StoredEvent } from "./Payment.ts"

const wire = (money: Money): WireNumber => new WireNumber(toWireText(money.toDecimal()))

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
  updated_at: at.toISOString()
})

/** `dispatched`: a provider has it for the first time, whether it said so or kept silent. */
export const eventTypesOf = (
  previous: PaymentStatus,
  next: PaymentStatus,
  dispatched: boolean
): ReadonlyArray<string> => {
  const types: Array<string> = dispatched ? ["payment.processing"] : []
  if (next !== previous) {
    if (next === "completed") types.push("payment.completed")
    if (next === "failed" || next === "rejected") types.push("payment.failed")
    types.push("transaction.updated")
  }
  return types
}

/** `payment` is as it will be after the change. */
export const eventsOf = (
  newId: () => string,
  payment: Payment,
  previous: PaymentStatus,
  dispatched: boolean,
  at: Date
): ReadonlyArray<StoredEvent> => {
  const types = eventTypesOf(previous, payment.status, dispatched)
  if (types.length === 0) return []
  const { org_id, payment_id } = payment
  // All events of a change tell the same, so it is written out once.
  const data = stringifyWire(dataOf(payment, previous, at))
  return types.map((event_type) => {
    const event_id = newId()
    const envelope = JSON.stringify({ event_id, event_type, org_id, created_at: at })
    return {
      event_id,
      org_id,
      event_type,
      payment_id,
      payload: `${envelope.slice(0, -1)},"data":${data}}`,
      created_at: at
    }
  })
}
