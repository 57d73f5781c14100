/** What is wrong with how a payment is paid: a phone that is none, a card that is over, a network that it does not fit. */
import { Either } from "effect"
import { isExpired } from "../../domain/Card.ts"
import type { CountryCode } from "../../domain/Country.ts"
import { mobileMoneyProblems } from "../../domain/MobileMoneyCheck.ts"
import { readPhoneNumber } from "../../domain/PhoneNumber.ts"
import type { Request } from "./PaymentPlan.ts"

const phoneProblems = ({ payer_details }: Request, country: CountryCode): ReadonlyArray<string> => {
  const phone = payer_details === undefined ? undefined : readPhoneNumber(payer_details.phone, country)
  return phone !== undefined && Either.isLeft(phone) ? [`payer_details.phone: ${phone.left}`] : []
}

const cardProblems = ({ card_details, payment_method }: Request, now: Date): ReadonlyArray<string> => {
  if (card_details === undefined || payment_method !== "card") return []
  const { expiry_month, expiry_year } = card_details
  return isExpired(expiry_month, expiry_year, now)
    ? [`card_details.expiry_year: the card expired with ${expiry_month}/${expiry_year}; use another`]
    : []
}

/** The network moves the provider's side of the payment. */
const networkProblems = (request: Request, country: CountryCode): ReadonlyArray<string> => {
  const { currency, direction, mobile_money_details, payment_method, target_currency } = request
  if (mobile_money_details === undefined || payment_method !== "mobile_money") return []
  const details = "mobile_money_details"
  return direction === "payin"
    ? mobileMoneyProblems(mobile_money_details, country, currency, { details, currency: "currency" })
    : mobileMoneyProblems(mobile_money_details, country, target_currency, { details, currency: "target_currency" })
}

export const payerProblems = (request: Request, country: CountryCode, now: Date): ReadonlyArray<string> => [
  ...phoneProblems(request, country),
  ...cardProblems(request, now),
  ...networkProblems(request, country)
]
