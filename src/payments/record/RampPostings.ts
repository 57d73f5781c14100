/** What a ramp writes into the books: its own account holds what was collected until it is settled. */
import { type Entry, LedgerAccount, move, type Posting } from "../../domain/Ledger.ts"
import { Money } from "../../domain/Money.ts"
import type { RampEffect } from "../../domain/RampLeg.ts"
import type { Attempt, Payment } from "../store/Payment.ts"
import { entry, pass, reversed } from "../store/PaymentPostings.ts"
import { accountAt } from "../store/Sides.ts"

const { ramp, settlement, suspense } = LedgerAccount

export const rampAccount = ({ payment_id }: Payment, { currency }: Money): LedgerAccount => ramp(payment_id, currency)

export const excessIn = ({ amount }: Payment, received: Money): Money | null =>
  received.minor > amount.minor ? new Money({ currency: amount.currency, minor: received.minor - amount.minor }) : null

/** What is more than expected waits for a person; what is less waits with the rest of it on the ramp's account. */
const collected = (payment: Payment, attempt: Attempt, received: Money): ReadonlyArray<Posting> => {
  const { amount } = payment
  const there = accountAt(attempt)(amount.currency)
  const excess = excessIn(payment, received)
  return [
    ...move(there, rampAccount(payment, amount), excess === null ? received : amount),
    ...(excess === null ? [] : move(there, suspense(amount.currency), excess))
  ]
}

const settled = (payment: Payment, attempt: Attempt): ReadonlyArray<Posting> =>
  pass(() => rampAccount(payment, payment.amount), payment.amount, accountAt(attempt), payment.target)

export const rampEntries = (
  payment: Payment,
  attempt: Attempt,
  effect: RampEffect,
  received: Money
): ReadonlyArray<Entry> => {
  const { attempt_id } = attempt
  switch (effect) {
    case "collected":
    case "underpaid":
      return [entry(payment, "ramp_collect", collected(payment, attempt, received), attempt_id)]
    case "settled":
      return [entry(payment, "ramp_settle", settled(payment, attempt), attempt_id)]
    case "returned":
      return [entry(payment, "ramp_return", reversed(settled(payment, attempt)), attempt_id)]
    default:
      return []
  }
}

/** What a ramp still holds goes to the organisation, or back to the provider that collected it. */
export const rampGivenUp = (payment: Payment, held: Money, kept: boolean): Entry => {
  const to = kept ? settlement(payment.org_id, held.currency) : accountAt(payment)(held.currency)
  return entry(payment, "ramp_return", move(rampAccount(payment, held), to, held))
}

/** What a ramp holds is about to go back: it waits in suspense, for the attempt that it is about, until it has gone. */
export const heldToSuspense = (payment: Payment, { attempt_id }: Attempt, held: Money): Entry =>
  entry(
    payment,
    "ramp_return",
    move(rampAccount(payment, held), suspense(held.currency), held),
    `${attempt_id} ${payment.version}`
  )
