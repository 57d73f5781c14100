/** An attempt as its provider is asked about it, from the payment's record. */
import { isSettled } from "../../domain/PaymentStatus.ts"
import type { Money } from "../../domain/Money.ts"
import type { AttemptContext } from "../../providers/port/Provider.ts"
import type { Sent } from "../../providers/port/ResendPermit.ts"
import type { Attempt, Payment } from "../store/Payment.ts"
import { orderFacts, type PaidLeg } from "./ProviderOrder.ts"

const isPaidLeg = (leg: Attempt["leg"]): leg is PaidLeg => leg !== "refund" && leg !== "return"

const brings = ({ leg }: Attempt): boolean => leg === "payment" || leg === "collection"

/**
 * What brought the money that an attempt gives back. What came back of a refund, and what a ramp could not settle, was
 * brought to the provider that gives it back by another attempt than the one it waits for.
 */
export const broughtBy = (attempt: Attempt, all: ReadonlyArray<Attempt>): Attempt | undefined => {
  const of = all.find(({ attempt_id }) => attempt_id === attempt.of_attempt)
  if (of !== undefined && brings(of)) return of
  return all.find((one) => brings(one) && one.provider === attempt.provider && one.outcome !== "declined")
}

const givenBack = ({ amount, refunds }: Payment, { attempt_id }: Attempt): Money =>
  refunds.find(({ refund_id }) => refund_id === attempt_id)?.amount ?? amount

/** `now`: by the clock of the store. Its provider may have heard of it since it was begun. */
export const sentTimes = ({ sent_at, started_at }: Attempt, now: Date): Sent => ({
  first: started_at < sent_at ? started_at : sent_at,
  last: sent_at,
  now
})

/** `all`: of the payment; only of money on its way back are the others needed. */
export const contextOf = (
  payment: Payment,
  attempt: Attempt,
  all: ReadonlyArray<Attempt>,
  hintedIds: ReadonlyArray<string> = []
): AttemptContext => {
  const { attempt_id, config_id, leg, outcome, provider_payment_id, sent_at } = attempt
  const known = {
    reference: attempt_id,
    providerPaymentId: provider_payment_id,
    hintedIds,
    leg,
    country: payment.country,
    sentAt: sent_at,
    orgId: payment.org_id,
    configId: config_id,
    isWanted: outcome !== "declined" && !isSettled(payment.status)
  }
  if (isPaidLeg(leg)) return { ...known, ...orderFacts(payment, leg), broughtBy: null }
  const brought = broughtBy(attempt, all)
  const facts = orderFacts(payment, brought !== undefined && isPaidLeg(brought.leg) ? brought.leg : "payment")
  return {
    ...known,
    ...facts,
    money: givenBack(payment, attempt),
    broughtBy: brought === undefined ? null : contextOf(payment, brought, [])
  }
}
