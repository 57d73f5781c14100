/**
 * What is wrong with how a payment is paid, and with where it goes: a phone that is none, a card that is over, a network that
 * it does not fit. A payout goes to its beneficiary and nowhere else: whatever else it names must be that account, of that kind.
 */
import { Either, Option } from "effect"
import { isExpired } from "../../domain/Card.ts"
import type { CountryCode } from "../../domain/Country.ts"
import { mobileMoneyProblems } from "../../domain/MobileMoneyCheck.ts"
import { readPhoneNumber } from "../../domain/PhoneNumber.ts"
import type { InitiatePayment } from "../../contract/api/PaymentsInit.ts"
import type { Beneficiary } from "../beneficiaries/Beneficiary.ts"
import { sameAccount, type SentDetails } from "../beneficiaries/Destination.ts"

export type Request = typeof InitiatePayment.Type

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

const accountTypeOf = { bank_transfer: "bank", mobile_money: "mobile_money" } as const

const NO_CARD_PAYOUTS =
  "payment_method: a card cannot be paid out to; send bank_transfer or mobile_money, with a beneficiary that has such an account"

const contradictions = (
  { bank_account, card_details, mobile_money_details, target_currency }: Request,
  beneficiary: Beneficiary
): ReadonlyArray<string> => {
  const sent: Readonly<Record<string, SentDetails>> = {
    bank_account: { bank_account },
    mobile_money_details: { mobile_money_details }
  }
  const { account_type, currency } = beneficiary
  return [
    ...Object.entries(sent).flatMap(([field, details]) =>
      sameAccount(beneficiary, details) ? [] : [`${field}: names another account than the beneficiary's`]
    ),
    ...(card_details === undefined
      ? []
      : [`card_details: a card is not the beneficiary's ${account_type} account; leave it out`]),
    ...(target_currency === currency ? [] : [`target_currency: must be ${currency}, which the beneficiary is paid in`])
  ]
}

export const destinationProblems = (
  request: Request,
  beneficiary: Option.Option<Beneficiary>
): ReadonlyArray<string> => {
  const { beneficiary_id, direction, payment_method } = request
  if (direction === "payout" && payment_method === "card") return [NO_CARD_PAYOUTS]
  if (beneficiary_id === undefined) return []
  if (Option.isNone(beneficiary)) return ["beneficiary_id: is not a beneficiary of this organisation"]
  if (direction === "payin" || payment_method === "card") return []
  const wanted = accountTypeOf[payment_method]
  const { account_type } = beneficiary.value
  return account_type === wanted
    ? contradictions(request, beneficiary.value)
    : [`beneficiary_id: has a ${account_type} account; a ${payment_method} payout needs ${wanted}`]
}
