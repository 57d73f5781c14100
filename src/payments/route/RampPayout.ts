/**
 * Legs of a ramp, and the choice of the provider of its payout. The statement that records the collection commits the
 * payout's attempt. Any instance claims and sends it.
 */
import { Array as Arr, Context, Effect, Layer, Duration } from "effect"
import type { Payment, RampFacts } from "../store/Payment.ts"
import { PaymentRouter, type LegToRoute } from "./PaymentRouter.ts"
import type { NewAttempt } from "../store/Change.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"
import { isCryptoAssetCode } from "../../domain/Currency.ts"
import { rampLifetime } from "../../domain/policies/PaymentPolicies.ts"
import { type Order, orderFacts, buildOrder, type OrderInput, payerHasEmail } from "./BuildOrder.ts"

export type RampPayment = Payment & { readonly ramp: RampFacts }

export const isRamp = (payment: Payment): payment is RampPayment => payment.ramp !== null

/** Time by which the customer must pay. `asked`: start of that time, by the store's clock, which all instances share. */
export const rampExpiry = (asked: Date): Date => new Date(asked.getTime() + Duration.toMillis(rampLifetime))

const legOf = (payment: RampPayment, leg: "collection" | "settlement"): LegToRoute => {
  const { flow, method, money, network } = orderFacts(payment, leg)
  const { country } = payment
  return { country, direction: flow, payment_method: method, money, network, payerHasEmail: payerHasEmail(payment) }
}

export const rampCollectionLeg = (payment: RampPayment): LegToRoute => legOf(payment, "collection")

export const rampPayoutLeg = (payment: RampPayment): LegToRoute => legOf(payment, "settlement")

/** Order to pay out a ramp. The recipient has nothing to do, so the order has no checkout page. */
export const rampPayoutOrder = (payment: RampPayment, organization: OrderInput["organization"]): Order =>
  buildOrder(payment, "settlement", { checkoutUrl: "", organization })

/** Fiat and crypto side of a ramp, for both directions. */
export const rampLegs = ({ amount, ramp, target }: RampPayment) => {
  const [fiat, crypto] = ramp.direction === "on_ramp" ? [amount, target] : [target, amount]
  const { currency } = fiat
  const asset = crypto.currency
  if (isCryptoAssetCode(currency) || !isCryptoAssetCode(asset)) throw new Error("a ramp is between fiat and crypto")
  return { asset, crypto, currency, fiat }
}

export class RampPayout extends Context.Tag("corridor/RampPayout")<
  RampPayout,
  {
    /** Attempt at a provider that can pay out the ramp; undefined: none can. */
    readonly choose: (payment: Payment) => Stored<NewAttempt | undefined>
    /** Releases the circuit breaker's probe of a chosen attempt that is not sent. */
    readonly unsent: (payment: Payment, attempt: NewAttempt) => Effect.Effect<void>
  }
>() {
  static readonly layer = Layer.effect(
    RampPayout,
    Effect.gen(function* () {
      const router = yield* PaymentRouter
      return {
        choose: Effect.fnUntraced(function* (payment) {
          if (!isRamp(payment)) return undefined
          const { candidates } = yield* router.routeLeg(payment.org_id, rampPayoutLeg(payment))
          if (!Arr.isNonEmptyReadonlyArray(candidates)) return undefined
          const { attempt } = yield* router.choose(payment.org_id, candidates, "settlement")
          return { ...attempt, enquire_in: null }
        }),
        unsent: ({ org_id }, attempt) => router.unsent(org_id, { attempt })
      }
    })
  )
}
