/** What routing and dispatching must know of a ramp's legs, from the payment's record. */
import { Duration } from "effect"
import { isCryptoAssetCode } from "../../domain/CryptoAsset.ts"
import { rampLifetime } from "../../domain/policies/Payments.ts"
import type { Payment, RampFacts } from "../store/Payment.ts"
import { type Order, orderFacts, providerOrder, type OrderInput } from "./ProviderOrder.ts"
import type { LegToRoute } from "./PaymentRouter.ts"

export type RampPayment = Payment & { readonly ramp: RampFacts }

export const isRamp = (payment: Payment): payment is RampPayment => payment.ramp !== null

/** `asked`: when its customer is, by the clock of the store, which all instances share. */
export const rampExpiry = (asked: Date): Date => new Date(asked.getTime() + Duration.toMillis(rampLifetime))

const legOf = (payment: RampPayment, leg: "collection" | "settlement"): LegToRoute => {
  const { flow, method, money, network } = orderFacts(payment, leg)
  return { country: payment.country, direction: flow, payment_method: method, money, network }
}

export const firstLeg = (payment: RampPayment): LegToRoute => legOf(payment, "collection")

export const secondLeg = (payment: RampPayment): LegToRoute => legOf(payment, "settlement")

/** The recipient has nothing to do, so there is no page for one. */
export const settlementOrder = (payment: RampPayment, organization: OrderInput["organization"]): Order =>
  providerOrder(payment, "settlement", { checkoutUrl: "", organization })

/** Both sides by what they are, whichever way the money flows. */
export const rampLegs = ({ amount, ramp, target }: RampPayment) => {
  const [fiat, crypto] = ramp.direction === "on_ramp" ? [amount, target] : [target, amount]
  const { currency } = fiat
  const asset = crypto.currency
  if (isCryptoAssetCode(currency) || !isCryptoAssetCode(asset)) throw new Error("a ramp is between fiat and crypto")
  return { asset, crypto, currency, fiat }
}
