/** A payout that names only its beneficiary and an amount: how it is paid follows from the beneficiary's account. */
import { Either } from "effect"
import type { Beneficiary } from "../beneficiaries/Beneficiary.ts"
import { Invalid } from "../../domain/Failure.ts"
import type { Money } from "../../domain/Money.ts"
import { type PaymentPlan, recipientInfo } from "./PaymentPlan.ts"

export interface WantedPayout {
  readonly amount: Money
  readonly beneficiary: Beneficiary
  readonly description: string | null
}

const methodOf = { bank: "bank_transfer", mobile_money: "mobile_money", wallet: "wallet" } as const

export const planPayout = ({ amount, beneficiary, description }: WantedPayout): Either.Either<PaymentPlan, Invalid> => {
  if (beneficiary.currency !== amount.currency) {
    return Either.left(
      new Invalid({
        message: `beneficiary_id: is paid in ${beneficiary.currency}, the account holds ${amount.currency}; use one in ${amount.currency}.`
      })
    )
  }
  const method = methodOf[beneficiary.account_type]
  const country = beneficiary.bank_details.country ?? beneficiary.country
  return Either.right({
    payment: {
      direction: "outbound",
      payment_method: method,
      country,
      amount,
      target: amount,
      org_rate_id: null,
      client_reference: null,
      description,
      beneficiary_id: beneficiary.beneficiary_id,
      payer_details: {},
      mobile_money_details: beneficiary.momo_details,
      card_details: {},
      bank_account: beneficiary.bank_details,
      recipient_info: recipientInfo(beneficiary),
      metadata: {},
      return_url: null
    },
    card: null
  })
}
