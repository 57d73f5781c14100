/** A planned ramp as the payment that is written down. */
import { toPlainText } from "../../domain/Decimal.ts"
import type { Payment } from "../store/Payment.ts"
import type { PaymentPlan } from "../initiate/PaymentPlan.ts"
import type { RampFacts } from "../store/RampFacts.ts"
import { recipientInfo } from "../initiate/RecipientInfo.ts"
import type { BankAccount } from "../../providers/port/Provider.ts"
import type { RampPlan } from "./RampPlan.ts"

const paidBy = { bank: "bank_transfer", mobile_money: "mobile_money", wallet: "wallet" } as const

const factsOf = (planned: RampPlan): RampFacts => ({
  direction: planned.direction,
  network: planned.network,
  wallet_address: planned.walletAddress,
  collection: planned.collection.method,
  settlement: planned.beneficiary === null ? "crypto" : paidBy[planned.beneficiary.account_type],
  rate: toPlainText(planned.rate),
  client_rate: toPlainText(planned.clientRate),
  customer_type: planned.customer.type,
  business_id: planned.customer.business_id,
  business_name: planned.customer.business_name,
  collected: null
})

/** In the words of a request, as every other payment's record has them. */
const bankDetails = ({ accountName, accountNumber, bankCode, bankName, country }: BankAccount) => ({
  account_name: accountName,
  account_number: accountNumber,
  bank_code: bankCode,
  bank_name: bankName,
  country
})

export const describeRamp = (planned: RampPlan): PaymentPlan["payment"] & Pick<Payment, "ramp"> => {
  const { beneficiary, collection, crypto, direction, fiat, network, walletAddress } = planned
  const onRamp = direction === "on_ramp"
  return {
    direction: "external",
    payment_method: "crypto",
    country: planned.country,
    amount: onRamp ? fiat : crypto,
    target: onRamp ? crypto : fiat,
    org_rate_id: null,
    client_reference: planned.client_reference,
    description: null,
    beneficiary_id: beneficiary?.beneficiary_id ?? null,
    payer_details: collection.bank === null ? {} : { bank_details: bankDetails(collection.bank) },
    mobile_money_details:
      collection.mobileMoney === null
        ? {}
        : { provider: collection.mobileMoney.network, phone_number: collection.mobileMoney.phoneNumber },
    card_details: {},
    bank_account: {},
    recipient_info: beneficiary === null ? { wallet_address: walletAddress, network } : recipientInfo(beneficiary),
    metadata: planned.metadata,
    return_url: null,
    ramp: factsOf(planned)
  }
}
