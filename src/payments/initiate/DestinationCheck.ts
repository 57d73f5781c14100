/** A payout goes to its beneficiary and nowhere else: whatever else it names must be that account, of that kind. */
import { Option } from "effect"
import type { Beneficiary } from "../beneficiaries/Beneficiary.ts"
import { sameAccount, type SentDetails } from "../beneficiaries/Destination.ts"
import type { Request } from "./PaymentPlan.ts"

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
