/** The order for the second leg of a ramp, and what routing must know of it, rebuilt from the payment's record. */
import { isCryptoAssetCode } from "../../domain/CryptoAsset.ts"
import { destinationOf } from "../../beneficiaries/Destination.ts"
import type { PaymentOrder } from "../../providers/Provider.ts"
import type { Payment } from "../Payment.ts"
import type { RampFacts } from "./RampFacts.ts"
import type { LegToRoute } from "./RampRouter.ts"

export type RampPayment = Payment & { readonly ramp: RampFacts }

export const isRamp = (payment: Payment): payment is RampPayment => payment.ramp !== null

type Recipient = Parameters<typeof destinationOf>[0] & { readonly fname: string; readonly lname: string }

/** The beneficiary as it was at initiation, which is when it was checked. */
const recipientOf = ({ ramp, recipient_info }: RampPayment): Recipient | null =>
  ramp.direction === "on_ramp" ? null : (recipient_info as unknown as Recipient)

export const secondLeg = ({ country, ramp, target }: RampPayment): LegToRoute => ({
  country,
  direction: "outbound",
  payment_method: ramp.settlement,
  money: target
})

export const settlementOrder = (payment: RampPayment): Omit<PaymentOrder, "reference"> => {
  const { ramp } = payment
  const recipient = recipientOf(payment)
  const destination = recipient === null ? null : destinationOf(recipient)
  return {
    paymentId: payment.payment_id,
    orgId: payment.org_id,
    flow: "outbound",
    method: ramp.settlement,
    country: payment.country,
    money: payment.target,
    description: payment.description,
    payer: null,
    bank: destination?._tag === "Bank" ? destination.account : null,
    mobileMoney: destination?._tag === "MobileMoney" ? destination.account : null,
    card: null,
    walletAddress:
      destination?._tag === "CryptoWallet"
        ? destination.account
        : ramp.wallet_address === null
          ? null
          : { address: ramp.wallet_address, network: ramp.network },
    recipientName: recipient === null ? null : `${recipient.fname} ${recipient.lname}`,
    checkoutUrl: ""
  }
}

/** Both sides by what they are, whichever way the money flows. */
export const rampLegs = ({ amount, ramp, target }: RampPayment) => {
  const [fiat, crypto] = ramp.direction === "on_ramp" ? [amount, target] : [target, amount]
  const { currency } = fiat
  const asset = crypto.currency
  if (isCryptoAssetCode(currency) || !isCryptoAssetCode(asset)) throw new Error("a ramp is between fiat and crypto")
  return { asset, crypto, currency, fiat }
}
