/** What of a payment's money in suspense can go back to whoever sent it, and through which attempt: decided here, done elsewhere. */
import { Either } from "effect"
import { Money } from "../domain/Money.ts"
import { isSettled } from "../domain/PaymentStatus.ts"
import type { Attempt, Payment, StoredOperatorItem } from "./Payment.ts"
import type { Story } from "./PaymentStore.ts"
import { isRamp } from "./ramp/LegOrder.ts"

export interface SuspenseRefund {
  /** The one that took the money. */
  readonly attempt: Attempt
  readonly money: Money
  /** The same for as long as the item is open, so that whoever repeats the refund repeats it under one name. */
  readonly reference: string
}

export const openSuspense = ({ items }: Story): ReadonlyArray<StoredOperatorItem> =>
  items.filter(({ closed_at, kind }) => kind === "suspense" && closed_at === null)

/** What a ramp could not settle was taken by its first leg. */
export const takerOf = (payment: Payment, { attempts }: Story, item: StoredOperatorItem): Attempt | undefined => {
  const named = attempts.find(({ attempt_id }) => attempt_id === item.attempt_id)
  return isRamp(payment) && named?.leg === "settlement"
    ? attempts.find(({ leg, outcome }) => leg === "collection" && outcome === "accepted")
    : named
}

export const byHand = ({ payment_id }: Payment): string =>
  `give it back at the provider, then run "corridor payments resolve ${payment_id} --as failed".`

const sumOf = (payment: Payment, all: ReadonlyArray<Money>): Either.Either<Money, string> => {
  const [first, ...others] = all
  if (first === undefined) return Either.left("Nothing of this payment's money is in suspense.")
  if (all.some((money) => !money.isPositive)) {
    const command = `corridor payments resolve ${payment.payment_id}`
    return Either.left(`Money went out for this payment, and none came to be given back: settle it with "${command}".`)
  }
  if (others.some(({ currency }) => currency !== first.currency)) {
    return Either.left(`It holds money in several currencies: ${byHand(payment)}`)
  }
  const minor = all.reduce((sum, money) => sum + money.minor, 0n)
  return Either.right(new Money({ currency: first.currency, minor }))
}

/** `waiting`: what is in suspense because of the payment, and what its ramp still holds. */
export const suspenseRefundOf = (
  payment: Payment,
  story: Story,
  waiting: ReadonlyArray<Money>
): Either.Either<SuspenseRefund, string> => {
  const [item, ...others] = openSuspense(story)
  if (item === undefined) return Either.left("Nothing of this payment's money is in suspense.")
  if (!isSettled(payment.status)) {
    return Either.left(`This payment is ${payment.status}: its money can be given back once it has ended.`)
  }
  // A refund under the name of one item may be on its way already, without what came with the other.
  if (others.length > 0) return Either.left(`Money is in suspense for more than one reason: ${byHand(payment)}`)
  const attempt = takerOf(payment, story, item)
  if (attempt === undefined) return Either.left(`Nobody knows who took the money: ${byHand(payment)}`)
  return Either.map(sumOf(payment, waiting), (money) => ({ attempt, money, reference: item.item_id }))
}
