/** Money back on a built-in rail: a payment of its own, under a reference of its own. */
import { type Context, Effect, Option } from "effect"
import { uuidOrNil } from "../../domain/Ids.ts"
import type { Money } from "../../domain/Money.ts"
import { Declined, type Outcome } from "../../domain/Outcome.ts"
import { acceptedAs, byHand } from "./RailAnswer.ts"
import type { RailPayment } from "./RailPayment.ts"
import type { RailStore } from "./RailStore.ts"
import type { RailTimers } from "./RailTimers.ts"

const refusalOf = (paid: Money, money: Money): string | null =>
  paid.currency === money.currency && money.isPositive && money.minor <= paid.minor
    ? null
    : "The refund is not a part of what was paid"

/** What an operator completed the rail never heard of: its caller knows. */
const isPaid = ({ behaviour, state }: RailPayment): boolean => state === "completed" || behaviour === "by_hand"

/** An operator completes a refund where he completed the payment. */
const refundOf = ({ rail }: RailPayment, reference: string, money: Money): RailPayment => ({
  reference,
  rail,
  kind: "refund",
  money,
  reason: null,
  wrongPasswords: 0,
  state: "processing",
  ...(rail === "manual"
    ? { behaviour: "by_hand", answer: byHand }
    : { behaviour: "completes", answer: { state: "processing", nextAction: null, actionData: {} } })
})

export const makeRefund = (store: Context.Tag.Service<RailStore>, { timersFor }: RailTimers) =>
  Effect.fn("RailCustomer.refund")(function* (reference: string, refundReference: string, money: Money) {
    const before = yield* store.find(refundReference)
    if (Option.isSome(before)) return acceptedAs(before.value) as Outcome
    const paid = Option.filter(yield* store.find(uuidOrNil(reference)), isPaid)
    if (Option.isNone(paid)) return new Declined({ reason: "There is no completed payment to refund" })
    const refusal = refusalOf(paid.value.money, money)
    if (refusal !== null) return new Declined({ reason: refusal })
    const refund = refundOf(paid.value, refundReference, money)
    return acceptedAs(yield* store.open(refund, yield* timersFor(refund.behaviour)))
  })
